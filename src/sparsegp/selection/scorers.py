"""Scores of the candidates of a working set, by log posterior and by marginal likelihood.

Scores are lower for better candidates. A scorer caches one row of values for each slot of the
working set: ``fill`` computes those of fresh candidates from scratch, ``update`` updates the others
after an addition in O(n) each, and both give the same values up to rounding.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sparsegp.arrays import row_sums_of_squares
from sparsegp.kernels.base import Vector
from sparsegp.selection.criteria import GAINS, MEASURES, Schur, empty_basis_value
from sparsegp.selection.projection import Addition, Projection, subtract_outer
from sparsegp.tables.rows import Rows

__all__ = ["CachedSchur", "MatchingPursuit", "PosteriorOrEvidence", "Scorer"]


class Scorer(Protocol):
    """Scores of the candidates in a working set of c slots."""

    def fill(self, places: NDArray[np.intp], at: NDArray[np.intp]) -> None:
        """Compute the values of the candidates at the rows ``at``, for the slots ``places``."""

    def update(self, added: Addition) -> None:
        """Update all slots after a candidate was added to the model."""

    def exhausted(self) -> NDArray[np.bool_]:
        """Tell which slots have lost precision and need to be filled again: (c,)."""

    def scores(self) -> Vector:
        """Return a score for each slot, infinite for unusable candidates: (c,)."""

    def value(self, score: float, added: Addition) -> float:
        """Return the measure after adding the candidate with this score."""


class CachedSchur:
    """The rows of the candidates in the c slots, and their Schur complements."""

    def __init__(self, model: Projection, n_places: int) -> None:
        self.at = np.zeros(n_places, dtype=np.intp)
        zeros = (np.zeros(n_places) for _ in range(5))  # an unfilled slot has s = 0
        self.left = Schur(np.zeros((n_places, model.y.shape[1])), *zeros)

    def fill(self, places: NDArray[np.intp], at: NDArray[np.intp], left: Schur) -> None:
        """Put candidates into slots."""
        self.at[places] = at
        for mine, given in zip(vars(self.left).values(), vars(left).values(), strict=True):
            mine[places] = given

    def eliminate(self, S_column: Vector, added: Addition) -> None:
        """Eliminate the added candidate; S_column (c,) holds its S̃_jl with all slots."""
        left, part = self.left, S_column / added.left.s[0]  # (c,)
        left.r -= part[:, None] * added.left.r  # (c, p)
        left.s -= part * S_column
        left.k -= added.pi[self.at] ** 2 / added.left.k[0]

    def exhausted(self) -> NDArray[np.bool_]:
        """Tell which candidates are not duplicates, but have an imprecise s: (c,)."""
        return self.left.independent() & ~self.left.usable()


class MatchingPursuit:
    """½ r_j²/S_jj (KC eq. 8): needs the kernel columns and the model's error, and no factor."""

    def __init__(self, model: Projection, rows: Rows, n_places: int) -> None:
        self._model = model
        self._at = np.zeros(n_places, dtype=np.intp)
        self._K = np.zeros((n_places, len(model.X)))  # (c, n)
        self._S_diagonal = np.ones(n_places)
        self._value = empty_basis_value("matching_pursuit", rows, model.variance)

    def fill(self, places: NDArray[np.intp], at: NDArray[np.intp]) -> None:
        """Compute the kernel columns of fresh candidates."""
        self._at[places] = at
        self._K[places] = K = self._model.columns(at)  # (κ, n)
        squares = np.einsum("ij,ij->i", K, self._model.weighted(K))  # (κ,)
        self._S_diagonal[places] = squares + self._model.variance * self._model.prior[at]

    def update(self, added: Addition) -> None:
        """Do nothing: only the model's error changes."""

    def exhausted(self) -> NDArray[np.bool_]:
        """Return False for all: nothing is downdated, so no precision is lost."""
        return np.zeros(len(self._at), dtype=np.bool_)

    def scores(self) -> Vector:
        """Return minus the gains: (c,)."""
        model = self._model
        weighted = model.weight[:, None] * model.error  # (n, p)
        r = self._K @ weighted - model.variance * model.mean[self._at]  # (c, p)
        return np.asarray(-0.5 * row_sums_of_squares(r) / self._S_diagonal)

    def value(self, score: float, added: Addition) -> float:
        """Return π̃ after the addition, minimised over all weights."""
        self._value -= float(MEASURES["matching_pursuit"](added.left, self._model.variance)[0])
        return self._value


class PosteriorOrEvidence:
    """The exact gains of the log posterior and of the evidence; π_j and x_j are cached."""

    def __init__(
        self, criterion: str, model: Projection, rows: Rows, n_places: int, max_basis: int
    ) -> None:
        self._gain, self._model = GAINS[criterion], model
        self._lines = CachedSchur(model, n_places)
        self._Pi = np.zeros((n_places, len(model.X)))  # (c, n)
        self._x = np.zeros((n_places, max_basis))  # (c, m)
        self._value = empty_basis_value(criterion, rows, model.variance)

    def fill(self, places: NDArray[np.intp], at: NDArray[np.intp]) -> None:
        """Evaluate fresh candidates."""
        seen = self._model.evaluate(at)
        self._lines.fill(places, at, seen.left)
        self._Pi[places] = seen.Pi
        self._x[places, : self._model.size] = seen.x

    def update(self, added: Addition) -> None:
        """Eliminate the added candidate l: S̃_jl = σ²π_jl + π_jᵀWπ_l − x_jᵀx_l, O(n) each."""
        m, s, k = len(added.x), added.left.s[0], added.left.k[0]
        pi_l = added.pi[self._lines.at]  # (c,): π_jl
        S_column = self._model.variance * pi_l + self._Pi @ added.W_pi  # (c,)
        S_column -= self._x[:, :m] @ added.x
        along = pi_l / k  # (c,)
        subtract_outer(self._Pi, along, added.pi)  # (c, n)
        subtract_outer(self._x[:, :m], along, added.x)  # (c, m)
        self._x[:, m] = (S_column - along * s) / np.sqrt(s)  # ζ_lᵀ W π_j, of the new π_j
        self._lines.eliminate(S_column, added)

    def exhausted(self) -> NDArray[np.bool_]:
        """Tell which slots need to be filled again."""
        return self._lines.exhausted()

    def scores(self) -> Vector:
        """Return minus the gains: (c,)."""
        left = self._lines.left
        with np.errstate(divide="ignore", invalid="ignore"):  # of unusable candidates
            return np.where(left.usable(), -self._gain(left, self._model.variance), np.inf)

    def value(self, score: float, added: Addition) -> float:
        """Return the measure after the addition."""
        self._value += score
        return self._value
