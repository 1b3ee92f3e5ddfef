"""A deadline, its parts, and who asks before every step."""

import numpy as np

from sparsegp.kernels import RBF
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.hyperparameters.optimise import maximise, maximise_from_several
from sparsegp.learning.hyperparameters.parameters import Parameters
from tests.learning.clocks import Clock, forbidden


def test_without_a_limit_nobody_looks_at_the_clock():
    budget = TimeBudget(clock=forbidden)
    iterations = budget.iterations()
    assert budget.left() == budget.part(0.1).left() == budget.without(5.0).left() == np.inf
    assert budget.has(1e9) and iterations() and iterations()
    iterations.note("search", 3)
    assert budget.cuts == []


def test_parts_end_earlier_and_share_what_was_cut():
    clock = Clock()
    budget = TimeBudget(10.0, clock)
    clock.now = 2.0
    part, rest = budget.part(0.25), budget.without(3.0)
    assert (part.left(), rest.left(), budget.left()) == (2.0, 5.0, 8.0)
    clock.now = 6.0
    assert not part.has() and rest.has() and not rest.has(1.0)
    part.cut("selection", "left out")
    assert budget.cuts == rest.cuts == ["selection: left out"]


def test_laps_expect_what_took_long_before_though_less_and_less():
    clock = Clock()
    iterations = TimeBudget(10.0, clock).iterations()
    clock.now = 4.0
    assert iterations() and iterations.seconds == 4.0
    clock.now = 4.5
    assert iterations() and iterations.seconds == 0.8 * 4.0
    clock.now = 7.5
    assert not iterations() and iterations.refused


def parabola(parameters):
    vector = parameters.vector
    return -float(np.sum((vector - 0.3) ** 2)), -2.0 * (vector - 0.3)


def test_a_search_ends_with_the_best_it_has():
    start = Parameters(RBF(5.0), 1.0)
    found = maximise(parabola, start, max_evaluations=50, go_on=lambda: False)
    assert found.n_evaluations == 1
    np.testing.assert_array_equal(found.parameters.vector, start.vector)
    answers = iter([True, True, False])
    found = maximise(parabola, start, max_evaluations=50, go_on=lambda: next(answers))
    assert found.n_evaluations == 3
    assert found.value > parabola(start)[0]


def test_restarts_are_left_out():
    rng = np.random.default_rng(0)
    start = Parameters(RBF(5.0), 1.0)
    maximise_from_several(parabola, start, 4, rng, max_evaluations=50, go_on=lambda: False)
    assert rng.normal() == np.random.default_rng(0).normal()
