"""The rows that all peers see: a file for each split, written once."""

from pathlib import Path

import numpy as np

from benchmarks.datasets import DataSet, class_partition, partition, table_partition
from benchmarks.peers.registry import CLASSIFICATION

__all__ = ["split_file"]

#: More than in the papers, as elsewhere in the literature on large tables.
TRAINING_ROWS_OF_KIN40K = 36_000
CATEGORIES = ("splice",)


def split_file(name: str, k: int, rows: int | None, folder: Path) -> Path:
    """Return a file with the k-th split of a set; with ``rows``, that many to train and to test."""
    file = folder / f"{name}-{k}-{rows or 'all'}.npz"
    if not file.exists():
        train, test = _partition(name, k)
        folder.mkdir(parents=True, exist_ok=True)
        part = file.with_name(f".{file.name}")
        np.savez(
            part,
            X=train.X[:rows],
            y=train.y[:rows],
            X_test=test.X[:rows],
            y_test=test.y[:rows],
            classes=name in CLASSIFICATION,
            categories=name in CATEGORIES,
        )
        part.replace(file)  # in one step: no process reads half a split
    return file


def _partition(name: str, k: int) -> tuple[DataSet, DataSet]:
    if name in CLASSIFICATION:
        return class_partition(name, k)
    if name == "kin40k":
        return partition(name, k, TRAINING_ROWS_OF_KIN40K)
    return table_partition(name, k)
