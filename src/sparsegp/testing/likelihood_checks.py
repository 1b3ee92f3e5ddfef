"""Checks that a user's likelihood fulfils the interface that the models rely on."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.integrate import quad

from sparsegp.likelihoods.base import Belief, Likelihood

__all__ = ["check_likelihood"]

Floats = npt.NDArray[np.float64]

MEANS = (-2.5, -0.4, 0.0, 1.7)
VARIANCES = (0.01, 0.3, 1.0, 6.0)
FAR_MEANS = (-1e4, -300.0, -30.0, 30.0, 300.0, 1e4)
FAR_VARIANCES = (1e-10, 1e-4, 1.0, 1e4)
STEP = 2e-3  # of the central differences, in standard deviations of the belief


def check_likelihood(
    likelihood: Likelihood, y_values: npt.ArrayLike, *, rtol: float = 1e-6
) -> None:
    """Check that a likelihood has the properties that the on-line models rely on.

    Checked are shapes, that inputs are not changed, that rows do not influence each other, that q
    and r are derivatives of log Z, that its derivative by the variance is ½(r + q²), that the
    posterior belief has a positive variance and that extreme tails give finite numbers. If the
    likelihood has ``log_density(y, f)``, log Z is compared with adaptive quadrature of it; if it
    has ``support(y)``, that must accept these targets and raise a ValueError for NaN.

    Parameters
    ----------
    likelihood : object with ``moment_match(y, mean, variance)``
    y_values : array-like (n,)
        Targets to check it on.
    rtol : float
        Largest error allowed, relative to derivatives in units of the belief's standard
        deviation.

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
    """A likelihood, and the beliefs and targets it is checked on."""

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

    def demand(self, holds: Any, promise: str, found: str = "") -> None:
        if np.all(holds):
            return
        if np.ndim(holds):  # one value for each row
            i = int(np.flatnonzero(~np.asarray(holds))[0])
            belief = f"N({self.mean[i]:g}, {self.variance[i]:g})"
            found = f"{found}, first at y = {self.y[i]:g}, belief {belief}".lstrip(", ")
        raise AssertionError(f"{self.likelihood!r}: {promise}" + (f" ({found})" if found else ""))

    def demand_close(self, actual: Floats, expected: Floats, promise: str) -> None:
        """Demand equal numbers, relative to the larger of 1 and their size."""
        error = np.abs(actual - expected) / np.maximum(np.abs(expected), 1.0)
        self.demand(error <= self.rtol, promise, f"off by {float(np.nanmax(error)):.2g}")


def _has_one_number_a_row(case: _Case) -> None:
    belief = case.moment_match()
    for name, values in (("log_z", belief.log_z), ("q", belief.q), ("r", belief.r)):
        case.demand(np.shape(values) == case.y.shape, f"{name} has one number a row")
        case.demand(np.isfinite(values), f"{name} is finite")


def _leaves_inputs_alone(case: _Case) -> None:
    given = [case.y.copy(), case.mean.copy(), case.variance.copy()]
    case.likelihood.moment_match(*given)
    kept = zip(given, (case.y, case.mean, case.variance), strict=True)
    case.demand(all(np.array_equal(a, b) for a, b in kept), "inputs are left as they were")


def _rows_do_not_influence_each_other(case: _Case) -> None:
    together = case.moment_match()
    for i in range(0, len(case.y), 7):
        row = slice(i, i + 1)
        alone = case.likelihood.moment_match(case.y[row], case.mean[row], case.variance[row])
        same = np.allclose(alone.q, together.q[row], rtol=1e-9, atol=1e-12)
        case.demand(same, "a row alone gives what it gives among others")


def _derivative(function: Callable[[float], Floats]) -> Floats:
    """Return the derivative at 0, of sixth order in the step."""
    near, mid, far = (function(k * STEP) - function(-k * STEP) for k in (1, 2, 3))
    return (45.0 * near - 9.0 * mid + far) / (60.0 * STEP)


def _q_is_the_first_derivative(case: _Case) -> None:
    expected = _derivative(lambda step: case.moment_match(case.mean + step * case.s).log_z)
    case.demand_close(
        case.s * case.moment_match().q, expected, "q is the derivative of log_z by mean"
    )


def _r_is_the_second_derivative(case: _Case) -> None:
    expected = _derivative(lambda step: case.s * case.moment_match(case.mean + step * case.s).q)
    promise = "r is the second derivative of log_z by mean"
    case.demand_close(case.variance * case.moment_match().r, expected, promise)


def _variance_follows(case: _Case) -> None:
    expected = _derivative(lambda step: case.moment_match(None, case.variance * (1.0 + step)).log_z)
    promise = "the derivative of log_z by the variance is (r + q²)/2"
    case.demand_close(case.variance * case.moment_match().by_variance, expected, promise)


def _corrected_variance_is_positive(case: _Case) -> None:
    kept = 1.0 + case.variance * case.moment_match().r
    case.demand(kept > 0.0, "1 + variance·r, the remaining share of the variance, is positive")


def _tails_give_numbers(case: _Case) -> None:
    far = _Case(
        case.likelihood,
        case.targets,
        *_combined(case.targets, FAR_MEANS, FAR_VARIANCES),
        case.rtol,
    )
    belief = far.moment_match()
    numbers = np.isfinite(belief.log_z) & np.isfinite(belief.q) & np.isfinite(belief.r)
    far.demand(numbers, "extreme tails give finite numbers")
    left = 1.0 + far.variance * belief.r
    far.demand(left >= -far.rtol, "a posterior variance is never negative, even in extreme tails")


def _log_z_is_the_mean_of_the_density(case: _Case) -> None:
    log_density = getattr(case.likelihood, "log_density", None)
    if log_density is None:
        return
    some = slice(None, None, 3)  # quadrature is slow; every mean and variance is still covered
    one = _Case(
        case.likelihood, case.targets, case.y[some], case.mean[some], case.variance[some], case.rtol
    )
    rows = zip(one.y, one.mean, one.s, strict=True)
    expected = np.array([_log_mean(log_density, *row) for row in rows])
    one.demand_close(one.moment_match().log_z, expected, "log_z is the log mean of the density")


def _log_mean(log_density: Callable[[Any, Any], Any], y: float, mean: float, s: float) -> float:
    """Return log⟨p(y | f)⟩ by adaptive quadrature."""
    # from the centre of the belief to that of the target, and around both
    at, around = (y - mean) / s, np.linspace(-10.0, 10.0, 21)
    t = np.unique(np.concatenate((around, at + around, np.linspace(0.0, at, 21))))

    def log_product(t: Any) -> Any:
        values = np.asarray(log_density(np.full(np.shape(t), y), mean + s * t), dtype=np.float64)
        return np.where(np.isnan(values), -np.inf, values) - 0.5 * np.square(t)

    top = float(np.max(log_product(t)))

    def product(t: float) -> float:
        return float(np.exp(log_product(np.array([t]))[0] - top))

    whole = sum(quad(product, a, b, epsabs=1e-13, epsrel=1e-11)[0] for a, b in pairwise(t))
    return float(np.log(whole) + top - 0.5 * np.log(2.0 * np.pi))


def _support_knows_targets(case: _Case) -> None:
    support = getattr(case.likelihood, "support", None)
    if support is None:
        return
    support(case.targets)
    try:
        support(np.append(case.targets, np.nan))
    except ValueError as error:
        case.demand("y" in str(error), "the message of support names y", str(error))
    else:
        case.demand(False, "support raises a ValueError for NaN")


_CHECKS: tuple[Callable[[_Case], None], ...] = (
    _has_one_number_a_row,
    _leaves_inputs_alone,
    _rows_do_not_influence_each_other,
    _q_is_the_first_derivative,
    _r_is_the_second_derivative,
    _variance_follows,
    _corrected_variance_is_positive,
    _tails_give_numbers,
    _log_z_is_the_mean_of_the_density,
    _support_knows_targets,
)
