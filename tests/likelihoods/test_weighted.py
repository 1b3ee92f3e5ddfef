"""A likelihood to the power of a weight."""

import numpy as np
import pytest

from sparsegp.likelihoods import (
    Gaussian,
    LaplaceNoise,
    OneSided,
    Poisson,
    Probit,
    Shifted,
    StudentT,
    by_quadrature,
    site_of,
)
from sparsegp.likelihoods.weighted import Power, row_likelihoods, weighted
from sparsegp.testing import check_likelihood

MEAN, VARIANCE = np.array([-1.0, 0.2, 3.0]), np.array([0.05, 1.0, 4.0])
NUMBERS = np.array([0.5, -1.0, 2.0])


def same_place(y):
    return y


CLOSED = [Gaussian(0.3), LaplaceNoise(0.4), OneSided(0.4), StudentT(3.0, 0.5)]


@pytest.mark.parametrize("weight", [0.3, 2.0, 7.5])
@pytest.mark.parametrize("likelihood", CLOSED, ids=repr)
def test_closed_forms_are_the_integrated_power(likelihood, weight):
    found = weighted(likelihood, weight).moment_match(NUMBERS, MEAN, VARIANCE)
    own = by_quadrature(likelihood.log_density, jump=same_place)
    expected = Power(own, weight).moment_match(NUMBERS, MEAN, VARIANCE)
    np.testing.assert_allclose(found.q, expected.q, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(found.r, expected.r, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(
    ("likelihood", "targets"),
    [
        (Probit(1.5), (-1.0, 1.0)),
        (Poisson(), (0.0, 4.0)),
        (OneSided(0.4, 0.05), (-1.0, 2.0)),
        (StudentT(3.0, 0.5), (-1.0, 2.0)),
    ],
    ids=repr,
)
@pytest.mark.parametrize("weight", [0.1, 3.0])
def test_powers_pass_the_kit(likelihood, targets, weight):
    check_likelihood(weighted(likelihood, weight), targets)


def test_equal_gaussian_rows_at_once_are_the_rows_one_after_the_other():
    mean, variance = MEAN, VARIANCE
    for _ in range(3):
        belief = Gaussian(0.3).moment_match(NUMBERS, mean, variance)
        mean, variance = mean + variance * belief.q, variance + variance**2 * belief.r
    at_once = weighted(Gaussian(0.3), 3.0).moment_match(NUMBERS, MEAN, VARIANCE)
    np.testing.assert_allclose(MEAN + VARIANCE * at_once.q, mean)
    np.testing.assert_allclose(VARIANCE + VARIANCE**2 * at_once.r, variance)


def test_a_heavier_label_leaves_a_more_precise_site():
    label = np.ones(3)
    precisions = [
        site_of(weighted(Probit(), s).moment_match(label, MEAN, VARIANCE), MEAN, VARIANCE)[0]
        for s in (0.5, 1.0, 2.0, 4.0)
    ]
    assert np.all(np.diff(precisions, axis=0) > 0.0)


def test_each_row_has_its_own():
    likelihoods = row_likelihoods(Shifted(Gaussian(0.4), 1.0), 3, np.array([1.0, 2.0, 1.0]))
    assert [one.likelihood.noise_variance for one in likelihoods] == [0.4, 0.2, 0.4]
    assert row_likelihoods(Gaussian(), 2, None) == [Gaussian(), Gaussian()]


def test_what_cannot_be_weighted_is_named():
    class Bare:
        def moment_match(self, y, mean, variance):
            return Gaussian().moment_match(y, mean, variance)

    with pytest.raises(ValueError, match=r"weighted\(weight\) or log_density"):
        weighted(Bare(), 2.0)
    assert isinstance(weighted(Bare(), 1.0), Bare)
