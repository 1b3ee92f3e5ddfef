"""What every method hands back: a fitted model whose seconds are taken by whoever called it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.comparison.densities import Density

__all__ = ["Fit", "FittedModel", "Task"]


@dataclass(frozen=True)
class Task:
    """Rows to learn from, and under which conditions."""

    X: pd.DataFrame  # (n, D)
    y: np.ndarray  # (n,), targets or codes of labels
    labels: bool
    seed: int
    threads: int
    seconds: float | None = None  # that a search may take: those of our own default fit

    @property
    def n_classes(self) -> int:
        """The number of classes among the training rows."""
        return int(self.y.max()) + 1

    def validation(self, share: float = 0.1) -> tuple["Task", "Task"]:
        """Return nine tenths of the rows to train, and a tenth to validate."""
        order = np.random.default_rng(self.seed).permutation(len(self.y))
        held, rest = np.split(order, [max(int(share * len(order)), 1)])
        return self.of(np.sort(rest)), self.of(held)

    def of(self, rows: np.ndarray) -> "Task":
        """Return the task of some of its rows."""
        X = self.X.iloc[rows].reset_index(drop=True)
        return Task(X, self.y[rows], self.labels, self.seed, self.threads, self.seconds)


@dataclass(frozen=True)
class FittedModel:
    """A model that predicts; a density of targets may cost further fits (``make_density``)."""

    predict: Callable[[pd.DataFrame], np.ndarray]  # means (n,), or probabilities (n, C)
    #: Fits what a density needs; returns its name, and a function of rows and their means.
    make_density: Callable[[], tuple[str, Callable[[pd.DataFrame, np.ndarray], Density]]] | None
    notes: Mapping[str, Any] = field(default_factory=dict)


Fit = Callable[[Task], FittedModel]
