"""The search over hyperparameters: it finds optima, rejects failed steps and says so."""

import numpy as np
import pytest

from sparsegp.exceptions import NotPositiveDefiniteError, OptimisationError
from sparsegp.kernels import RBF
from sparsegp.learning.hyperparameters.optimise import (
    maximise,
    maximise_from_several,
)
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.policy import LONGEST_FIRST_STEP

START = Parameters(RBF([1.0, 1.0]), 1.0)


def bowl(parameters):
    """A maximum at log parameters (1, −1, 0.5)."""
    away = parameters.vector - np.array([1.0, -1.0, 0.5])
    return -float(away @ away), -2.0 * away


def test_finds_the_maximum():
    found = maximise(bowl, START, max_evaluations=50)
    np.testing.assert_allclose(found.parameters.vector, [1.0, -1.0, 0.5], atol=1e-4)
    assert found.converged and found.n_rejections == 0


def test_keeps_to_the_bounds():
    narrow = Parameters(RBF([1.0, 1.0], (0.9, 1.1)), 1.0, "fixed")

    def plane(parameters):
        return float(parameters.vector.sum()), np.ones(2)

    found = maximise(plane, narrow, max_evaluations=20)
    np.testing.assert_allclose(found.parameters.kernel.length_scale, (1.1, 1.1))


@pytest.mark.parametrize("failure", ["error", "nan value", "nan gradient"])
def test_a_failed_step_is_rejected_and_the_search_goes_on(failure):
    visited = []

    def cliff(parameters):
        """The bowl, but nothing can be computed beyond 1.2 in the first coordinate."""
        visited.append(parameters.vector)
        value, gradient = bowl(parameters)
        if parameters.vector[0] > 1.2:
            if failure == "error":
                raise NotPositiveDefiniteError
            return (np.nan, gradient) if failure == "nan value" else (value, gradient * np.nan)
        return value, gradient

    start = START.with_vector(np.array([-0.4, -1.0, 0.5]))
    found = maximise(cliff, start, max_evaluations=200)
    assert any(point[0] > 1.2 for point in visited), "the cliff was never met: no test at all"
    assert found.n_rejections > 0
    np.testing.assert_allclose(found.parameters.vector, [1.0, -1.0, 0.5], atol=1e-3)


def test_failure_at_the_start_is_typed():
    def never(parameters):
        raise NotPositiveDefiniteError("no way")

    with pytest.raises(OptimisationError, match="at the start: no way"):
        maximise(never, START, max_evaluations=5)


def test_budget_is_kept_and_the_best_point_returned():
    calls = []

    def counted(parameters):
        calls.append(parameters)
        return bowl(parameters)

    found = maximise(counted, START, max_evaluations=3)
    assert len(calls) == found.n_evaluations == 3
    assert found.value == max(bowl(p)[0] for p in calls)
    assert not found.converged


def test_nothing_to_learn():
    fixed = Parameters(RBF(1.0, "fixed"), 1.0, "fixed")
    found = maximise(lambda p: (0.0, np.empty(0)), fixed, max_evaluations=5)
    assert found.parameters == fixed


def test_progress_is_told():
    told = []
    maximise(bowl, START, max_evaluations=30, tell=lambda step, value: told.append((step, value)))
    values = [value for _, value in told]
    assert values == sorted(values, reverse=True)


def test_restarts_find_the_higher_of_two_hills():
    def hills(parameters):
        x = parameters.vector[0]
        low, high = np.exp(-0.5 * (x + 1.0) ** 2), 3.0 * np.exp(-0.5 * (x - 4.0) ** 2)
        gradient = np.zeros(3)
        gradient[0] = -(x + 1.0) * low - (x - 4.0) * high
        return low + high, gradient

    start = START.with_vector(np.array([-1.0, 0.0, 0.0]))
    rng = np.random.default_rng(0)
    alone = maximise_from_several(hills, start, 0, rng, max_evaluations=50)
    several = maximise_from_several(hills, start, 30, rng, max_evaluations=50)
    assert alone.value < 1.5 < several.value


def test_a_steep_start_does_not_jump_into_a_corner():
    """Below −4 nothing changes any more, at a value that is better than that of the start."""
    start = Parameters(RBF(1.0), 1.0, "fixed")
    visited = []

    def valley(parameters):
        [theta] = parameters.vector
        visited.append(theta)
        if theta < -4.0:
            return -50.0, np.zeros(1)
        away = theta + 2.0
        return -100.0 * float(away**2), np.array([-200.0 * away])

    found = maximise(valley, start, max_evaluations=30)
    assert found.converged
    np.testing.assert_allclose(found.parameters.vector, -2.0, atol=1e-3)
    assert abs(visited[1]) <= LONGEST_FIRST_STEP + 1e-9
