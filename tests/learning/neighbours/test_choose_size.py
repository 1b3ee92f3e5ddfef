"""The number of basis vectors follows what held-out rows gain by twice as many."""

import numpy as np
import pytest

from sparsegp import SparseGPRegressor
from sparsegp.kernels import RBF
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.neighbours import policy
from sparsegp.learning.neighbours.choose_size import choose_max_basis
from sparsegp.learning.noise.calibrate import calibrate, log_densities
from sparsegp.learning.settings import Settings
from sparsegp.model.approximation import FITC
from sparsegp.model.features import make_basis
from sparsegp.model.leave_one_out.predictions import leave_one_out
from sparsegp.model.moments import collect_moments
from sparsegp.model.posterior import solve_posterior
from sparsegp.tables.rows import Rows

SETTINGS = Settings(FITC, "random", max_basis=20, larger_sizes=(40, 80))


def table(function, n=1_200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (n, 3))
    return Rows(X, function(X, rng)[:, None])


def smooth(X, rng):
    return np.sin(3.0 * X).sum(axis=1) + 0.01 * rng.standard_normal(len(X))


def noise(X, rng):
    return rng.standard_normal(len(X))


def context(budget=None):
    found = FitContext(np.random.default_rng(0))
    return found if budget is None else found.with_budget(budget)


@pytest.mark.parametrize("k", [0, 5])
@pytest.mark.parametrize(("function", "variance", "expected"), [(smooth, 1e-4, 80), (noise, 1, 20)])
def test_smooth_functions_have_more_basis_vectors_than_noise(function, variance, expected, k):
    parameters, own = Parameters(RBF(1.0), variance), context()
    assert choose_max_basis(table(function), parameters, k, SETTINGS, own) == expected
    (entry,) = own.history.entries
    assert entry["phase"] == Phase.BASIS_SIZE and entry["chosen"] == expected
    gains = entry["gains"]
    assert set(gains) == ({20, 40, 80} if expected == 80 else {20})
    assert all(gain > policy.MIN_GAIN_OF_BASIS for m, gain in gains.items() if m <= expected > 20)


def test_a_choice_leaves_the_random_numbers_of_later_phases():
    found = []
    for sizes in ((40,), (40, 80)):
        own = context()
        settings = Settings(FITC, "random", max_basis=20, larger_sizes=sizes)
        choose_max_basis(table(smooth), Parameters(RBF(1.0), 1e-4), 0, settings, own)
        found.append(own.rng.random())
    assert found[0] == found[1]


def test_the_gain_of_a_doubling_by_its_definition():
    rows, variance = table(smooth, n=500), 1e-3
    parameters = Parameters(RBF(0.7), variance)
    settings = Settings(FITC, "random", max_basis=20, larger_sizes=(40,))
    own = context()
    choose_max_basis(rows, parameters, 0, settings, own)
    (entry,) = own.history.entries
    order = context().spawn().rng.permutation(500)
    densities = {}
    for m in (10, 20, 40):
        basis = make_basis(parameters.kernel, rows.take(order[300 : 300 + m]).X)
        posterior = solve_posterior(basis, collect_moments(basis, rows, variance, FITC), FITC)
        left_out = leave_one_out(posterior, rows.take(order[:300]), variance)
        scales = calibrate(left_out, variance, may_find_tails=True)
        densities[m] = np.mean(log_densities(left_out, variance, scales))
    for m, gain in entry["gains"].items():
        assert gain == pytest.approx(densities[m] - densities[m // 2], rel=1e-6)


def test_what_is_too_expensive_is_not_tried(monkeypatch):
    rows, parameters = table(smooth), Parameters(RBF(1.0), 1e-4)
    monkeypatch.setattr(policy, "MOST_WORK_OF_PASS", 40**2 * 1_200)
    assert choose_max_basis(rows, parameters, 0, SETTINGS, context()) == 40
    monkeypatch.setattr(policy, "MOST_WORK_OF_PREDICTION", 40 * 5**2 - 1)
    assert choose_max_basis(rows, parameters, 5, SETTINGS, context()) == 20
    few = table(smooth, n=330)  # 300 of them judge
    assert choose_max_basis(few, parameters, 0, SETTINGS, context()) == 20


def test_without_time_the_usual_size_stays_and_the_history_says_so():
    clock = iter([0.0, *[10.1] * 1_000])
    budget = TimeBudget(10.0, clock=lambda: next(clock))
    parameters = Parameters(RBF(1.0), 1e-4)
    assert choose_max_basis(table(smooth), parameters, 0, SETTINGS, context(budget)) == 20
    assert any(cut.startswith(Phase.BASIS_SIZE) for cut in budget.cuts)


def test_a_fit_says_what_it_chose():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, (2_400, 2))
    options = {"optimizer": None, "noise_variance": 1e-4, "n_neighbors": 0, "random_state": 0}
    model = SparseGPRegressor(RBF(0.15), **options).fit(X, np.sin(15.0 * X).sum(axis=1))
    (entry,) = [e for e in model.history_ if e["phase"] == Phase.BASIS_SIZE]
    assert entry["chosen"] in (500, 1_000, 2_000) and entry["chosen"] >= model.n_basis_
