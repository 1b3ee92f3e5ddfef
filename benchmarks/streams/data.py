"""The streams: rows in the order in which they arrive.

Generated ones are those of ``river.datasets.synth``; a seed is that of the generator. Of the files
in ``SPARSEGP_DATA`` the first rows are taken, kin40k and usps in an order by ``default_rng(seed)``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.datasets import data_folder

__all__ = ["STREAMS", "Stream", "load"]


@dataclass(frozen=True)
class Stream:
    """A stream: how it is made, and what is known about it."""

    title: str
    n_rows: int
    make: Callable[[int, int], tuple[np.ndarray, np.ndarray]]  # of the number of rows and a seed
    is_labels: bool = False
    n_seeds: int = 1
    in_time: bool = False  # whether the last target tells something about the next


def load(name: str, n_rows: int | None, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and targets of a stream."""
    stream = STREAMS[name]
    return stream.make(min(n_rows or stream.n_rows, stream.n_rows), seed)


def _file(name: str, *, shuffled: bool = False) -> Callable[[int, int], Any]:
    def make(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        names = ("usps_train", "usps_test") if name == "usps" else (name,)
        table = pd.concat([pd.read_parquet(data_folder() / f"{one}.parquet") for one in names])
        X, y = table.iloc[:, :-1].to_numpy(np.float64), table.iloc[:, -1].to_numpy()
        order = np.random.default_rng(seed).permutation(len(X)) if shuffled else np.arange(len(X))
        labels = name == "usps"
        return X[order[:n]], y[order[:n]].astype(np.int64 if labels else np.float64)

    return make


def _rows(generator: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    rows = list(islice(iter(generator), n))
    X = np.array([list(x.values()) for x, _ in rows], dtype=np.float64)
    return X, np.array([y for _, y in rows])


def _sea(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Four concepts one after the other, a tenth of the labels wrong."""
    from river.datasets import synth

    quarter = -(-n // 4)
    parts = [synth.SEA(variant=v, noise=0.1, seed=seed + v).take(quarter) for v in (0, 3, 1, 2)]
    return _rows(chain(*parts), n)


def _hyperplane(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    from river.datasets import synth

    made = synth.Hyperplane(seed=seed, n_features=10, n_drift_features=5, mag_change=0.001)
    return _rows(made, n)


def _led(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Seven segments that are wrong in a tenth of the cases, 17 columns that tell nothing."""
    from river.datasets import synth

    quarter = -(-n // 4)
    parts = [
        synth.LEDDrift(
            seed=seed, noise_percentage=0.1, irrelevant_features=True, n_drift_features=drift
        ).take(quarter)
        for drift in (0, 3, 1, 7)
    ]
    return _rows(chain(*parts), n)


def _friedman(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Local and expanding abrupt drift, at the quarters."""
    from river.datasets import synth

    at = (n // 4, n // 2, 3 * n // 4)
    return _rows(synth.FriedmanDrift(drift_type="lea", position=at, seed=seed), n)


STREAMS = {
    "beijing_pm25": Stream("air quality in Beijing", 41_757, _file("beijing_pm25"), in_time=True),
    "houseelectric": Stream("power of a household", 200_000, _file("houseelectric"), in_time=True),
    "co2": Stream("carbon dioxide on Mauna Loa", 2_225, _file("co2"), in_time=True),
    "kin40k": Stream("kin40k in random order", 40_000, _file("kin40k", shuffled=True)),
    "friedman": Stream("Friedman with drift", 10_000, _friedman, n_seeds=5),
    "sea": Stream("SEA, abrupt", 10_000, _sea, is_labels=True, n_seeds=5),
    "hyperplane": Stream("hyperplane, gradual", 10_000, _hyperplane, is_labels=True, n_seeds=5),
    "led": Stream("LED with drift", 10_000, _led, is_labels=True, n_seeds=5),
    "usps": Stream("digits in random order", 9_298, _file("usps", shuffled=True), is_labels=True),
}
