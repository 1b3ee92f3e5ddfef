"""Gaussian sites for all rows: weighted moments iterated until the posterior stands still.

Row i sees the latent function as f_i = g_i + N(0, d_i), where g_i = φ_iᵀv is what the basis
explains and d_i = k_ii − ‖φ_i‖² the rest. Its likelihood is stood in for by a Gaussian *site*
exp(−½ w_i g_i² + τ_i g_i), so that the weights v have the posterior N(β, B⁻¹) with
B = I + ΦᵀWΦ and β = B⁻¹Φᵀτ. A scheme (``schemes``) says which site a row should have under that
posterior; all sites move at once, so that a sweep is one sum over blocks of rows. A few steps
of Newton's method for the mode come first.

A row of weight s holds s equal sites. Several columns of targets (one class against the rest
each) share the features; every column has sites and a posterior of its own.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TypeVar

import numpy as np

from sparsegp.arrays import (
    Array,
    FixedPointSearch,
    Triangle,
    add_gram,
    add_to_diagonal,
    in_shares,
    mirror_lower,
    n_threads,
    row_sums_of_squares,
    safe_cholesky,
    shares_of,
    solve_lower,
    solve_lower_transposed,
)
from sparsegp.data.rows import Rows, block_size
from sparsegp.likelihoods import Probit
from sparsegp.model.approximation import Approximation
from sparsegp.model.features import Basis, residual_variances
from sparsegp.model.posterior import Posterior
from sparsegp.model.schemes import Scheme, Update, newton_site
from sparsegp.model.sites import Sites

__all__ = ["FeatureRows", "Propagated", "Slopes", "propagate"]

# Features of all rows are kept up to this many bytes, then recomputed in every sweep.
KEPT_BYTES = 512 * 2**20

NEWTON_STEPS = 8
NEWTON_TOLERANCE = 1e-2
LEAST_DAMPING = 1.0 / 32.0
ROUNDING = 1e-12

Result = TypeVar("Result")


class FeatureRows:
    """Features of rows at a basis, block by block, kept from sweep to sweep if there is room."""

    def __init__(self, basis: Basis, rows: Rows) -> None:
        self.basis, self.rows = basis, rows
        n, m = len(rows), basis.Z.shape[0]
        size = block_size(m)
        parts = [slice(start, min(start + size, n)) for start in range(0, n, size)]
        self.shares = shares_of(parts, n_threads())
        self._keep = 8 * n * m <= KEPT_BYTES
        self._kept: dict[int, tuple[Array, Array]] = {}

    def over(self, parts: Sequence[slice]) -> Iterator[tuple[slice, Array, Array]]:
        """Yield the slice, features Φ (b, m) and residual variances d (b,) of blocks."""
        for part in parts:
            made = self._kept.get(part.start)
            if made is None:
                X = self.rows.X[part]
                Phi = self.basis.features(X)
                d = np.clip(residual_variances(self.basis.kernel, X, Phi), 0.0, None)
                made = Phi, d
                if self._keep:
                    self._kept[part.start] = made
            yield part, *made

    def __len__(self) -> int:
        return len(self.rows)

    def weight(self, part: slice) -> Array:
        """Return how often each row of a block counts: (b,)."""
        if self.rows.weight is None:
            return np.ones(part.stop - part.start)
        return self.rows.weight[part]

    def add_up(self, of_share: Callable[[Sequence[slice]], Result]) -> Result:
        """Return the sum of what each thread makes of its share of the blocks."""
        return reduce(add, in_shares(of_share, self.shares))


@dataclass(frozen=True)
class Slopes:
    """Derivatives of each row's contribution to the log evidence: (n, C) each."""

    by_variance: Array  # by d
    by_bias: Array
    by_log_slope: Array

    @classmethod
    def none(cls, n: int, n_columns: int) -> "Slopes":
        """Return zeros to be filled in."""
        return cls(*(np.zeros((n, n_columns)) for _ in range(3)))

    def fill(self, part: slice, column: int, update: Update) -> None:
        """Take over what a scheme found for a block."""
        self.by_variance[part, column] = update.by_variance
        self.by_bias[part, column] = update.by_bias
        self.by_log_slope[part, column] = update.by_log_slope


@dataclass(frozen=True)
class Propagated:
    """Sites, the posteriors that follow from them, and the log evidence."""

    sites: Sites
    posteriors: tuple[Posterior, ...]  # one for each column of targets
    log_evidence: float
    n_sweeps: int
    change: float  # of the last sweep; see ``propagate``
    slopes: "Slopes"


def propagate(
    features: FeatureRows,
    probits: Sequence[Probit],
    scheme: Scheme,
    start: Sites | None = None,
    *,
    tolerance: float = 1e-4,
    max_sweeps: int = 50,
    go_on: Callable[[], bool] = lambda: True,
) -> Propagated:
    """Iterate until the posterior moves by less than ``tolerance`` in a sweep.

    The change of a sweep is the root mean square, over rows and columns, of how far the new
    site would move the row's mean, in standard deviations of its latent value plus one. Where
    it doubles, or where the evidence is a bound and falls, the step is taken back. ``go_on`` is
    asked before every sweep but the first; if not, the sites stay where they have come to.
    """
    sites = start if start is not None else _newton(features, probits, scheme, go_on)
    posteriors = _posteriors(features, sites, scheme)
    best = _sweep(features, posteriors, probits, scheme, sites)
    search, n_sweeps = FixedPointSearch(_count_of_numbers(features.rows)), 1
    proposal = search.propose(sites.vector, best.sites.vector)
    while best.change >= tolerance and n_sweeps < max_sweeps and go_on():
        step = sites.with_vector(proposal)
        reached = _posteriors(features, step, scheme)
        swept = _sweep(features, reached, probits, scheme, step)
        n_sweeps += 1
        if swept.is_worse_than(best, scheme) and search.damping > LEAST_DAMPING:
            proposal = search.retreat()
            continue
        sites, posteriors, best = step, reached, swept
        search.advance()
        proposal = search.propose(sites.vector, best.sites.vector)
    return Propagated(sites, posteriors, best.log_evidence, n_sweeps, best.change, best.slopes)


def _count_of_numbers(rows: Rows) -> Array | None:
    """Return how often each number of ``Sites.vector`` counts, or None if all do once."""
    return None if rows.weight is None else np.tile(np.repeat(rows.weight, rows.y.shape[1]), 2)


@dataclass(frozen=True)
class _Swept:
    """The sites that a posterior calls for, its log evidence, and how far they are apart."""

    sites: Sites
    log_evidence: float
    change: float
    slopes: Slopes

    def is_worse_than(self, other: "_Swept", scheme: Scheme) -> bool:
        """Tell whether a step from the other to this one should be taken back."""
        slack = ROUNDING * max(1.0, abs(other.log_evidence))
        fell = scheme.is_bound and self.log_evidence < other.log_evidence - slack
        return fell or not self.change <= 2.0 * other.change  # also if it is not a number


def _sweep(
    features: FeatureRows,
    posteriors: Sequence[Posterior],
    probits: Sequence[Probit],
    scheme: Scheme,
    old: Sites,
) -> _Swept:
    rows = features.rows
    new, slopes = Sites.none(*rows.y.shape), Slopes.none(*rows.y.shape)
    beta = np.concatenate([p.beta for p in posteriors], axis=1)  # (m, C)

    def of_share(parts: Sequence[slice]) -> Array:
        total = np.zeros(2)  # Σ local log evidence, Σ squared moves
        for part, Phi, d in features.over(parts):
            means, s = Phi @ beta, features.weight(part)  # (b, C), (b,)
            for c, probit in enumerate(probits):
                w, tau, mean = old.precision[part, c], old.shift[part, c], means[:, c]
                v = row_sums_of_squares(posteriors[c].precision.divide(Phi))
                update = scheme.update(probit, rows.y[part, c], mean, v, d, w, tau)
                new.precision[part, c], new.shift[part, c] = update.w, update.tau
                slopes.fill(part, c, update)
                move = v * (update.tau - tau - (update.w - w) * mean)
                total += s @ update.local, s @ (move**2 / (1.0 + v + d))
        return total

    local, moves = features.add_up(of_share)
    log_evidence = local + sum(scheme.log_normaliser(p) for p in posteriors)
    change = np.sqrt(moves / (rows.total_weight * rows.y.shape[1]))
    return _Swept(new, float(log_evidence), float(change), slopes)


def _newton(
    features: FeatureRows,
    probits: Sequence[Probit],
    scheme: Scheme,
    go_on: Callable[[], bool],
) -> Sites:
    """Return sites at the mode of the weights, or near it."""
    rows = features.rows
    beta = np.zeros((features.basis.Z.shape[0], rows.y.shape[1]))
    for _ in range(NEWTON_STEPS):
        sites = Sites.none(*rows.y.shape)

        def of_share(parts: Sequence[slice], beta: Array = beta, new: Sites = sites) -> float:
            for part, Phi, d in features.over(parts):
                means = Phi @ beta  # (b, C)
                for c, probit in enumerate(probits):
                    site = newton_site(probit, rows.y[part, c], means[:, c], d)
                    new.precision[part, c], new.shift[part, c] = site
            return 0.0

        features.add_up(of_share)
        last = beta
        beta = np.concatenate([p.beta for p in _posteriors(features, sites, scheme)], axis=1)
        if np.linalg.norm(beta - last) < NEWTON_TOLERANCE * np.linalg.norm(beta) or not go_on():
            break
    return sites


@dataclass(frozen=True)
class _SiteSums:
    """Φᵀ diag(s w) Φ (lower triangle) and Φᵀ s τ, for each column."""

    gram: Array  # (C, m, m)
    shift: Array  # (m, C)

    def __add__(self, other: "_SiteSums") -> "_SiteSums":
        return _SiteSums(self.gram + other.gram, self.shift + other.shift)


def _posteriors(features: FeatureRows, sites: Sites, scheme: Scheme) -> tuple[Posterior, ...]:
    """Return the posterior of each column of targets given the sites of all rows."""
    rows, m = features.rows, features.basis.Z.shape[0]
    n_columns = rows.y.shape[1]

    def of_share(parts: Sequence[slice]) -> _SiteSums:
        total = _SiteSums(np.zeros((n_columns, m, m)), np.zeros((m, n_columns)))
        for part, Phi, _ in features.over(parts):
            s = features.weight(part)[:, None]
            root = np.sqrt(s * sites.precision[part])  # (b, C)
            for c in range(n_columns):
                add_gram(total.gram[c], Phi * root[:, c, None])
            total.shift[...] += Phi.T @ (s * sites.shift[part])
        return total

    sums = features.add_up(of_share)
    return tuple(
        _solve(features.basis, sums.gram[c], sums.shift[:, c, None], scheme.rule)
        for c in range(n_columns)
    )


def _solve(basis: Basis, gram: Array, shift: Array, rule: Approximation) -> Posterior:
    L_B = safe_cholesky(add_to_diagonal(mirror_lower(gram), 1.0)).L
    beta = solve_lower_transposed(L_B, solve_lower(L_B, shift))  # (m, 1)
    return Posterior(basis, rule, Triangle.of(L_B), beta, solve_lower_transposed(basis.L, beta))
