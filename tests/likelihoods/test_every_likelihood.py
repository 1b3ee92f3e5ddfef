"""Every likelihood against its density, differences and the general quadrature."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import poisson

from sparsegp.likelihoods import (
    Belief,
    Gaussian,
    GaussianMixture,
    LaplaceNoise,
    NoisyProbit,
    OneSided,
    Poisson,
    Probit,
    Shifted,
    StudentT,
    by_quadrature,
)
from sparsegp.testing import check_likelihood

NUMBERS = (-2.0, 0.3, 4.0)
EVERY = [
    (Gaussian(0.2), NUMBERS),
    (LaplaceNoise(0.3), NUMBERS),
    (StudentT(3.0, 0.2), NUMBERS),
    (StudentT(1.0, 1.0), NUMBERS),
    (StudentT(50.0, 0.5), NUMBERS),
    (OneSided(0.4), NUMBERS),
    (OneSided(0.4, 0.05), NUMBERS),
    (GaussianMixture([0.8, 0.2], [0.1, 9.0]), NUMBERS),
    (
        GaussianMixture([0.5, 0.3, 0.2], [0.1, 0.2, 1.0], [0.0, 2.0, -1.0], [1.0, -1.0, 0.5]),
        NUMBERS,
    ),
    (Poisson(), (0.0, 1.0, 7.0)),
    (Probit(1.5, 0.2), (-1.0, 1.0)),
    (NoisyProbit(1.5, 0.2, 0.1), (-1.0, 1.0)),
    (NoisyProbit(4.0, -0.5, 0.4, 5), (-1.0, 1.0)),
    (by_quadrature(LaplaceNoise(0.3).log_density, jump=lambda y: y), NUMBERS),
    (by_quadrature(StudentT(2.0, 0.5).log_density), NUMBERS),
]


def same_place(y):
    return y


def grid(targets):
    y, mean, variance = np.meshgrid(targets, (-3.0, 0.0, 2.0), (1e-3, 0.1, 1.0, 9.0, 400.0))
    return y.ravel(), mean.ravel(), variance.ravel()


@pytest.mark.parametrize(("likelihood", "targets"), EVERY, ids=lambda p: type(p).__name__)
def test_kit(likelihood, targets):
    check_likelihood(likelihood, targets)


@pytest.mark.parametrize("likelihood", [case[0] for case in EVERY[:8]], ids=repr)
def test_closed_forms_agree_with_quadrature(likelihood):
    y, mean, variance = grid(NUMBERS)
    closed = likelihood.moment_match(y, mean, variance)
    integrated = by_quadrature(likelihood.log_density, jump=same_place).moment_match(
        y, mean, variance
    )
    s = np.sqrt(variance)
    np.testing.assert_allclose(integrated.log_z, closed.log_z, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(s * integrated.q, s * closed.q, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(variance * integrated.r, variance * closed.r, rtol=1e-8, atol=1e-8)


def test_a_density_that_is_a_thousand_times_narrower_than_the_belief():
    narrow, (y, mean, variance) = Gaussian(1e-6), grid((0.123,))
    found = by_quadrature(narrow.log_density).moment_match(y, mean, variance)
    expected = narrow.moment_match(y, mean, variance)
    np.testing.assert_allclose(found.log_z, expected.log_z, rtol=1e-9)
    np.testing.assert_allclose(found.q, expected.q, rtol=1e-9)


def test_an_outlier_of_student_t_is_given_up():
    pulls = (
        StudentT(4.0, 0.3).moment_match(np.array([1.0, 5.0, 50.0]), np.zeros(3), np.full(3, 0.1)).q
    )
    assert pulls[2] < pulls[0]


@pytest.mark.parametrize("likelihood", [case[0] for case in EVERY[:10] if case[0] != EVERY[3][0]])
def test_moments_of_targets(likelihood):
    """By sums or integrals of exp(log_z) over y."""
    mean, variance = np.array([0.4]), np.array([0.3])
    if isinstance(likelihood, Poisson):
        y, width = np.arange(400.0), 1.0
    else:
        y = np.linspace(-60.0, 60.0, 6_001)
        width = y[1] - y[0]
    mass = width * np.exp(
        likelihood.moment_match(y, *np.broadcast_arrays(mean, variance, y)[:2]).log_z
    )
    first = mass @ y
    second = mass @ (y - first) ** 2
    found = likelihood.target_moments(mean, variance)
    slack = 1e-2 if isinstance(likelihood, StudentT) else 1e-3  # a tail beyond the grid
    np.testing.assert_allclose(mass.sum(), 1.0, atol=1e-4)
    np.testing.assert_allclose(np.ravel(found), [first, second], rtol=slack)


def test_moments_of_an_own_density():
    own = by_quadrature(Poisson().log_density, mean=np.exp, variance=np.exp)
    mean, variance = np.array([0.4]), np.array([0.3])
    np.testing.assert_allclose(
        own.target_moments(mean, variance), Poisson().target_moments(mean, variance), rtol=1e-8
    )
    without = by_quadrature(Poisson().log_density)
    np.testing.assert_array_equal(without.target_moments(mean, variance), (mean, variance))


def test_poisson_is_a_probability_of_counts():
    y = np.arange(5.0)
    np.testing.assert_allclose(Poisson().log_density(y, 0.3), poisson.logpmf(y, np.exp(0.3)))


@pytest.mark.parametrize(
    ("likelihood", "bad"),
    [(Gaussian(), np.inf), (Poisson(), -1.0), (Poisson(), 0.5), (Probit(), 0.0)],
)
def test_support_names_y_and_the_row(likelihood, bad):
    with pytest.raises(ValueError, match=r"y must hold .* in row 1"):
        likelihood.support(np.array([1.0, bad]))


def test_shifted():
    y, mean, variance = np.array([1.0, 2.0]), np.zeros(2), np.ones(2)
    offset = np.array([0.5, -0.5])
    found = Shifted(Gaussian(0.1), offset).moment_match(y, mean, variance)
    np.testing.assert_array_equal(found.q, Gaussian(0.1).moment_match(y, offset, variance).q)


@dataclass(frozen=True)
class Wrong:
    """A Gaussian with one mistake."""

    mistake: str

    def log_density(self, y, f):
        return Gaussian(0.5).log_density(y, f)

    def support(self, y):
        if self.mistake != "support":
            Gaussian.support(y)

    def moment_match(self, y, mean, variance):
        found = Gaussian(0.5).moment_match(y, mean, variance)
        log_z, q, r = found.log_z, found.q, found.r
        if self.mistake == "log_z":
            log_z = log_z + 1.0
        elif self.mistake == "derivative of":
            q = 1.1 * q
        elif self.mistake == "second":
            r = 1.1 * r
        elif self.mistake == "tails":
            log_z = np.where(np.abs(mean) > 100.0, np.nan, log_z)
        elif self.mistake == "one number":
            q = q[:, None]
        elif self.mistake == "among others":
            q = q - q.mean()
        elif self.mistake == "inputs":
            mean += 1.0
        return Belief(log_z, q, r)


@pytest.mark.parametrize(
    "mistake",
    [
        "log_z",
        "derivative of",
        "second",
        "tails",
        "one number",
        "among others",
        "inputs",
        "support",
    ],
)
def test_the_kit_finds(mistake):
    with pytest.raises(AssertionError, match=mistake):
        check_likelihood(Wrong(mistake), NUMBERS)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (([0.5, 0.4], [1.0, 1.0]), "weights must be positive with sum 1"),
        (([1.5, -0.5], [1.0, 1.0]), "weights must be positive with sum 1"),
        (([], []), "weights must have one number"),
        (([1.0], [0.0]), "variances must be positive"),
        (([1.0], [1.0, 2.0]), "variances must have one number for each of the 1 weights"),
        (([1.0], [1.0], [np.nan]), "offsets must be finite"),
        (([1.0], [1.0], [0.0], [1.0, 2.0]), "slopes must have one number"),
    ],
)
def test_parts_of_a_mixture_that_are_refused(parts, message):
    with pytest.raises(ValueError, match=message):
        GaussianMixture(*parts)


def test_a_mixture_of_equal_parts_is_one_gaussian():
    y, mean, variance = grid(NUMBERS)
    one = Gaussian(0.3).moment_match(y, mean, variance)
    two = GaussianMixture([0.4, 0.6], [0.3, 0.3]).moment_match(y, mean, variance)
    for name in ("log_z", "q", "r"):
        np.testing.assert_allclose(getattr(two, name), getattr(one, name), rtol=1e-9, atol=1e-12)
