"""Sets, splits and stored fits of the trials of this folder.

A set belongs to the half on which rules are developed or to the half on which they are judged, by a
hash of its name.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from benchmarks.datasets import CLASS_SETS, TABLES, load

__all__ = [
    "LARGE_CLASS_SETS",
    "REGRESSION_SETS",
    "SMALL_CLASS_SETS",
    "Record",
    "Records",
    "Split",
    "judges",
    "nested_split",
]

#: Sets of two classes with a few hundred rows, and the larger ones of which subsamples are drawn.
SMALL_CLASS_SETS = ("breast_cancer", "flare_solar", "titanic")
LARGE_CLASS_SETS = tuple(CLASS_SETS)
REGRESSION_SETS = (*TABLES, "boston", "keggdirected", "sarcos_test", "friedman2", "friedman3")
MOST_TEST_ROWS = 4_000

Record = dict[str, object]
Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def judges(name: str) -> bool:
    """Tell whether a set is one that rules are judged on."""
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 1


def nested_split(name: str, seed: int, n_train: int | None, share: float = 0.9) -> Split:
    """Return training and test rows; fewer training rows are the first ones of more.

    The last rows of a permutation are for the test, whatever the number of training rows.
    """
    table = load(name, seed)
    order = np.random.default_rng(seed).permutation(len(table.y))
    seen, test = np.split(order, [int(share * len(order))])
    train, test = seen[:n_train], test[:MOST_TEST_ROWS]
    noisy = table.observed
    return table.X[train], noisy[train], table.X[test], noisy[test]


class Records:
    """Fits in a file of JSON lines, each known by some of its fields."""

    def __init__(self, file: Path, fields: Iterable[str]) -> None:
        self._file, self._fields = file, tuple(fields)
        lines = file.read_text().splitlines() if file.exists() else []
        self.all: list[Record] = [json.loads(line) for line in lines]
        self._known = {self._key(record) for record in self.all}

    def _key(self, record: Record) -> tuple[object, ...]:
        return tuple(record[field] for field in self._fields)

    def __contains__(self, record: Record) -> bool:
        return self._key(record) in self._known

    def add(self, record: Record) -> None:
        """Append a fit to the file."""
        self.all.append(record)
        self._known.add(self._key(record))
        with self._file.open("a") as file:
            file.write(json.dumps(record) + "\n")
