"""The model of the basis vectors chosen so far, with values for every row.

With u the chosen candidates, S_uu = K_u· W K_·u + σ²K_uu = L Lᵀ and K_uu = G Gᵀ, two matrices are
kept and grow by a column with each addition (appendix of SKS, whose A is S/σ² and whose ζ is σ
times ours):

    ζ = K_xu L⁻ᵀ,    ν = K_xu G⁻ᵀ.

From them follow, row by row, the leverage η = Σ ζ², the explained prior variance q = Σ ν² and the
mean μ. For a candidate j, which is row j, with K_j its kernel column and ν_j that row of ν,

    π_j = K_j − ν ν_j,      k_j = K_jj − q_j,
    x_j = ζᵀ W π_j,         s_j = σ²k_j + π_jᵀ W π_j − x_jᵀ x_j,
    ρ_j = π_j − ζ x_j,      r_j = π_jᵀ W (y − μ).

This is the appendix with π in the place of K, which keeps its precision when k_j is small and needs
no triangular solve. Adding j appends ρ_j/√s_j to ζ and π_j/√k_j to ν, and moves μ by ρ_j r_j/s_j.
Candidates that are not training rows are appended as rows of weight zero.

For FITC a row has the noise λ_i = σ² + K_ii − q_i. With weights s_i/λ_i in W and one in the place
of σ² the formulas are the same (SKS section 3.3), until an addition lowers λ of all rows: ζ, η and
μ are then computed anew from ν.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsegp.arrays import (
    Array,
    add_to_diagonal,
    row_sums_of_squares,
    safe_cholesky,
    solve_lower,
)
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.model.approximation import DTC, Approximation
from sparsegp.selection.criteria import Schur
from sparsegp.selection.kernel_rows import KernelRows
from sparsegp.selection.policy import DUPLICATE, EXHAUSTED, OUTER_BLOCK
from sparsegp.tables.rows import Rows

__all__ = [
    "Addition",
    "Candidates",
    "Projection",
    "condition_rows",
    "row_noise",
    "subtract_outer",
]


@dataclass(frozen=True)
class Candidates:
    """κ candidates conditioned on the chosen ones."""

    Pi: Vector  # (κ, n)
    x: Vector  # (κ, m)
    left: Schur  # of κ candidates


@dataclass(frozen=True)
class Addition:
    """The candidate that was just added, as it was before the addition."""

    pi: Vector  # (n,)
    W_pi: Vector  # (n,)
    x: Vector  # (m,)
    rho: Vector  # (n,)
    left: Schur  # of this one candidate


def subtract_outer(A: Vector, a: Vector, b: Vector) -> None:
    """Subtract a bᵀ from A (c, n) in place, some rows at a time so that it stays in cache."""
    size = max(1, OUTER_BLOCK // max(1, len(b)))
    for start in range(0, len(a), size):
        A[start : start + size] -= a[start : start + size, None] * b


class Projection:
    """The model so far; rows of ``Zeta`` and ``Nu`` are the columns of ζ and ν."""

    def __init__(
        self,
        kernel: Kernel,
        rows: Rows,
        candidates: Array | None,
        variance: float,
        max_basis: int,
        rule: Approximation = DTC,
        cache_bytes: int = 0,
    ) -> None:
        own = candidates is None  # the rows themselves
        self.n_training = len(rows)
        self.first_candidate = 0 if own else len(rows)
        n_extra = 0 if candidates is None else len(candidates)
        self.kernel, self.noise_variance, self.rule = kernel, variance, rule
        self.variance = 1.0 if rule.in_noise else variance  # the factor of K in S
        self.X = rows.X if candidates is None else np.concatenate((rows.X, candidates))  # (n, D)
        self.y = np.concatenate((rows.y, np.zeros((n_extra, rows.y.shape[1]))))  # (n, p)
        weight = np.ones(len(rows)) if rows.weight is None else rows.weight
        self.count = np.concatenate((weight, np.zeros(n_extra)))  # (n,): s
        self.weight = self.count  # (n,): W
        self._unweighted = own and rows.weight is None and not rule.in_noise
        n = len(self.X)
        self.prior = np.asarray(kernel.diagonal(self.X))  # (n,)
        self._kernel_rows = KernelRows(n, n, cache_bytes)
        self._Zeta = np.empty((max_basis, n))
        self._Nu = np.empty((max_basis, n))
        self.size = 0
        self.eta = np.zeros(n)
        self.q = np.zeros(n)
        self.mean = np.zeros_like(self.y)  # (n, p)
        if rule.in_noise:
            self._reweight()

    @property
    def left_out_share(self) -> Vector:
        """What leaves with a row, in units of 1/η: t = min(s, 1), over λ for FITC: (n,)."""
        part = np.minimum(self.count, 1.0)
        return part / row_noise(self) if self.rule.in_noise else part

    @property
    def Zeta(self) -> Vector:
        """ζᵀ: (m, n)."""
        return self._Zeta[: self.size]

    @property
    def Nu(self) -> Vector:
        """νᵀ: (m, n)."""
        return self._Nu[: self.size]

    @property
    def error(self) -> Vector:
        """The training error y − μ: (n, p)."""
        return self.y - self.mean

    def weighted(self, A: Vector) -> Vector:
        """Return A W for A (κ, n); A itself if all weights are one."""
        return A if self._unweighted else A * self.weight

    def columns(self, at: NDArray[np.intp]) -> Vector:
        """Return the kernel columns of the candidates at some rows, as rows: (κ, n)."""
        return self._kernel_rows.take(at, lambda new: np.asarray(self.kernel(self.X[new], self.X)))

    def evaluate(self, at: NDArray[np.intp]) -> Candidates:
        """Evaluate the candidates at some rows: two products over the rows."""
        Pi = self.columns(at)  # (κ, n)
        if self.size:
            explained = self.Nu[:, at].T @ self.Nu  # (κ, n)
            Pi = np.subtract(Pi, explained, out=explained)
        W_Pi = self.weighted(Pi)
        x = W_Pi @ self.Zeta.T  # (κ, m)
        k = self.prior[at] - self.q[at]  # (κ,)
        before = self.variance * k + np.einsum("ij,ij->i", Pi, W_Pi)  # (κ,)
        s = before - row_sums_of_squares(x)
        r = W_Pi @ self.error  # (κ, p)
        unknown = np.full(len(at), np.nan)  # S_jj, which only matching pursuit needs
        left = Schur(r, s, k, unknown, self.prior[at], EXHAUSTED * before)
        return Candidates(Pi, x, left)

    def rho(self, seen: Candidates) -> Vector:
        """Return ρ_j = π_j − ζ x_j as rows: (κ, n)."""
        if not self.size:
            return seen.Pi.copy()
        explained = seen.x @ self.Zeta  # (κ, n)
        return np.subtract(seen.Pi, explained, out=explained)

    def duplicates(self) -> NDArray[np.bool_]:
        """Tell which candidates the basis already explains: (N,)."""
        prior = self.prior[self.first_candidate :]
        return np.asarray(prior - self.q[self.first_candidate :] <= DUPLICATE * prior)

    def add(self, row: int) -> Addition | None:
        """Add the candidate at a row; return None without a change if it is a duplicate."""
        seen = self.evaluate(np.array([row]))
        if not seen.left.usable()[0]:
            return None
        pi, rho, left = seen.Pi[0], self.rho(seen)[0], seen.left
        zeta, nu = self._Zeta[self.size], self._Nu[self.size]
        np.divide(rho, np.sqrt(left.s[0]), out=zeta)
        np.divide(pi, np.sqrt(left.k[0]), out=nu)
        self.size += 1
        self.eta += zeta * zeta
        self.q += nu * nu
        self.mean += rho[:, None] * (left.r / left.s)  # (n, p)
        added = Addition(pi, self.weighted(pi), seen.x[0], rho, left)
        if self.rule.in_noise:
            self._reweight()
        return added

    def _reweight(self) -> None:
        """Give rows their noise, and compute ζ, η and μ with it."""
        self.weight = self.count / row_noise(self)
        if not self.size:
            return
        self._Zeta[: self.size], self.mean = condition_rows(self.Nu, self.weight, self.y)
        self.eta = np.einsum("ij,ij->j", self.Zeta, self.Zeta)


def row_noise(model: Projection, explained: Vector | float = 0.0) -> Vector:
    """Return λ = σ² + K_ii − q_i of FITC when a further part of the variance is explained: (n,)."""
    rest = model.prior - model.q - explained
    return np.asarray(np.maximum(rest, 0.0, out=rest) + model.noise_variance)


def condition_rows(Nu: Vector, weight: Vector, y: Vector) -> tuple[Vector, Vector]:
    """Return ζᵀ (m, n) and the mean (n, p) of rows with features νᵀ (m, n) and precisions (n,)."""
    A = Nu * np.sqrt(weight)  # (m, n)
    L = safe_cholesky(add_to_diagonal(A @ A.T, 1.0)).L  # (m, m), of I + νᵀWν
    Zeta = solve_lower(L, Nu)  # (m, n)
    return Zeta, Zeta.T @ (Zeta @ (weight[:, None] * y))
