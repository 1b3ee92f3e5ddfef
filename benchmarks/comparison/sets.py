"""The tables of the comparison: public ones, scikit-learn's own, and generated ones.

No default was made for all of them: 150 to two million rows, numbers, strings, categories and
missing values. A split is a permutation by ``default_rng(split)``; a fifth of the rows, at most
10,000, is for the test. Numerical targets are divided by their standard deviation in the training
rows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn import datasets

from benchmarks.datasets import load
from benchmarks.mixed_tables import raw_table

__all__ = ["CLASSIFICATION", "REGRESSION", "SETS", "Split", "split"]

SHARE_TO_TEST = 0.2
MOST_TEST_ROWS = 10_000

Table = tuple[pd.DataFrame, np.ndarray]


@dataclass(frozen=True)
class Split:
    """Rows to train and to test; labels are codes from 0 on."""

    X: pd.DataFrame  # (n, D)
    y: np.ndarray  # (n,)
    X_test: pd.DataFrame
    y_test: np.ndarray
    labels: bool


def _numbers(name: str) -> Table:
    """Return a file of numbers, or a generated set with noise in all rows."""
    table = load(name)
    return _frame(table.X), table.y


def _frame(X: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(X, columns=[f"x{i + 1}" for i in range(X.shape[1])])


def _circuit(name: str) -> Table:
    """Return 1,000 of Friedman's circuits (datasets.load), with his noise."""
    table, rng = load(name, seed=0), np.random.default_rng(0)
    y = table.y + table.y.std() / 3.0 * rng.standard_normal(len(table.y))
    return _frame(table.X[:1_000]), y[:1_000]


def _usps() -> Table:
    parts = load("usps_train"), load("usps_test")
    return _frame(np.vstack([part.X for part in parts])), np.concatenate([p.y for p in parts])


def _own(table: tuple[np.ndarray, np.ndarray]) -> Table:
    return _frame(table[0]), table[1]


#: How the tables that are not files of numbers are made.
MAKERS: Mapping[str, Callable[[], Table]] = {
    "friedman1": lambda: _own(datasets.make_friedman1(2_000, noise=1.0, random_state=0)),
    "friedman2": lambda: _circuit("friedman2"),
    "friedman3": lambda: _circuit("friedman3"),
    "diabetes": lambda: _own(datasets.load_diabetes(return_X_y=True)),
    "linear30": lambda: _own(
        datasets.make_regression(500, 30, n_informative=10, noise=20.0, random_state=0)
    ),
    "sparse_linear": lambda: _own(datasets.make_sparse_uncorrelated(1_000, 20, random_state=0)),
    "usps": _usps,
    "iris": lambda: _own(datasets.load_iris(return_X_y=True)),
    "wine": lambda: _own(datasets.load_wine(return_X_y=True)),
    "wdbc": lambda: _own(datasets.load_breast_cancer(return_X_y=True)),
    "digits": lambda: _own(datasets.load_digits(return_X_y=True)),
    "moons": lambda: _own(datasets.make_moons(1_000, noise=0.3, random_state=0)),
    "hastie": lambda: _own(datasets.make_hastie_10_2(12_000, random_state=0)),
    "hypercube": lambda: _own(
        datasets.make_classification(
            4_000, 20, n_informative=6, n_classes=3, flip_y=0.05, random_state=0
        )
    ),
    "shells": lambda: _own(
        datasets.make_gaussian_quantiles(n_samples=3_000, n_features=5, n_classes=3, random_state=0)
    ),
}
MIXED_REGRESSION = ("slid", "wages", "medexp", "computers", "diamonds")
MIXED_CLASSES = ("hdma", "chile", "verbagg", "flchain")

#: From few rows to many.
REGRESSION = (
    *("snelson", "diabetes", "linear30", "boston", "friedman2", "friedman3", "sparse_linear"),
    *("concrete", "airfoil", "friedman1", "co2", "slid", "wages", "abalone", "sarcos_test"),
    *("medexp", "computers", "bank8fm", "bank32nh", "cpusmall", "cpuact", "kin8nm", "pol"),
    *("bike", "calhouse", "house8l", "house16h", "kin40k", "beijing_pm25", "protein_w"),
    *("keggdirected", "diamonds", "houseelectric"),
)
CLASSIFICATION = (
    *("iris", "wine", "breast_cancer", "wdbc", "moons", "flare_solar", "digits", "titanic"),
    *("image", "hdma", "chile", "shells", "splice", "hypercube", "waveform", "banana"),
    *("ringnorm", "twonorm", "verbagg", "flchain", "usps", "hastie"),
)
SETS = (*REGRESSION, *CLASSIFICATION)


def split(name: str, k: int, most_rows: int | None = None) -> Split:
    """Return the k-th split of a set, of its first rows in the order drawn with ``most_rows``."""
    X, y = _table(name)
    order = np.random.default_rng(k).permutation(len(y))[:most_rows]
    n_test = min(int(SHARE_TO_TEST * len(order)), MOST_TEST_ROWS)
    test, train = np.split(order, [n_test])
    labels = name in CLASSIFICATION
    y = np.unique(y, return_inverse=True)[1] if labels else y / np.std(y[train])
    rows, test_rows = X.iloc[train].reset_index(drop=True), X.iloc[test].reset_index(drop=True)
    return Split(rows, y[train], test_rows, y[test], labels)


def _table(name: str) -> Table:
    if name in MAKERS:
        return MAKERS[name]()
    if name in (*MIXED_REGRESSION, *MIXED_CLASSES):
        return raw_table(name)
    return _numbers(name)
