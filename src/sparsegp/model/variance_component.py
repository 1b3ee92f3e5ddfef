"""Score test of a variance component: does one more kernel add to what the model explains.

Let C = K + σ²I be the covariance of the targets y, and G the matrix of another kernel, without its
diagonal. The component v·G takes the place of noise: its diagonal comes from σ². At v = 0 the slope
of the log marginal likelihood by v and its variance, if the model is right, are

    U = ½ (aᵀGa − tr C⁻¹G),  a = C⁻¹y,        I = var U = ½ tr (C⁻¹G)²

(Lin 1997). U/√I is about standard normal where the component is absent, and U/I is the first step
of a search for v. One factorisation serves any number of components. For a random intercept G has a
one for every two different rows with the same level.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import add_to_diagonal, inverse_from_lower, safe_cholesky
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.tables.rows import Rows

__all__ = ["ComponentScore", "component_scores", "intercept_scores"]


@dataclass(frozen=True)
class ComponentScore:
    """What the slope of the evidence says of a component that is not in the model yet."""

    slope: float  # U
    information: float  # I

    @property
    def deviations(self) -> float:
        """U/√I: how far the slope is from what chance makes it."""
        return self.slope / self.information**0.5 if self.information > 0.0 else 0.0

    @property
    def step(self) -> float:
        """U/I: the variance that a step of Fisher scoring gives the component."""
        return self.slope / self.information if self.information > 0.0 else 0.0


def component_scores(
    kernel: Kernel, rows: Rows, variance: float, components: Sequence[Vector]
) -> list[ComponentScore]:
    """Return the score of each component, given by its matrix (n, n), whose diagonal is left out.

    The other arguments are those of ``intercept_scores``.

    >>> from sparsegp.kernels import RBF
    >>> X = np.linspace(0.0, 10.0, 100)[:, None]
    >>> y = np.cos(0.3 * X) + np.sin(10.0 * X)
    >>> matrices = [RBF(scale)(X, X) for scale in (4.0, 0.1)]
    >>> long, short = component_scores(RBF(9.0), Rows(X, y), 0.5, matrices)
    >>> long.deviations < 3.0 < short.deviations, 0.0 < short.step < 0.5
    (True, True)
    """
    inverse, a = _inverse_and_weights(kernel, rows, variance)
    found = []
    for component in components:
        G = np.array(component)
        np.fill_diagonal(G, 0.0)
        found.append(_score(inverse @ G, float(np.vdot(a, G @ a)), rows.y.shape[1]))
    return found


def intercept_scores(
    kernel: Kernel, rows: Rows, variance: float, levels: Sequence[npt.NDArray[np.intp]]
) -> Vector:
    """Return U over its deviation for each column of levels, 0, 1, … of the rows.

    Parameters
    ----------
    kernel : Kernel
    rows : Rows
        In memory, n of them; several outputs add up.
    variance : float
        Of the noise.
    levels : sequence of ndarray of int (n,)

    Examples
    --------
    >>> from sparsegp.kernels import RBF
    >>> person = np.repeat(np.arange(20), 5)
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(100, 1)), rng.normal(size=(20, 1))[person]
    >>> other = rng.permutation(person)
    >>> intercept_scores(RBF(1.0), Rows(X, y), 1.0, [person, other]).round(1)
    array([12.7, -1.1])
    """
    inverse, a = _inverse_and_weights(kernel, rows, variance)
    return np.array([_intercept_score(inverse, a, each).deviations for each in levels])


def _inverse_and_weights(kernel: Kernel, rows: Rows, variance: float) -> tuple[Vector, Vector]:
    """Return C⁻¹ (n, n) and C⁻¹y (n, p)."""
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight
    C = add_to_diagonal(kernel(rows.X, rows.X), variance / weight)
    inverse = inverse_from_lower(safe_cholesky(C).L)
    return inverse, inverse @ rows.y


def _intercept_score(inverse: Vector, a: Vector, level: npt.NDArray[np.intp]) -> ComponentScore:
    """Return the score of one column; levels of one row say nothing."""
    order = np.argsort(level, kind="stable")
    starts = np.flatnonzero(np.diff(level[order], prepend=-1))
    place = np.empty_like(level)
    place[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(level)))
    sums = np.add.reduceat(a[order], starts, axis=0)  # (L, p), of the rows of a level
    by_level = np.add.reduceat(inverse[:, order], starts, axis=1)  # (n, L)
    M = by_level[:, place] - inverse  # (n, n), C⁻¹G
    return _score(M, float(np.sum(sums**2) - np.sum(a**2)), a.shape[1])


def _score(M: Vector, quadratic: float, n_outputs: int) -> ComponentScore:
    """Return the score from C⁻¹G (n, n) and aᵀGa, summed over the outputs."""
    slope = 0.5 * (quadratic - n_outputs * float(np.trace(M)))
    return ComponentScore(slope, 0.5 * n_outputs * float(np.vdot(M, M.T)))
