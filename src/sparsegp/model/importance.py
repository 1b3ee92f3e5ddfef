"""How much the mean of a model varies with each of its inputs."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from sparsegp.model.policy import FEWEST_IMPORTANCE_PAIRS, IMPORTANCE_PAIRS, IMPORTANCE_VALUES

__all__ = ["importances"]

Floats = npt.NDArray[np.float64]


def importances(
    mean: Callable[[Floats], Floats], Z: Floats, groups: Sequence[Sequence[int]] | None = None
) -> Floats:
    """Return the share of each column in the variation of a function: (D,), with sum 1 or 0.

    The total Sobol index by Jansen's estimator: the mean squared change of ``mean`` (n, p) when a
    column of a row is replaced by that of another row, here for pairs of rows of ``Z`` (m, D). Of
    ``groups`` of columns those of one group are replaced together; an empty one has no share.

    >>> importances(lambda X: 3.0 * X[:, :1] + X[:, 1:2], np.eye(3)).round(2)
    array([0.9, 0.1, 0. ])
    >>> importances(lambda X: X[:, :1] + X[:, 1:2], np.eye(3), [[0, 1], [2], []]).round(2)
    array([1., 0., 0.])
    """
    groups = [[column] for column in range(Z.shape[1])] if groups is None else groups
    affordable = IMPORTANCE_VALUES // max(len(groups) * len(Z), 1)
    first, second = _pairs(len(Z), max(min(IMPORTANCE_PAIRS, affordable), FEWEST_IMPORTANCE_PAIRS))
    change = np.zeros(len(groups))
    if not len(first):
        return change
    Z = Z[np.lexsort(Z.T)]  # so that pairs do not depend on the order of selection
    before = mean(Z)[first]  # (pairs, p)
    for group, columns in enumerate(groups):
        if not len(columns):
            continue
        changed = Z[first]
        for column in columns:
            changed[:, column] = Z[second, column]
        change[group] = np.mean(np.sum((mean(changed) - before) ** 2, axis=1))
    # changes at the level of rounding are none
    scale = float(np.max(np.abs(before), initial=0.0))
    change[change <= (np.finfo(np.float64).eps * 100.0 * scale) ** 2] = 0.0
    total = float(np.sum(change))
    return change / total if total > 0.0 else change


def _pairs(n: int, most: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return pairs of different rows: all of them, or a fixed random sample of ``most``."""
    if n < 2:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    if n * (n - 1) > most:
        rng = np.random.default_rng(0)
        first = np.resize(rng.permutation(n), most)  # every row about as often
        return first, (first + rng.integers(1, n, size=most)) % n
    first, step = np.divmod(np.arange(n * (n - 1)), n - 1)
    return first, (first + step + 1) % n
