"""The density of a library that predicts a mean: normal, or by heads of its own."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from benchmarks.comparison.densities import LEVELS, SMALLEST_GAP, Density, FromQuantiles, Normal
from benchmarks.comparison.fitted import Task

__all__ = ["NORMAL", "Heads", "Means", "better_density", "quantile_heads"]

Rows = pd.DataFrame
Means = Callable[[Rows], np.ndarray]
#: From rows, their means and the deviation of errors on validation rows to densities.
Heads = Callable[[Rows, np.ndarray, float], Density]
NORMAL = "normal, one variance"


def better_density(
    task: Task, point: Callable[[Task], Means], heads: Callable[[Task], Heads] | None, name: str
) -> tuple[str, Callable[[Rows, np.ndarray], Density]]:
    """Return the density that is the higher one on a tenth of the rows, learned from the others.

    Heads stay those of nine tenths of the rows; the mean of the normal is that of all rows.
    """
    rest, held = task.validation()
    mean = point(rest)(held.X)
    deviation = max(float(np.sqrt(np.mean((held.y - mean) ** 2))), 1e-9)

    def normal(_: Rows, at: np.ndarray) -> Density:
        return Normal(at, np.full(len(at), deviation))

    if heads is None:
        return NORMAL, normal
    fitted = heads(rest)

    def headed(X: Rows, at: np.ndarray) -> Density:
        return fitted(X, at, deviation)

    here, there = (np.mean(d(held.X, mean).log_density(held.y)) for d in (normal, headed))
    return (name, headed) if there > here else (NORMAL, normal)


def quantile_heads(fit: Callable[[Task, float], Means]) -> Callable[[Task], Heads]:
    """Return heads that fit a model for each quantile."""

    def heads(task: Task) -> Heads:
        models = [fit(task, level) for level in LEVELS]

        def density(X: Rows, _: np.ndarray, deviation: float) -> Density:
            values = np.stack([model(X) for model in models], axis=1)
            return FromQuantiles(values, SMALLEST_GAP * deviation)

        return density

    return heads
