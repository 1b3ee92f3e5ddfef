"""Active-set selection on problems of the oracles, shared by the tests of its parts."""

import numpy as np
import pytest

from sparsegp.selection.active.filtering import Filter
from sparsegp.selection.active.steps import moment_matching
from sparsegp.selection.active_set import SELECTIONS, ActiveSet
from tests.oracles import two_classes as oracle
from tests.oracles.selection import divergence
from tests.property_settings import cases

SITES = ("moment_matching", "predictive_loss")
TEN = cases(10)

every_selection = pytest.mark.parametrize("selection", SELECTIONS)
every_site = pytest.mark.parametrize("sites", SITES)


def select_columns(problems, selection="adaptive", max_basis=6, **options) -> ActiveSet:
    given_options = {"n_candidates": 4, "rng": np.random.default_rng(problems[0].seed)} | options
    return oracle.select_columns(
        problems, max_basis=max_basis, selection=selection, **given_options
    )


def select(problem: oracle.Problem, *arguments, **options) -> oracle.OneColumn:
    return oracle.OneColumn.of(select_columns([problem], *arguments, **options))


def make_filter(problem: oracle.Problem, max_basis: int = 10) -> Filter:
    prior = problem.kernel.diagonal(problem.X)
    return Filter(prior, problem.y, problem.weight, problem.likelihood, max_basis)


def functions_of(state: Filter, problem: oracle.Problem, at: np.ndarray) -> np.ndarray:
    return state.functions(at, problem.kernel(problem.X[at], problem.X))


def run_filter(problem: oracle.Problem, n_included: int) -> Filter:
    """Include the first rows by matched moments."""
    state = make_filter(problem)
    for j in range(n_included):
        at = np.array([j])
        steps, functions = moment_matching(state, at), functions_of(state, problem, at)
        state.include(j, functions[0], float(steps.eta[0]), float(steps.alpha[0]))
    return state


def brute_score(selection, problem, mean, A, active, j) -> float:
    """What a selector says of row j, from its definition; lower is better."""
    new_mean, new_A = oracle.include(mean, A, j, *oracle.matched(problem, mean, A, j))
    if selection == "entropy":  # of the process: half the log determinant
        return 0.5 * (np.linalg.slogdet(new_A)[1] - np.linalg.slogdet(A)[1])
    if selection == "information_gain":
        return -divergence(new_mean, new_A, mean, A)
    left_out = [*active, j] if selection == "validation" else []
    over = np.setdiff1d(np.arange(len(mean)), left_out)
    return oracle.loss(problem, new_mean, np.diagonal(new_A), over)
