"""Checks of the contract of likelihoods, for those of this library and user-defined ones."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.likelihoods.base import Belief, Likelihood

__all__ = ["check_likelihood"]

Floats = npt.NDArray[np.float64]

MEANS = (-2.5, -0.4, 0.0, 1.7)
VARIANCES = (0.01, 0.3, 1.0, 6.0)
TAIL_MEANS = (-1e4, -300.0, -30.0, 30.0, 300.0, 1e4)
TAIL_VARIANCES = (1e-10, 1e-4, 1.0, 1e4)
STEP = 2e-3  # of the central differences, in standard deviations of the latent Gaussian
# of the integrals over the latent Gaussian, an interval; a jump inside one costs 45 halvings
QUADRATURE_NODES, ABSOLUTE_ERROR, RELATIVE_ERROR, LARGEST_DEPTH = 16, 1e-13, 1e-11, 50


def check_likelihood(
    likelihood: Likelihood, y_values: npt.ArrayLike, *, rtol: float = 1e-6
) -> None:
    """Check that a likelihood has the properties that the online models rely on.

    These are: shapes; inputs are not modified; rows are independent of each other; q and r are the
    first and second derivative of log Z with respect to the mean, and ½(r + q²) that with respect
    to the variance; the updated variance is positive; results are finite far out in the tails. If
    the likelihood has ``log_density(y, f)``, log Z is compared with adaptive quadrature of it; if
    it has ``support(y)``, that must accept these targets and refuse NaN.

    Parameters
    ----------
    likelihood : object with ``moment_match(y, mean, variance)``
    y_values : array-like (n,)
        Targets to check it on.
    rtol : float
        Largest error, relative to derivatives in units of the latent standard deviation.

    Raises
    ------
    AssertionError
        If a property does not hold; the message names the likelihood and the property.

    Examples
    --------
    >>> from sparsegp.likelihoods import Gaussian
    >>> check_likelihood(Gaussian(0.5), [0.0, 2.0])
    """
    targets = np.asarray(y_values, dtype=np.float64).ravel()
    case = _Case(likelihood, targets, *_combined(targets, MEANS, VARIANCES), rtol)
    for check in _CHECKS:
        check(case)


def _combined(targets: Floats, means: Any, variances: Any) -> tuple[Floats, Floats, Floats]:
    """Return every combination: (n,) each."""
    grids = np.meshgrid(targets, means, variances, indexing="ij")
    y, mean, variance = (grid.ravel() for grid in grids)
    return y, mean, variance


@dataclass(frozen=True)
class _Case:
    """A likelihood, and the latent Gaussians and targets it is checked on."""

    likelihood: Likelihood
    targets: Floats
    y: Floats  # (n,)
    mean: Floats  # (n,)
    variance: Floats  # (n,)
    rtol: float

    @property
    def s(self) -> Floats:
        return np.sqrt(self.variance)

    def moment_match(self, mean: Floats | None = None, variance: Floats | None = None) -> Belief:
        return self.likelihood.moment_match(
            self.y.copy(),
            (self.mean if mean is None else mean).copy(),
            (self.variance if variance is None else variance).copy(),
        )

    def require(self, holds: Any, claim: str, found: str = "") -> None:
        if np.all(holds):
            return
        if np.ndim(holds):  # one result per row
            i = int(np.flatnonzero(~np.asarray(holds))[0])
            latent = f"N({self.mean[i]:g}, {self.variance[i]:g})"
            found = f"{found}, first at y = {self.y[i]:g}, f ~ {latent}".lstrip(", ")
        raise AssertionError(f"{self.likelihood!r}: {claim}" + (f" ({found})" if found else ""))

    def require_close(self, actual: Floats, expected: Floats, claim: str) -> None:
        """Require equal numbers, relative to the larger of 1 and their size."""
        error = np.abs(actual - expected) / np.maximum(np.abs(expected), 1.0)
        self.require(error <= self.rtol, claim, f"off by {float(np.nanmax(error)):.2g}")


def _has_one_number_per_row(case: _Case) -> None:
    belief = case.moment_match()
    for name, values in (("log_z", belief.log_z), ("q", belief.q), ("r", belief.r)):
        case.require(np.shape(values) == case.y.shape, f"{name} has one number per row")
        case.require(np.isfinite(values), f"{name} is finite")


def _does_not_modify_inputs(case: _Case) -> None:
    given = [case.y.copy(), case.mean.copy(), case.variance.copy()]
    case.likelihood.moment_match(*given)
    kept = zip(given, (case.y, case.mean, case.variance), strict=True)
    case.require(all(np.array_equal(a, b) for a, b in kept), "inputs are not modified")


def _rows_are_independent(case: _Case) -> None:
    together = case.moment_match()
    for i in range(0, len(case.y), 7):
        row = slice(i, i + 1)
        alone = case.likelihood.moment_match(case.y[row], case.mean[row], case.variance[row])
        same = np.allclose(alone.q, together.q[row], rtol=1e-9, atol=1e-12)
        case.require(same, "the result of a row is the same alone and among others")


def _derivative(function: Callable[[float], Floats]) -> Floats:
    """Return the derivative at 0 by a sixth-order central difference."""
    near, mid, far = (function(k * STEP) - function(-k * STEP) for k in (1, 2, 3))
    return (45.0 * near - 9.0 * mid + far) / (60.0 * STEP)


def _q_is_the_first_derivative(case: _Case) -> None:
    expected = _derivative(lambda step: case.moment_match(case.mean + step * case.s).log_z)
    case.require_close(
        case.s * case.moment_match().q,
        expected,
        "q is the derivative of log_z with respect to the mean",
    )


def _r_is_the_second_derivative(case: _Case) -> None:
    expected = _derivative(lambda step: case.s * case.moment_match(case.mean + step * case.s).q)
    claim = "r is the second derivative of log_z with respect to the mean"
    case.require_close(case.variance * case.moment_match().r, expected, claim)


def _derivative_in_variance_follows(case: _Case) -> None:
    expected = _derivative(lambda step: case.moment_match(None, case.variance * (1.0 + step)).log_z)
    claim = "the derivative of log_z with respect to the variance is (r + q²)/2"
    case.require_close(case.variance * case.moment_match().by_variance, expected, claim)


def _updated_variance_is_positive(case: _Case) -> None:
    kept = 1.0 + case.variance * case.moment_match().r
    case.require(kept > 0.0, "1 + variance·r, the factor of the updated variance, is positive")


def _tails_are_finite(case: _Case) -> None:
    tails = _Case(
        case.likelihood,
        case.targets,
        *_combined(case.targets, TAIL_MEANS, TAIL_VARIANCES),
        case.rtol,
    )
    belief = tails.moment_match()
    numbers = np.isfinite(belief.log_z) & np.isfinite(belief.q) & np.isfinite(belief.r)
    tails.require(numbers, "results are finite in the tails")
    left = 1.0 + tails.variance * belief.r
    tails.require(left >= -tails.rtol, "the updated variance is not negative in the tails")


def _log_z_is_the_mean_of_the_density(case: _Case) -> None:
    log_density = getattr(case.likelihood, "log_density", None)
    if log_density is None:
        return
    some = slice(None, None, 3)  # a third, since it is slow; every mean and variance is among them
    one = _Case(
        case.likelihood, case.targets, case.y[some], case.mean[some], case.variance[some], case.rtol
    )
    expected = _log_means(log_density, one.y, one.mean, one.s)
    one.require_close(one.moment_match().log_z, expected, "log_z is the log mean of the density")


def _log_means(
    log_density: Callable[[Any, Any], Any], y: Floats, mean: Floats, s: Floats
) -> Floats:
    """Return log⟨p(y | f)⟩ for each row by adaptive quadrature: (n,)."""

    def log_products(row: Any, t: Floats) -> Floats:
        """Return the log of the integrand of some rows, at points t in standard deviations."""
        f = mean[row] + s[row] * t
        repeated = np.broadcast_to(y[row], f.shape).ravel()  # one target a value, as in a fit
        values = np.asarray(log_density(repeated, f.ravel()), dtype=np.float64).reshape(f.shape)
        return np.where(np.isnan(values), -np.inf, values) - 0.5 * np.square(t)

    # breakpoints around the latent mean, around the target, and between them
    at, around = ((y - mean) / s)[:, None], np.linspace(-10.0, 10.0, 21)
    between = at * np.linspace(0.0, 1.0, 21)
    t = np.concatenate((np.broadcast_to(around, between.shape), at + around, between), axis=1)
    t = np.sort(t, axis=1)  # (n, 63)
    every = np.arange(len(y))[:, None]
    top = np.max(log_products(every, t), axis=1)
    row = np.repeat(np.arange(len(y)), t.shape[1] - 1)
    whole = _adaptive_sums(
        lambda row, t: np.exp(log_products(row[:, None], t) - top[row, None]),
        *(row, t[:, :-1].ravel(), t[:, 1:].ravel()),
        n_rows=len(y),
    )
    return np.log(whole) + top - 0.5 * np.log(2.0 * np.pi)


def _adaptive_sums(
    integrand: Callable[[Any, Floats], Floats],
    row: npt.NDArray[np.intp],
    left: Floats,
    right: Floats,
    n_rows: int,
) -> Floats:
    """Integrate over all intervals at once, halve those that are not exact, and sum by row."""
    total = np.zeros(n_rows)
    nodes, weights = np.polynomial.legendre.leggauss(QUADRATURE_NODES)

    def integrals(row: Any, left: Floats, right: Floats) -> Floats:
        half, centre = 0.5 * (right - left), 0.5 * (left + right)
        return half * (integrand(row, centre[:, None] + half[:, None] * nodes) @ weights)

    coarse = integrals(row, left, right)
    for _ in range(LARGEST_DEPTH):
        middle = 0.5 * (left + right)
        lower, upper = integrals(row, left, middle), integrals(row, middle, right)
        fine = lower + upper
        exact = np.abs(fine - coarse) <= np.maximum(ABSOLUTE_ERROR, RELATIVE_ERROR * np.abs(fine))
        np.add.at(total, row[exact], fine[exact])
        if np.all(exact):
            return total
        left, middle, right = left[~exact], middle[~exact], right[~exact]
        row = np.concatenate((row[~exact], row[~exact]))
        coarse = np.concatenate((lower[~exact], upper[~exact]))
        left, right = np.concatenate((left, middle)), np.concatenate((middle, right))
    np.add.at(total, row, coarse)
    return total


def _support_accepts_targets(case: _Case) -> None:
    support = getattr(case.likelihood, "support", None)
    if support is None:
        return
    support(case.targets)
    try:
        support(np.append(case.targets, np.nan))
    except ValueError as error:
        case.require("y" in str(error), "the message of support names y", str(error))
    else:
        case.require(False, "support refuses NaN")


_CHECKS: tuple[Callable[[_Case], None], ...] = (
    _has_one_number_per_row,
    _does_not_modify_inputs,
    _rows_are_independent,
    _q_is_the_first_derivative,
    _r_is_the_second_derivative,
    _derivative_in_variance_follows,
    _updated_variance_is_positive,
    _tails_are_finite,
    _log_z_is_the_mean_of_the_density,
    _support_accepts_targets,
)
