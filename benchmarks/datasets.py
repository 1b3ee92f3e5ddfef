"""Benchmark data: files of the folder ``SPARSEGP_DATA``, or generated.

The folder defaults to ``../shared/data`` beside the checkout and holds one parquet file a set,
feature columns first, the target ``y`` last. Partitions are permutations by
``default_rng(k)``, so that everybody draws the same ones.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import make_friedman2, make_friedman3

__all__ = [
    "CLASS_SETS",
    "PAPER_SETS",
    "TABLES",
    "ClassSet",
    "DataSet",
    "PartitionedSet",
    "class_partition",
    "data_folder",
    "digits",
    "load",
    "partition",
    "table_partition",
]

Floats = np.ndarray


def data_folder() -> Path:
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("SPARSEGP_DATA", beside))


@dataclass(frozen=True)
class DataSet:
    """A table."""

    X: Floats  # (n, D)
    y: Floats  # (n,)


@dataclass(frozen=True)
class PartitionedSet:
    """A set of the papers: training and test sizes, basis vectors, how often it is drawn."""

    name: str
    n_training: int
    n_test: int
    max_basis: int
    n_subset: int  # rows of the exact GP that fixes the hyperparameters in the papers
    n_partitions: int = 5


# KC table 1, SKS table 1; sizes of the subsets: KC 2000, SKS 200 to 1000. Small sets have as many
# partitions as SKS give them: a run takes seconds, and five would differ by more than two methods.
PAPER_SETS = {
    s.name: s
    for s in (
        PartitionedSet("bank8fm", 4500, 3692, 500, 1000),
        PartitionedSet("bank32nh", 4500, 3692, 500, 1000),
        PartitionedSet("cpusmall", 4500, 3692, 500, 1000),
        PartitionedSet("cpuact", 4500, 3692, 500, 1000),
        PartitionedSet("calhouse", 10000, 10640, 500, 2000),
        PartitionedSet("house8l", 10000, 12784, 500, 2000),
        PartitionedSet("house16h", 10000, 12784, 500, 2000),
        PartitionedSet("boston", 481, 25, 200, 200, 100),
        PartitionedSet("abalone", 3000, 1177, 200, 750, 20),
        PartitionedSet("friedman2", 200, 5000, 75, 100, 100),
        PartitionedSet("friedman3", 200, 5000, 75, 100, 100),
        PartitionedSet("kin40k", 10000, 30000, 500, 2000),
    )
}


#: Sets that are compared with other ways to learn from tables.
TABLES = (
    *("kin40k", "bank8fm", "bank32nh", "cpusmall", "cpuact", "calhouse", "house8l", "house16h"),
    *("pol", "bike", "protein_w", "abalone", "concrete", "airfoil", "kin8nm"),
)
SHARE_TO_TRAIN = 0.9


@dataclass(frozen=True)
class ClassSet:
    """A set of two classes: training and test sizes."""

    name: str
    n_training: int
    n_test: int


# SS table 1.
CLASS_SETS = {
    s.name: s
    for s in (
        ClassSet("banana", 4000, 1300),
        ClassSet("waveform", 4000, 1000),
        ClassSet("twonorm", 4000, 3400),
        ClassSet("ringnorm", 4000, 3400),
        ClassSet("splice", 2000, 1175),
        ClassSet("image", 1300, 1010),
    )
}

# Friedman (1991): noise such that the signal-to-noise ratio is three to one.
_GENERATED: dict[str, Callable[[int], tuple[Floats, Floats]]] = {
    "friedman2": lambda seed: make_friedman2(5200, noise=125.0, random_state=seed),
    "friedman3": lambda seed: make_friedman3(5200, noise=0.1, random_state=seed),
}


def load(name: str, seed: int = 0) -> DataSet:
    """Return a set; generated ones are drawn with the seed."""
    if name in _GENERATED:
        return DataSet(*_GENERATED[name](seed))
    file = data_folder() / f"{name}.parquet"
    if not file.exists():
        raise FileNotFoundError(
            f"{file} is not there: set SPARSEGP_DATA to the folder with the benchmark data"
        )
    table = pd.read_parquet(file).to_numpy(dtype=np.float64)
    return DataSet(table[:, :-1], table[:, -1])


def partition(name: str, k: int, n_training: int | None = None) -> tuple[DataSet, DataSet]:
    """Return training and test rows of the k-th partition of a paper's set.

    With ``n_training`` fewer rows are for training, and all others for the test.
    """
    spec = PAPER_SETS[name]
    data = load(name, seed=k)
    order = np.random.default_rng(k).permutation(len(data.y))
    train, test = np.split(order[: spec.n_training + spec.n_test], [n_training or spec.n_training])
    y = (data.y - data.y.mean()) / data.y.std() if name == "abalone" else data.y
    return DataSet(data.X[train], y[train]), DataSet(data.X[test], y[test])


def table_partition(name: str, k: int) -> tuple[DataSet, DataSet]:
    """Return training and test rows of the k-th partition; 90 % and 10 % if not in the papers."""
    if name in PAPER_SETS:
        return partition(name, k)
    data = load(name)
    order = np.random.default_rng(k).permutation(len(data.y))
    train, test = np.split(order, [int(SHARE_TO_TRAIN * len(order))])
    return DataSet(data.X[train], data.y[train]), DataSet(data.X[test], data.y[test])


def class_partition(name: str, k: int) -> tuple[DataSet, DataSet]:
    """Return training and test rows of the k-th partition of a set of two classes; y is ±1."""
    spec, data = CLASS_SETS[name], load(name)
    order = np.random.default_rng(k).permutation(len(data.y))
    train, test = np.split(order[: spec.n_training + spec.n_test], [spec.n_training])
    return DataSet(data.X[train], data.y[train]), DataSet(data.X[test], data.y[test])


def digits() -> tuple[DataSet, DataSet]:
    """Return the training and test rows of USPS, ten classes."""
    return load("usps_train"), load("usps_test")
