"""Choosing a basis and adapting hyperparameters to it, in turn."""

from dataclasses import replace

import numpy as np
import pytest

from sparsegp.kernels import RBF
from sparsegp.learning.basis import adapt as module
from sparsegp.learning.basis import policy
from sparsegp.learning.basis.adapt import select_and_adapt
from sparsegp.learning.basis.candidates import Candidates
from sparsegp.learning.basis.select import BasisSelector
from sparsegp.learning.budget.pass_cost import PassCost
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.budget.time_plan import NO_TIME_LIMIT, TimePlan
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.settings import Settings
from sparsegp.model.approximation import APPROXIMATIONS
from sparsegp.model.evidence import log_evidence
from sparsegp.model.features import make_basis
from sparsegp.tables.rows import Rows
from tests.learning.clocks import Clock
from tests.plain import plain_regressor

FEW = 20


@pytest.fixture(autouse=True)
def rounds_of_few(monkeypatch):
    monkeypatch.setattr(policy, "MAX_ADAPTED_BASIS", FEW)


@pytest.fixture
def sizes(monkeypatch):
    """Basis vectors of each search for hyperparameters."""
    seen = []
    objective = module.sparse_objective

    def watched(rows, Z, *others):
        seen.append(len(Z))
        return objective(rows, Z, *others)

    monkeypatch.setattr(module, "sparse_objective", watched)
    return seen


def table(seed=0, n=400, n_columns=2):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, n_columns))
    y = np.sin(2.0 * X[:, :1]) * np.cos(X[:, 1:2]) + 0.05 * rng.standard_normal((n, 1))
    return Rows(X, y)


def parallel_map(rows, *, rule="dtc", times=NO_TIME_LIMIT, learn=True, seed=0, **options):
    options = {"selection": "log_posterior", "max_basis": 60} | options
    settings = Settings(rule=APPROXIMATIONS[rule], **options)
    start = Parameters(RBF([1.0] * rows.X.shape[1]), 0.1)
    context = FitContext(np.random.default_rng(seed))
    found = select_and_adapt(
        rows,
        Candidates.of(rows),
        start,
        settings,
        context,
        learn=learn,
        times=times,
    )
    return found, context.history.entries


def evidence(found, rows, rule="dtc"):
    basis = make_basis(found.parameters.kernel, found.Z)
    return log_evidence(basis, rows, found.parameters.noise_variance, APPROXIMATIONS[rule])


def chosen(entries):
    return [entry["n_basis"] for entry in entries if entry["phase"] == "selection"]


def test_a_large_basis_is_chosen_once_after_an_adaptation_to_the_first_ones(sizes):
    found, entries = parallel_map(table())
    assert sizes == [FEW] and chosen(entries) == [FEW, 60]
    assert len(found.indices) == 60 == len(set(found.indices.tolist()))
    assert np.array_equal(found.Z, table().X[found.indices])


def test_a_small_basis_is_chosen_again_after_its_adaptation(sizes):
    found, entries = parallel_map(table(), max_basis=15)
    assert sizes == [15] and chosen(entries) == [15, 15] and len(found.indices) == 15


@pytest.mark.parametrize("options", [{"rule": "vfe"}, {"rule": "fitc"}, {"objective": "loo_error"}])
def test_hyperparameters_that_belong_to_the_size_are_adapted_to_all(sizes, options):
    found, entries = parallel_map(table(), **options)
    assert sizes == [60] and chosen(entries) == [60, 60] and len(found.indices) == 60


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("max_basis", [15, 60])
def test_a_model_is_likelier_adapted(seed, max_basis):
    rows = table(seed)
    before, _ = parallel_map(rows, max_basis=max_basis, learn=False, seed=seed)
    after, _ = parallel_map(rows, max_basis=max_basis, seed=seed)
    assert evidence(after, rows) > evidence(before, rows) + 0.05 * len(rows)


@pytest.mark.parametrize("options", [{"n_adaptations": 2}, {"search": False}])
def test_what_was_asked_for_is_adapted_to_the_whole_basis(sizes, options, monkeypatch):
    monkeypatch.setattr(policy, "MAX_GRAM_FOR_ADAPTATION", 1.0)  # not cheap
    found, entries = parallel_map(table(), **options)
    assert set(sizes) == {60} == set(chosen(entries)) and len(found.indices) == 60


@pytest.mark.parametrize(
    ("options", "n_rows"), [({}, 150), ({"n_adaptations": 1}, 400), ({"search": False}, 400)]
)
def test_what_was_asked_for_is_adapted_by_all_rows(options, n_rows, monkeypatch):
    monkeypatch.setattr(policy, "ROWS_FOR_EVIDENCE", 150)
    seen, objective = [], module.sparse_objective

    def watched(rows, *others):
        seen.append(len(rows))
        return objective(rows, *others)

    monkeypatch.setattr(module, "sparse_objective", watched)
    parallel_map(table(), **options)
    assert set(seen) == {n_rows}


@pytest.mark.parametrize("objective", ["evidence", "loo_density"])
def test_out_of_core_rows_adapt_as_those_in_memory(objective, tmp_path):
    rows = table()
    stored = np.memmap(tmp_path / "X", dtype=float, mode="w+", shape=rows.X.shape)
    stored[:] = rows.X
    options = {"max_basis": 12, "stop": None, "random_state": 0, "objective": objective}
    kernel, scaled = RBF([1.0, 1.0]), {"transform_X": "none", "transform_y": "none"}
    in_memory, out_of_core = (
        plain_regressor(kernel, optimizer="at_basis", n_adaptations=2, **options, **scaled).fit(
            X, rows.y[:, 0]
        )
        for X in (rows.X, stored)
    )
    assert in_memory.basis_indices_.tolist() == out_of_core.basis_indices_.tolist()
    np.testing.assert_allclose(out_of_core.kernel_.theta, in_memory.kernel_.theta, rtol=1e-5)


def test_an_exact_process_is_adapted_by_all_rows_when_asked_for():
    rows = table(n=700)
    options = {"max_basis": "all", "random_state": 0, "n_evaluations": 2, "calibrate": False}
    models = [
        plain_regressor("rbf", n_adaptations=n, **options).fit(rows.X, rows.y[:, 0]) for n in (0, 1)
    ]
    evidences = [model.log_marginal_likelihood_value_ for model in models]
    assert evidences[1] > evidences[0]
    phases = [[entry["phase"] for entry in model.history_] for model in models]
    assert [Phase.ADAPTATION.label() in names for names in phases] == [False, True]


def test_a_basis_that_is_no_better_is_accepted_on_request_alone(sizes, monkeypatch):
    """Every selection but the first is of a random basis, which has a lower evidence."""
    kept, select = [], BasisSelector.select

    def worse(self, parameters, max_basis, *, old=()):
        found = select(self, parameters, max_basis)
        if len(old):
            n = len(found.indices)
            found = replace(found, indices=np.arange(n), Z=self._rows.X[:n])
        kept.append(found.indices)
        return found

    monkeypatch.setattr(BasisSelector, "select", worse)
    better, _ = parallel_map(table(), n_adaptations=3, max_basis=8)
    assert np.array_equal(better.indices, kept[0])
    kept.clear(), sizes.clear()
    always, _ = parallel_map(table(), n_adaptations=3, max_basis=8, accept_basis="always")
    assert len(kept) == 4 and sizes == [8, 8, 8]
    assert np.array_equal(always.indices, kept[-1]) and not np.array_equal(kept[0], kept[-1])


def test_nothing_is_adapted_unless_asked_for(sizes):
    for options in ({"n_adaptations": 0}, {"learn": False}):
        found, entries = parallel_map(table(), **options)
        assert not sizes and chosen(entries) == [60]
        assert found.parameters.noise_variance == 0.1


def test_a_random_basis_is_drawn_again_after_the_adaptation(sizes):
    found, entries = parallel_map(table(), selection="random")
    assert sizes == [FEW] and chosen(entries) == [FEW, 60] and len(found.indices) == 60


def test_fewer_than_the_first_ones_are_all_there_is(sizes):
    rows = table(n=12)
    twice = Rows(np.tile(rows.X, (3, 1)), np.tile(rows.y, (3, 1)))
    found, entries = parallel_map(twice)
    assert sizes == [12] and chosen(entries)[0] == 12 and len(found.indices) <= 12


def test_without_time_for_an_adaptation_the_basis_is_chosen_once(sizes):
    times = TimePlan(TimeBudget(1.0, Clock()), PassCost(1e-6), n_rows=400)
    _, entries = parallel_map(table(), times=times)
    assert not sizes and len(chosen(entries)) == 1
    assert f"{Phase.ADAPTATION}: left out" in times.budget.cuts


@pytest.mark.parametrize("rule", ["vfe", "fitc"])
def test_a_basis_too_large_to_adapt_is_adapted_at_a_smaller_size(rule, sizes, monkeypatch):
    """More basis vectors start where fewer ended, instead of being left as the subsets were."""
    monkeypatch.setattr(policy, "MAX_GRAM_FOR_ADAPTATION", 400 * 25.0**2)
    found, entries = parallel_map(table(), rule=rule)
    assert sizes == [25] and chosen(entries) == [25, 60] and len(found.indices) == 60
    unadapted, _ = parallel_map(table(), rule=rule, learn=False)
    assert found.parameters.noise_variance != unadapted.parameters.noise_variance
