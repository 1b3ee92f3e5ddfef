"""First hyperparameters from nested subsets."""

from dataclasses import replace

import numpy as np
from sklearn.datasets import make_friedman1

from sparsegp.kernels import RBF, Constant
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.exact_subsets import (
    _likelier,
    _tempered,
    exact_objective,
    first_parameters,
)
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.policy import MAX_EXTENDED_EVALUATIONS
from sparsegp.tables.rows import Rows

START = Parameters(Constant(1.0) * RBF([1.0] * 5), 0.1)


def context():
    return FitContext(np.random.default_rng(0))


def friedman(n):
    X, y = make_friedman1(n, n_features=5, noise=1.0, random_state=0)
    X, y = (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()
    return Rows(X, y[:, None])


def test_a_small_table_is_one_stage_on_all_rows():
    rows = friedman(80)
    optima = first_parameters(rows, START, context())
    assert len(optima) == 1
    assert optima[0].value == exact_objective(rows)(optima[0].parameters)[0]


def test_stages_come_close_to_the_optimum_of_all_rows():
    rows = friedman(600)
    stages = ((210, 40), (400, 20), (600, 30))
    staged = first_parameters(rows, START, context(), stages=stages)
    whole = first_parameters(rows, START, context(), stages=((600, 100),))
    assert [len(staged), len(whole)] == [3, 1]
    assert staged[-1].value > whole[-1].value - 2.0


def test_a_subset_taken_for_noise_does_not_decide():
    """Few rows of a rough function look like noise; more rows find the start more likely."""
    rng = np.random.default_rng(1)
    X = rng.uniform(0, 150, size=(600, 1))
    rows = Rows(X, np.sin(3 * X))
    start = Parameters(Constant(1.0) * RBF(0.5), 0.1)
    noise_only = Parameters(Constant(1e-6) * RBF(0.5), 1.0)
    assert _likelier(rows, start, noise_only) == start
    better = Parameters(Constant(0.6) * RBF(0.6), 1e-4)
    assert _likelier(rows, start, better) == better


def test_a_column_that_few_rows_find_irrelevant_gets_another_chance():
    """The optimum of the first stage is handed on without its extremes."""
    start = Parameters(Constant(1.0) * RBF([1.0, 1.0]), 0.1)
    blind = start.kernel.with_theta(np.log([1.0, 1.0, 1e4]))
    X = np.random.default_rng(0).standard_normal((100, 2))
    rows = Rows(X, np.sin(X).sum(axis=1, keepdims=True))
    tempered = _tempered(rows, start, Parameters(blind, 0.1))
    assert np.all(np.abs(tempered.kernel.theta - start.kernel.theta) <= np.log(5.0) + 1e-12)


def test_extremes_stay_where_all_would_be_lost_without():
    """A linear function has no other length scales than long ones, as rows without noise know."""
    X = np.random.default_rng(0).standard_normal((100, 3))
    rows = Rows(X, X @ np.array([[1.0], [-0.5], [0.3]]))
    start = Parameters(Constant(1.0) * RBF([1.0] * 3), 0.1)
    far_out = start.kernel.with_theta(np.log([1e4, 200.0, 200.0, 200.0]))
    assert _tempered(rows, start, Parameters(far_out, 1e-6)).kernel == far_out
    noisy = Rows(X, rows.y + np.random.default_rng(1).standard_normal((100, 1)))
    assert _tempered(noisy, start, Parameters(far_out, 1.0)).kernel != far_out


def test_too_few_rows_for_the_parameters_are_no_stage():
    rows = friedman(400)
    stages = ((100, 5), (250, 5), (400, 5))
    optima = first_parameters(rows, START, context(), stages=stages)
    assert len(optima) == 2


def test_a_head_start_takes_the_place_of_the_first_stages():
    rows = friedman(300)
    whole = first_parameters(rows, START, context())[-1]
    ahead = first_parameters(rows, START, context(), warm_start=whole.parameters)
    assert len(ahead) == 1 and ahead[0].n_evaluations <= 20
    assert ahead[0].value >= whole.value - 1e-3


def noiseless(n):
    """Rows of which the evidence keeps rising while a search finds the noise and the scales."""
    X = np.random.default_rng(0).normal(size=(n, 5))
    y = X @ [1.0, 0.5, 0.2, 0.1, 0.0]
    return Rows(X, (y / y.std())[:, None])


def test_a_stage_goes_on_while_its_evaluations_gain_much():
    stages = ((300, 5),)
    [long] = first_parameters(noiseless(300), START, context(), stages=stages)
    [short] = first_parameters(friedman(300), START, context(), stages=((300, 20),))
    assert 10 < long.n_evaluations <= MAX_EXTENDED_EVALUATIONS
    assert short.n_evaluations == 20 or short.converged


def test_steps_beyond_the_planned_ones_are_steps_of_more():
    told = []
    first_parameters(
        noiseless(300), START, replace(context(), listener=told.append), stages=((300, 5),)
    )
    assert max(step.step for step in told) > 5
    assert all(step.step <= step.total for step in told)


def test_restarts_are_as_long_as_planned():
    [found] = first_parameters(noiseless(300), START, context(), stages=((300, 4),), n_restarts=2)
    assert found.n_evaluations == 4
