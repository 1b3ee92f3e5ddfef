"""Active set and hyperparameters in turn."""

from dataclasses import replace

import numpy as np
import pytest

from sparsegp.kernels import RBF, Linear
from sparsegp.learning.basis.active_set import (
    OBJECTIVES,
    ActiveSettings,
    _evidence,
    _minus_loss,
    _minus_loss_by_link,
    choose_active_set,
    fit_active,
    log_evidence_of,
    loss_outside,
)
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.progress import silent
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.learning.hyperparameters.optimise import maximise
from sparsegp.model.sites.active_set import active_posterior, marginal_likelihood
from sparsegp.tables.rows import Rows
from tests.oracles import two_classes as oracle
from tests.oracles.dense import central_differences

SETTINGS = ActiveSettings(max_basis=12, max_iterations=6)
every_objective = pytest.mark.parametrize("objective", OBJECTIVES)


def make_rows(seed: int = 0, n: int = 150, *, weighted: bool = False) -> Rows:
    problem = oracle.make_problem(seed, n, weighted=weighted)
    return Rows(problem.X, problem.y[:, None], problem.weight)


def make_rows_of_classes(seed: int = 0, n: int = 150, *, weighted: bool = False) -> Rows:
    problems = oracle.make_columns(seed, n=n, weighted=weighted)
    return Rows(problems[0].X, np.stack([p.y for p in problems], axis=1), problems[0].weight)


def make_start(n_columns: int = 1, **options) -> ClassParameters:
    return ClassParameters(0.5 * RBF([3.0, 3.0]), **{"biases": (0.0,) * n_columns} | options)


def fit(rows, start, settings=SETTINGS, seed=0, listener=silent):
    context = FitContext(np.random.default_rng(seed), listener)
    found = fit_active(rows, start, settings, context)
    return found, context.history


class TestParameters:
    free = make_start(slope=2.0, biases=(-0.5,))

    def test_vector_and_back(self):
        assert self.free.vector[-2:] == pytest.approx([np.log(2.0), -0.5])
        moved = self.free.with_vector(self.free.vector + 0.25)
        np.testing.assert_allclose(moved.vector, self.free.vector + 0.25)
        assert self.free.bounds.shape == (len(self.free.vector), 2)
        assert np.all(self.free.bounds[:, 0] < self.free.bounds[:, 1])

    @pytest.mark.parametrize("fixed", [{"slope_bounds"}, {"bias_bounds"}])
    def test_what_is_fixed_stays(self, fixed):
        start = replace(self.free, **dict.fromkeys(fixed, "fixed"))
        assert len(start.vector) == len(start.bounds) == len(self.free.vector) - 1
        (moved,) = start.with_vector(start.vector + 1.0).probits
        assert (moved.slope == 2.0) == ("slope_bounds" in fixed)
        assert (moved.bias == -0.5) == ("bias_bounds" in fixed)
        by_theta = np.zeros(len(start.kernel.theta))
        gradient = start.gradient(by_theta, np.array([7.0]), np.array([8.0]))
        assert gradient[-1] == (8.0 if "slope_bounds" in fixed else 7.0)

    def test_only_the_kernel(self):
        start = replace(self.free, slope_bounds="fixed", bias_bounds="fixed")
        np.testing.assert_array_equal(start.vector, start.kernel.theta)
        np.testing.assert_array_equal(start.bounds, start.kernel.bounds)

    def test_columns_share_the_slope_and_have_a_bias_each(self):
        start = make_start(slope=2.0, biases=(-0.5, 0.0, 1.0))
        np.testing.assert_allclose(start.vector[-4:], [np.log(2.0), -0.5, 0.0, 1.0])
        assert len(start.vector) == len(start.bounds) == len(start.kernel.theta) + 4
        assert [probit.slope for probit in start.probits] == [2.0] * 3
        moved = start.with_vector(start.vector + 0.25)
        np.testing.assert_allclose([probit.bias for probit in moved.probits], [-0.25, 0.25, 1.25])
        by_theta = np.zeros(len(start.kernel.theta))
        gradient = start.gradient(by_theta, np.array([1.0, 2.0, 4.0]), np.array([5.0, 6.0, 7.0]))
        np.testing.assert_array_equal(gradient[-4:], [7.0, 5.0, 6.0, 7.0])

    def test_another_slope_leaves_the_margins_of_nothing_as_they_are(self):
        steeper = self.free.with_slope(8.0)
        assert steeper.slope * steeper.biases[0] == self.free.slope * self.free.biases[0]
        assert self.free.with_slope(1e9).slope == 1e2
        fixed = replace(self.free, slope_bounds="fixed")
        assert fixed.with_slope(8.0) == fixed


@every_objective
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("make", [make_rows, make_rows_of_classes], ids=["two", "three"])
def test_rounds_find_a_better_model_and_keep_the_best(objective, weighted, make):
    rows = make(weighted=weighted)
    start = make_start(rows.y.shape[1])
    found, history = fit(rows, start, replace(SETTINGS, objective=objective))
    losses = [entry["predictive_loss"] for entry in history.entries if "n_basis" in entry]
    assert len(losses) > 1
    assert found.loss == min(losses) < 0.9 * losses[0]
    assert found.loss == pytest.approx(loss_outside(found.chosen, rows, found.parameters))
    # the model that comes back is the one that was judged
    Z = rows.X[found.chosen.indices]
    for c, sites in enumerate(found.chosen.sites):
        posterior = active_posterior(found.parameters.kernel, Z, sites)
        mean, variance = posterior.mean_and_variance(rows.X)
        np.testing.assert_allclose(mean[:, 0], found.chosen.mean[:, c], atol=1e-8)
        np.testing.assert_allclose(variance, found.chosen.variance[:, c], atol=1e-8)


def test_the_judge_looks_at_rows_outside_the_active_set():
    problem = oracle.make_problem(0, n=30, weighted=True)
    rows = Rows(problem.X, problem.y[:, None], problem.weight)
    start = make_start(slope=problem.likelihood.slope, biases=(problem.likelihood.bias,))
    found, _ = fit(rows, start, replace(SETTINGS, max_iterations=0))
    outside = np.setdiff1d(np.arange(30), found.chosen.indices)
    assert len(outside) == 18
    chosen = oracle.OneColumn.of(found.chosen)
    expected = oracle.loss(problem, chosen.mean, chosen.variance, outside)
    assert found.loss == pytest.approx(expected, rel=1e-12)


def test_judge_and_evidence_of_several_columns():
    rows = make_rows_of_classes(n=40, weighted=True)
    problems = oracle.make_columns(0, n=40, weighted=True)
    biases = tuple(problem.likelihood.bias for problem in problems)
    start = make_start(slope=problems[0].likelihood.slope, biases=biases)
    options = replace(SETTINGS, max_iterations=0)
    found = choose_active_set(rows, start, options, FitContext(np.random.default_rng(0)))
    chosen = found.chosen
    outside = np.setdiff1d(np.arange(40), chosen.indices)
    losses = [
        oracle.loss(problem, chosen.mean[:, c], chosen.variance[:, c], outside)
        for c, problem in enumerate(problems)
    ]
    assert found.loss == pytest.approx(np.mean(losses), rel=1e-12)
    Z = rows.X[chosen.indices]
    values = [marginal_likelihood(start.kernel, Z, sites).value for sites in chosen.sites]
    assert log_evidence_of(found, rows) == pytest.approx(sum(values))


def test_no_rounds_keep_the_hyperparameters():
    start = make_start()
    found, history = fit(make_rows(), start, replace(SETTINGS, max_iterations=0))
    assert found.parameters == start
    assert [entry["phase"] for entry in history.entries] == ["selection"]


@every_objective
def test_same_seed_same_model(objective):
    settings = replace(SETTINGS, objective=objective, max_iterations=2)
    first, _ = fit(make_rows(), make_start(), settings, seed=3)
    again, _ = fit(make_rows(), make_start(), settings, seed=3)
    np.testing.assert_array_equal(first.chosen.indices, again.chosen.indices)
    np.testing.assert_array_equal(first.parameters.vector, again.parameters.vector)


def test_it_ends_when_nothing_improves():
    settings = replace(SETTINGS, selection="entropy", max_iterations=50)
    _, history = fit(make_rows(), make_start(), settings)
    assert len([entry for entry in history.entries if "n_basis" in entry]) < 51


def test_nothing_to_learn_needs_no_rounds():
    kernel = RBF(1.0, length_scale_bounds="fixed")
    start = ClassParameters(kernel, slope_bounds="fixed", bias_bounds="fixed")
    _, history = fit(make_rows(), start)
    assert len(history.entries) == 1


def test_progress_is_told():
    told = []
    fit(make_rows(), make_start(), replace(SETTINGS, max_iterations=1), listener=told.append)
    phases = {progress.phase for progress in told}
    assert phases == {"selection", "hyperparameters by predictive loss"}
    assert all(np.isfinite(progress.value) for progress in told)


@pytest.mark.parametrize("make", [make_rows, make_rows_of_classes], ids=["two", "three"])
def test_slope_and_bias_alone(make):
    """The objective of the link is the predictive loss, without the kernel."""
    rows = make(n=40)
    n_columns = rows.y.shape[1]
    found, _ = fit(rows, make_start(n_columns), replace(SETTINGS, max_iterations=0))
    Z, sites, start = rows.X[found.chosen.indices], found.chosen.sites, found.parameters
    by_link = _minus_loss_by_link(Z, sites, rows, start)
    value, gradient = by_link(start)
    whole, whole_gradient = _minus_loss(Z, sites, rows)(start)
    assert value == pytest.approx(whole, rel=1e-10)
    of_link = slice(-1 - n_columns, None)
    np.testing.assert_allclose(gradient[of_link], whole_gradient[of_link], rtol=1e-7, atol=1e-12)
    expected = central_differences(lambda v: by_link(start.with_vector(v))[0], start.vector)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-9)
    optimum = maximise(by_link, start, max_evaluations=50)
    assert optimum.value > value
    np.testing.assert_allclose(optimum.parameters.kernel.theta, start.kernel.theta)


@every_objective
def test_gradients_of_several_columns(objective):
    rows, start = make_rows_of_classes(n=40, weighted=True), make_start(3, slope=1.2)
    found, _ = fit(rows, start, replace(SETTINGS, max_iterations=0))
    Z, sites = rows.X[found.chosen.indices], found.chosen.sites
    of = _minus_loss(Z, sites, rows) if objective == "predictive_loss" else _evidence(Z, sites)
    expected = central_differences(lambda v: of(start.with_vector(v))[0], start.vector)
    np.testing.assert_allclose(of(start)[1], expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("sites", ["moment_matching", "predictive_loss"])
@every_objective
def test_small_and_odd_tables(objective, sites):
    settings = ActiveSettings(max_basis=10, objective=objective, sites=sites, max_iterations=2)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((12, 2))
    tables = {
        "every row is active": Rows(X[:4], np.array([[1.0], [-1.0], [1.0], [-1.0]])),
        "one row": Rows(X[:1], np.ones((1, 1))),
        "one class": Rows(X, np.ones((12, 1))),
        "copies": Rows(np.repeat(X[:2], 6, axis=0), np.tile([[1.0], [-1.0]], (6, 1))),
    }
    for rows in tables.values():
        found, _ = fit(rows, make_start(), settings)
        assert np.isfinite(found.loss)
        assert np.isfinite(found.parameters.vector).all()


def test_a_kernel_that_is_zero_everywhere():
    rows = Rows(np.zeros((6, 2)), np.array([[1.0], [1.0], [1.0], [1.0], [-1.0], [1.0]]))
    found, _ = fit(rows, ClassParameters(Linear()), replace(SETTINGS, max_iterations=2))
    assert len(found.chosen.indices) == 1
    assert found.parameters.biases[0] > 0.0  # all that can be learned
    posterior = active_posterior(Linear(), rows.X[found.chosen.indices], found.chosen.sites[0])
    assert np.all(np.isfinite(posterior.mean_and_variance(rows.X)[0]))
