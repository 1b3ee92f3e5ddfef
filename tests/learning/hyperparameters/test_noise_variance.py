"""The likeliest noise from moments equals that of a dense search."""

import numpy as np
import pytest

from sparsegp.kernels import RBF
from sparsegp.learning.hyperparameters.noise_variance import likeliest_noise
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.model.approximation import APPROXIMATIONS
from sparsegp.model.evidence import log_evidence, noise_balance
from sparsegp.model.features import make_basis
from sparsegp.model.moments import collect_moments
from sparsegp.tables.rows import Rows

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 2))
ROWS = Rows(X, np.sin(X[:, :1]) + 0.3 * RNG.normal(size=(80, 1)))


@pytest.mark.parametrize("first", [10.0, 0.1, 1e-6])  # far above, near, far below
@pytest.mark.parametrize("name", ["sor", "dtc", "vfe"])
def test_no_noise_on_a_grid_is_likelier(name, first):
    rule = APPROXIMATIONS[name]
    basis = make_basis(RBF(1.0), X[:15])
    start = Parameters(RBF(1.0), first)
    found = likeliest_noise(collect_moments(basis, ROWS, first, rule), start, rule)
    best = log_evidence(basis, ROWS, found.noise_variance, rule)
    grid = [log_evidence(basis, ROWS, v, rule) for v in np.geomspace(1e-4, 10, 200)]
    assert best >= max(grid) - 0.01


@pytest.mark.parametrize("first", [10.0, 0.1, 1e-6])
def test_few_evaluations_lead_there(first, monkeypatch):
    seen = []

    def noted(*arguments):
        seen.append(arguments[1])
        return noise_balance(*arguments)

    monkeypatch.setattr("sparsegp.learning.hyperparameters.noise_variance.noise_balance", noted)
    rule, basis = APPROXIMATIONS["dtc"], make_basis(RBF(1.0), X[:15])
    likeliest_noise(collect_moments(basis, ROWS, first, rule), Parameters(RBF(1.0), first), rule)
    assert 2 <= len(seen) <= 8


@pytest.mark.parametrize("bounds", [(0.5, 2.0), (1e-6, 1e-3)])
def test_bounds_end_the_search(bounds):
    rule, basis = APPROXIMATIONS["dtc"], make_basis(RBF(1.0), X[:15])
    middle = float(np.sqrt(np.prod(bounds)))
    start = Parameters(RBF(1.0), middle, bounds)
    found = likeliest_noise(collect_moments(basis, ROWS, middle, rule), start, rule)
    nearest = min(bounds, key=lambda bound: abs(np.log(bound / 0.08)))
    assert found.noise_variance == pytest.approx(nearest, rel=0.05)


@pytest.mark.parametrize("n_basis", [5, 40])
@pytest.mark.parametrize("name", ["sor", "dtc", "vfe"])
def test_the_slope_is_that_of_the_evidence(name, n_basis):
    rule, basis = APPROXIMATIONS[name], make_basis(RBF(1.0), X[:n_basis])
    weight = RNG.integers(1, 4, len(X)).astype(float)
    rows = Rows(X, np.hstack((ROWS.y, X[:, 1:] ** 2)), weight)
    for variance in (0.01, 0.3):
        found = noise_balance(collect_moments(basis, rows, variance, rule), variance, rule)
        assert found.value == pytest.approx(log_evidence(basis, rows, variance, rule))
        low, high = (log_evidence(basis, rows, variance * np.exp(t), rule) for t in (-1e-4, 1e-4))
        assert found.slope == pytest.approx((high - low) / 2e-4, rel=1e-5)


def test_fixed_noise_and_fitc_stay_as_they_are():
    for rule, bounds in ((APPROXIMATIONS["dtc"], "fixed"), (APPROXIMATIONS["fitc"], (1e-6, 1e2))):
        basis = make_basis(RBF(1.0), X[:15])
        start = Parameters(RBF(1.0), 0.5, bounds)
        moments = collect_moments(basis, ROWS, 0.5, rule)
        assert likeliest_noise(moments, start, rule) == start
