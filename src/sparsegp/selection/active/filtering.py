"""The model of the rows included so far, by assumed density filtering (SS sections 2 and 3).

Including row j adds one basis function k̃_j, the posterior covariance of f_j with every row
(SS eq. 7):

    f̂ ← f̂ + α̃_j k̃_j,    diag A ← diag A − η_j k̃_j²,    k̃_j = K_·j − Σ_t η_t k̃_t k̃_t(x_j).

The functions are kept as the rows of one matrix; M of the paper is diag(η)^½ times it. A step
(η, α̃) and a site (precision p, location m) are equivalent:

    η = p/(1 + p A_jj),    α̃ = η (m − f̂_j).

A row of weight s counts s times in every loss.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsegp.kernels.base import Vector
from sparsegp.likelihoods import Probit
from sparsegp.model.sites.gaussian_sites import Sites
from sparsegp.selection.policy import KNOWN, PART_ELEMENTS, SMALLEST_PART

__all__ = ["Filter", "Indices", "Steps", "losses_after", "row_parts"]

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Steps:
    """The steps of κ candidates."""

    eta: Vector  # (κ,), 0 ≤ η ≤ 1/A_jj
    alpha: Vector  # (κ,), α̃


class Filter:
    """The model so far.

    Attributes
    ----------
    mean, variance : arrays (n,)
        f̂ and diag A.
    belief : Belief
        Moment matching of the labels with these.
    """

    def __init__(
        self,
        prior: Vector,
        y: Vector,
        weight: Vector | None,
        likelihood: Probit,
        max_basis: int,
    ) -> None:
        n = len(y)
        self.y, self.likelihood = y, likelihood
        self.weight = np.ones(n) if weight is None else weight  # (n,)
        self.prior = np.maximum(prior, 0.0)  # (n,), k_ii
        self.mean, self.variance = np.zeros(n), self.prior.copy()
        self.belief = likelihood.moment_match(y, self.mean, self.variance)
        self._functions = np.empty((max_basis, n))  # k̃_t as rows: the only n × m array
        self._eta, self._alpha = np.zeros(max_basis), np.zeros(max_basis)
        self._precision, self._shift = np.zeros(max_basis), np.zeros(max_basis)
        self._size = 0

    @property
    def loss(self) -> float:
        """The predictive loss of all rows (SS eq. 5)."""
        return -float(self.weight @ self.belief.log_z) / float(np.sum(self.weight))

    def unknown(self) -> NDArray[np.bool_]:
        """Tell at which rows a label still adds information: (n,)."""
        return self.variance > KNOWN * self.prior

    def functions(self, at: Indices, K: Vector) -> Vector:
        """Return k̃ of the candidates ``at``, as rows: (κ, n), by one matrix product.

        ``K`` (κ, n) holds their kernel columns, as rows.
        """
        if not self._size:
            return K
        G, eta = self._functions[: self._size], self._eta[: self._size]
        explained = (eta[:, None] * G[:, at]).T @ G  # (κ, n)
        return np.subtract(K, explained, out=explained)

    def include(self, row: int, function: Vector, eta: float, alpha: float) -> None:
        """Include a row whose k̃ is ``function`` (n,) by a step."""
        t = self._size
        kept = 1.0 - eta * self.variance[row]  # remaining share of its variance
        self._precision[t] = eta / kept
        self._shift[t] = eta / kept * self.mean[row] + alpha / kept
        self._functions[t], self._eta[t], self._alpha[t] = function, eta, alpha
        self._size += 1
        self.mean += alpha * function
        self.variance -= eta * function * function
        np.maximum(self.variance, 0.0, out=self.variance)
        self.belief = self.likelihood.moment_match(self.y, self.mean, self.variance)

    def sites(self, size: int) -> Sites:
        """Return the sites of the first rows included."""
        return Sites(self._precision[:size].copy(), self._shift[:size].copy())

    def moments(self, size: int) -> tuple[Vector, Vector]:
        """Return f̂ and diag A (n,) after the first inclusions (SS eqs. 8 and 9)."""
        if size == self._size:
            return self.mean, self.variance
        G = self._functions[:size]
        lost = np.einsum("t,tn,tn->n", self._eta[:size], G, G)
        return self._alpha[:size] @ G, np.maximum(self.prior - lost, 0.0)


def row_parts(shape: tuple[int, ...]) -> Iterator[slice]:
    """Yield parts of the columns of a (κ, n) array."""
    size = max(SMALLEST_PART, PART_ELEMENTS // max(1, shape[0]))
    for start in range(0, shape[1], size):
        yield slice(start, min(start + size, shape[1]))


def losses_after(state: Filter, functions: Vector, steps: Steps, weight: Vector) -> Vector:
    """Return −Σ_i weight_i log⟨p(y_i | f_i)⟩ after each of κ steps: (κ,).

    ``functions`` holds the candidates' k̃ (κ, n); ``weight`` (n,) is zero for rows left out.
    """
    totals = np.zeros(len(functions))
    for part in row_parts(functions.shape):
        k = functions[:, part]  # (κ, b)
        mean = state.mean[part] + steps.alpha[:, None] * k
        variance = np.maximum(state.variance[part] - steps.eta[:, None] * k * k, 0.0)
        totals -= state.likelihood.log_probability(state.y[part], mean, variance) @ weight[part]
    return totals
