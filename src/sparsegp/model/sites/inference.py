"""Gaussian sites for all rows, iterated to a fixed point (EP or variational inference).

The latent function at row i is f_i = g_i + N(0, d_i), where g_i = φ_iᵀv is what the basis explains
and d_i = k_ii − ‖φ_i‖² the residual variance. Its likelihood is approximated by a Gaussian *site*
exp(−½ w_i g_i² + τ_i g_i), so that the weights v have the posterior N(β, B⁻¹) with
B = I + ΦᵀWΦ and β = B⁻¹Φᵀτ. A scheme (``updates``) gives the site of a row under that posterior;
all sites are updated in parallel, so that a sweep is one sum over blocks of rows. A few steps of
Newton's method to the mode come first.

A row of weight s has s equal sites. Several columns of targets (one class against the rest each)
share the features; every column has its own sites and posterior.

All sites are held in memory, two numbers for each row and column, and updated on the host: of rows
on a device the features and the sums over them are there. A part of out-of-core rows gets
the sites of its rows with each pass, and can be repeated if its worker is lost.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from sparsegp.arrays import (
    AndersonAcceleration,
    Array,
    Triangle,
    add_gram,
    add_to_diagonal,
    mirror_lower,
    namespace,
    row_sums_of_squares,
    safe_cholesky,
    solve_lower,
    solve_lower_transposed,
    to_numpy,
)
from sparsegp.arrays.placement import beside
from sparsegp.likelihoods import Probit
from sparsegp.model.approximation import Approximation
from sparsegp.model.feature_rows import AnyFeatureRows, FeatureRows, PassResult
from sparsegp.model.features import Basis
from sparsegp.model.policy import (
    LEAST_DAMPING,
    NEWTON_STEPS,
    NEWTON_TOLERANCE,
    ROUNDING_OF_BOUND,
)
from sparsegp.model.posterior import Posterior
from sparsegp.model.sites.gaussian_sites import Sites
from sparsegp.model.sites.updates import Scheme, Update, newton_site

__all__ = ["InferredSites", "SiteDerivatives", "infer_sites"]


@dataclass(frozen=True)
class SiteDerivatives:
    """Derivatives of each row's contribution to the log evidence: (n, C) each."""

    by_variance: Array  # by d
    by_bias: Array
    by_log_slope: Array

    @classmethod
    def none(cls, n: int, n_columns: int) -> "SiteDerivatives":
        """Return zeros to be filled in."""
        return cls(*(np.zeros((n, n_columns)) for _ in range(3)))

    def fill(self, part: slice, column: int, update: Update) -> None:
        """Store the derivatives of a block."""
        self.by_variance[part, column] = update.by_variance
        self.by_bias[part, column] = update.by_bias
        self.by_log_slope[part, column] = update.by_log_slope


@dataclass(frozen=True)
class InferredSites:
    """Sites at (or near) a fixed point, their posteriors and the log evidence."""

    sites: Sites
    posteriors: tuple[Posterior, ...]  # one for each column of targets
    log_evidence: float
    n_sweeps: int
    change: float  # of the last sweep; see ``infer_sites``
    derivatives: SiteDerivatives  # empty for out-of-core rows


def infer_sites(
    features: AnyFeatureRows,
    probits: Sequence[Probit],
    scheme: Scheme,
    start: Sites | None = None,
    *,
    tolerance: float = 1e-4,
    max_sweeps: int = 50,
    go_on: Callable[[], bool] = lambda: True,
) -> InferredSites:
    """Iterate until the posterior moves by less than ``tolerance`` in a sweep.

    The change of a sweep is the root mean square, over rows and columns, of how far the new
    site would move the row's mean, in units of √(1 + variance of its latent value). If it
    doubles, or if the evidence is a lower bound and decreases, the step is damped and repeated.
    ``go_on`` is called before every sweep but the first and ends the iteration if it is false.
    """
    sites = start if start is not None else _newton(features, probits, scheme, go_on)
    posteriors = _posteriors(features, sites, scheme)
    best = _sweep(features, posteriors, probits, scheme, sites)
    search, n_sweeps = AndersonAcceleration(_coordinate_weights(features, len(probits))), 1
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
    return InferredSites(
        sites, posteriors, best.log_evidence, n_sweeps, best.change, best.derivatives
    )


def _coordinate_weights(features: AnyFeatureRows, n_columns: int) -> Array | None:
    """Return the weights of the elements of ``Sites.vector``, or None if all are one."""
    weight = features.weights
    return None if weight is None else np.tile(np.repeat(weight, n_columns), 2)


@dataclass(frozen=True)
class _Sweep:
    """The sites updated under a posterior, its log evidence, and how far the sites moved."""

    sites: Sites
    log_evidence: float
    change: float
    derivatives: SiteDerivatives

    def is_worse_than(self, other: "_Sweep", scheme: Scheme) -> bool:
        """Tell whether a step from the other to this one should be rejected."""
        slack = ROUNDING_OF_BOUND * max(1.0, abs(other.log_evidence))
        fell = scheme.is_bound and self.log_evidence < other.log_evidence - slack
        return fell or not self.change <= 2.0 * other.change  # also if it is NaN


def _sweep(
    features: AnyFeatureRows,
    posteriors: Sequence[Posterior],
    probits: Sequence[Probit],
    scheme: Scheme,
    old: Sites,
) -> _Sweep:
    beta = _weights_of(posteriors)
    factors = [p.precision for p in posteriors]
    work = partial(_updated, beta, factors, probits, scheme, not features.is_out_of_core)
    passed = features.run_pass(work, old.precision, old.shift)
    local, moves = passed.total
    precision, shift, *derivatives = passed.by_row
    log_evidence = local + sum(scheme.log_normaliser(p) for p in posteriors)
    change = np.sqrt(moves / (features.rows.total_weight * len(probits)))
    found = SiteDerivatives(*derivatives) if derivatives else SiteDerivatives.none(0, len(probits))
    return _Sweep(Sites(precision, shift), float(log_evidence), float(change), found)


def _updated(
    beta: Array,
    factors: Sequence[Triangle],
    probits: Sequence[Probit],
    scheme: Scheme,
    with_derivatives: bool,
    features: FeatureRows,
    precision: Array,
    shift: Array,
) -> PassResult:
    """Return Σ local log evidence and Σ squared moves; updated sites and their derivatives."""
    y, new = features.targets, Sites.none(*shift.shape)
    derivatives = SiteDerivatives.none(*shift.shape)

    def of_share(parts: Sequence[slice]) -> Array:
        total = np.zeros(2)
        for part, Phi, d in features.over(parts):
            means, s = to_numpy(Phi @ beta), features.weight(part)  # (b, C), (b,)
            for c, probit in enumerate(probits):
                w, tau, mean = precision[part, c], shift[part, c], means[:, c]
                v = to_numpy(row_sums_of_squares(factors[c].divide(Phi)))
                update = scheme.update(probit, y[part, c], mean, v, d, w, tau)
                new.precision[part, c], new.shift[part, c] = update.w, update.tau
                derivatives.fill(part, c, update)
                move = v * (update.tau - tau - (update.w - w) * mean)
                total += s @ update.local, s @ (move**2 / (1.0 + v + d))
        return total

    total = features.reduce(of_share)
    also = tuple(vars(derivatives).values()) if with_derivatives else ()
    return PassResult(total, ((new.precision, new.shift, *also),))


def _newton(
    features: AnyFeatureRows,
    probits: Sequence[Probit],
    scheme: Scheme,
    go_on: Callable[[], bool],
) -> Sites:
    """Return sites at or near the mode of the weights."""
    beta = _zeros(features.basis.Z, len(probits))
    for _ in range(NEWTON_STEPS):
        passed = features.run_pass(partial(_newton_sites, beta, probits))
        sites, last = Sites(*passed.by_row), beta
        posteriors = _solve_columns(features.basis, passed.total, scheme)
        beta = _weights_of(posteriors)
        norm = namespace(beta).linalg.vector_norm
        if float(norm(beta - last)) < NEWTON_TOLERANCE * float(norm(beta)) or not go_on():
            break
    return sites


def _newton_sites(beta: Array, probits: Sequence[Probit], features: FeatureRows) -> PassResult:
    """Return the Laplace sites of the labels at weights beta, and their sums."""
    y, new = features.targets, Sites.none(len(features), len(probits))

    def of_share(parts: Sequence[slice]) -> _SiteSums:
        total = _SiteSums.none(features.basis, len(probits))
        for part, Phi, d in features.over(parts):
            means = to_numpy(Phi @ beta)  # (b, C)
            for c, probit in enumerate(probits):
                site = newton_site(probit, y[part, c], means[:, c], d)
                new.precision[part, c], new.shift[part, c] = site
            total.include(Phi, features.weight(part), new.precision[part], new.shift[part])
        return total

    return PassResult(features.reduce(of_share), ((new.precision, new.shift),))


def _weights_of(posteriors: Sequence[Posterior]) -> Array:
    """Return the means of the whitened weights of all columns: (m, C)."""
    return namespace(posteriors[0].beta).concat([p.beta for p in posteriors], axis=1)


def _zeros(Z: Array, n_columns: int) -> Array:
    return namespace(Z).zeros((Z.shape[0], n_columns), dtype=Z.dtype, device=Z.device)


@dataclass
class _SiteSums:
    """Φᵀ diag(s w) Φ (lower triangle) and Φᵀ s τ, for each column."""

    gram: list[Array]  # C of (m, m)
    shift: Array  # (m, C)

    @classmethod
    def none(cls, basis: Basis, n_columns: int) -> "_SiteSums":
        """Return sums of zero, where the basis is."""
        Z = basis.Z
        return cls([_zeros(Z, Z.shape[0]) for _ in range(n_columns)], _zeros(Z, n_columns))

    def include(self, Phi: Array, weight: Array, precision: Array, shift: Array) -> None:
        """Add a block of rows with features Φ (b, m), weights (b,) and sites (b, C)."""
        s = weight[:, None]
        root = beside(np.sqrt(s * precision), like=Phi)  # (b, C)
        for c, gram in enumerate(self.gram):
            self.gram[c] = add_gram(gram, Phi * root[:, c, None])
        self.shift = self.shift + Phi.T @ beside(s * shift, like=Phi)

    def __add__(self, other: "_SiteSums") -> "_SiteSums":
        gram = [a + b for a, b in zip(self.gram, other.gram, strict=True)]
        return _SiteSums(gram, self.shift + other.shift)


def _posteriors(features: AnyFeatureRows, sites: Sites, scheme: Scheme) -> tuple[Posterior, ...]:
    """Return the posterior of each column of targets given the sites of all rows."""
    sums = features.run_pass(_summed, sites.precision, sites.shift).total
    return _solve_columns(features.basis, sums, scheme)


def _summed(features: FeatureRows, precision: Array, shift: Array) -> PassResult:
    """Return the sums over rows that determine the posteriors."""

    def of_share(parts: Sequence[slice]) -> _SiteSums:
        total = _SiteSums.none(features.basis, shift.shape[1])
        for part, Phi, _ in features.over(parts):
            total.include(Phi, features.weight(part), precision[part], shift[part])
        return total

    return PassResult(features.reduce(of_share), ())


def _solve_columns(basis: Basis, sums: _SiteSums, scheme: Scheme) -> tuple[Posterior, ...]:
    return tuple(
        _solve(basis, gram, sums.shift[:, c : c + 1], scheme.rule)
        for c, gram in enumerate(sums.gram)
    )


def _solve(basis: Basis, gram: Array, shift: Array, rule: Approximation) -> Posterior:
    L_B = safe_cholesky(add_to_diagonal(mirror_lower(gram), 1.0)).L
    beta = solve_lower_transposed(L_B, solve_lower(L_B, shift))  # (m, 1)
    return Posterior(basis, rule, Triangle.of(L_B), beta, solve_lower_transposed(basis.L, beta))
