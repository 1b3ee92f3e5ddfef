"""Hyperparameters by conditional densities."""

from dataclasses import replace

import numpy as np
import pytest

from sparsegp.kernels import RBF, Auto, Constant, Linear, Matern
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters import policy
from sparsegp.learning.hyperparameters.conditional_climb import (
    ClimbState,
    ConditionalClimb,
    _far_rows,
    distinct_rows,
)
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.neighbours import policy as neighbours_policy
from sparsegp.learning.neighbours.choose import best_of, choose_n_neighbours
from sparsegp.learning.neighbours.families import Learned, learn_family
from sparsegp.learning.settings import Settings
from sparsegp.model.approximation import DTC
from sparsegp.model.exact import exact_log_evidence
from sparsegp.tables.rows import Rows
from tests.array_libraries import on_device
from tests.learning.clocks import Rushing

NOISE = 0.05
SETTINGS = Settings(DTC, "random", 10)


@pytest.fixture(scope="module")
def wavy():
    """A rough function of one column, with an irrelevant one."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3.0, 3.0, (1500, 2))
    f = np.sin(6.0 * X[:, 0]) + 0.5 * np.sin(17.0 * X[:, 0])
    return Rows(X, (f + NOISE**0.5 * rng.standard_normal(len(X)))[:, None])


@pytest.fixture
def short_climb(monkeypatch):
    for room in ("hyperparameters.policy", "neighbours.families"):
        monkeypatch.setattr(f"sparsegp.learning.{room}.SEGMENTS", (20, 30, 50))


def learned(rows, start, template=None, **options):
    context = FitContext(np.random.default_rng(0), **options)
    climb = ConditionalClimb(rows, context, 0)
    return learn_family(climb, start, start, template, context)[0].parameters, context


def chosen_number(rows, parameters, of_subsets, settings, context):
    """The number of neighbours for hyperparameters that were learned with and without them."""
    climbed = [Learned(parameters, None, of_subsets)]
    learned, judge = best_of(rows, climbed, settings.max_basis, 30, context)
    return choose_n_neighbours(judge, learned.of_subsets, settings, context).k


def test_the_neighbours_of_many_rows_are_found_on_their_device(wavy, monkeypatch):
    monkeypatch.setattr("sparsegp.model.neighbours.search.MOST_ROWS_OF_TIES_ON_HOST", 100)
    monkeypatch.setattr(policy, "SLACK_OF_NEIGHBOURS", 0.0)
    context, start = FitContext(np.random.default_rng(0)), Parameters(RBF((0.5, 2.0)), 0.1)
    here = ConditionalClimb(wavy, context, 0)
    there = ConditionalClimb(Rows(on_device(wavy.X), on_device(wavy.y)), context, 0)
    assert there._searched is not wavy.X
    for one, other in zip(
        *(climb.segment(0, 2, start).near.T for climb in (here, there)), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_short_length_scales_start_in_the_family_that_climbs_best(short_climb, monkeypatch):
    """A path of a Wiener process, in which a smooth kernel sees noise: Matern 1/2 is right."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0.0, 10.0, 3000))
    y = np.cumsum(rng.standard_normal(3000) * np.sqrt(np.diff(x, prepend=0.0)))
    rows = Rows(x[:, None], (y - y.mean())[:, None] / y.std())
    start = Parameters(Constant(1.0) * Matern((1.0,), nu=1.5), 1e-3)
    template = Auto()
    context = FitContext(np.random.default_rng(0))
    climb = ConditionalClimb(rows, context, 0)
    started = []
    climb_from = climb.climb
    monkeypatch.setattr(
        climb, "climb", lambda *given: started.append((given[2], given[0])) or climb_from(*given)
    )
    learn_family(climb, start, start, template, context)
    [short] = [s for name, s in started if name == "short length scales" and not s.step]
    assert short.parameters.kernel == Constant(1.0) * Matern((0.5,), nu=0.5)


def test_a_climb_finds_length_scales_and_noise(wavy):
    start = Parameters(Constant(1.0) * RBF((1.0, 1.0)), 0.5)
    found, context = learned(wavy, start)
    relevant, irrelevant = found.kernel.right.length_scale
    assert relevant < 0.4 < 2.0 * irrelevant
    assert found.noise_variance == pytest.approx(NOISE, rel=0.5)
    before, after = (exact_log_evidence(p.kernel, wavy, p.noise_variance) for p in (start, found))
    assert after > before + 500.0
    assert context.history.entries[-1]["n_steps"] == policy.SEGMENTS[-1]


def test_an_open_kernel_takes_the_family_that_fits_near_rows_best(wavy):
    rng = np.random.default_rng(1)  # Brownian motion along the first column is no smooth function
    order = np.argsort(wavy.X[:, 0])
    y = np.empty((len(wavy), 1))
    y[order, 0] = np.cumsum(rng.standard_normal(len(wavy))) / 10.0
    rows = replace(wavy, y=y / np.std(y))
    start = Parameters(Constant(1.0) * RBF((1.0, 3.0)) + Linear(), 0.1)
    found, context = learned(rows, start, Auto())
    entry = context.history.entries[-1]
    densities = entry["log_density"]
    assert entry["family"] == max(densities, key=densities.get)
    assert densities["Matern 1/2"] > densities["as chosen"]
    assert isinstance(found.kernel.left.right, Matern)
    assert isinstance(found.kernel.right, Linear)  # what was added stays


@pytest.mark.usefixtures("short_climb")
def test_the_same_seed_gives_the_same_model(wavy):
    start = Parameters(Constant(1.0) * RBF((1.0, 1.0)), 0.5)
    np.testing.assert_array_equal(*(learned(wavy, start)[0].vector for _ in range(2)))


@pytest.mark.usefixtures("short_climb")
def test_bounds_and_fixed_noise_are_kept(wavy):
    kernel = Constant(1.0) * RBF((1.0, 1.0), length_scale_bounds=(0.8, 1.2))
    found, _ = learned(wavy, Parameters(kernel, 0.3, noise_bounds="fixed"))
    assert found.noise_variance == 0.3
    assert np.all(np.array(found.kernel.right.length_scale) >= 0.8)


def test_a_spent_time_budget_ends_a_climb(wavy):
    budget = TimeBudget(10.0, clock=Rushing())
    _, context = learned(wavy, Parameters(RBF(1.0), 0.5), budget=budget)
    assert context.history.entries[-1]["n_steps"] < policy.SEGMENTS[-1]
    assert budget.cuts


def test_a_short_time_compares_fewer_starts_but_always_the_first(wavy):
    budget = TimeBudget(60.0, clock=Rushing())
    start = Parameters(Constant(1.0) * RBF((1.0, 1.0)), 0.5)
    _, context = learned(wavy, start, Auto(), budget=budget)
    compared = context.history.entries[-1]["log_density"]
    assert "as chosen" in compared
    assert len(compared) < 5
    assert any("starts" in cut for cut in budget.cuts)


def test_a_climb_that_must_end_early_shortens_its_steps(wavy):
    """The noise of small batches is averaged away at the end, wherever the end is."""
    moves = []
    for seconds in (np.inf, 20.0):
        limit = None if seconds == np.inf else seconds
        budget = TimeBudget(limit, clock=Rushing())
        climb = ConditionalClimb(wavy, FitContext(np.random.default_rng(0), budget=budget), 0)
        parameters = Parameters(RBF((1.0, 1.0)), 0.5)
        state = ClimbState.at(parameters)
        state = climb.climb(state, climb.segment(0, 12, parameters), "")
        moves.append(np.abs(state.parameters.vector - parameters.vector).max() / state.step)
    assert moves[1] < 0.7 * moves[0]


def test_a_short_time_is_judged_by_fewer_rows(wavy):
    fine = Parameters(Constant(1.0) * RBF((0.15, 5.0)), NOISE)
    counts = []
    for seconds in (2.0, 20.0, 1e4):
        budget = TimeBudget(seconds, clock=Rushing())
        context = FitContext(np.random.default_rng(0), budget=budget)
        _, judge = best_of(wavy, [Learned(fine, None, fine)], 10, 30, context)
        counts.append(len(judge.count))
        assert bool(budget.cuts) == (seconds < 1e4)
    assert counts == sorted(counts)
    assert counts[0] == neighbours_policy.TIMED_ROWS
    assert counts[-1] == len(wavy) - 10  # of few rows all that are no basis vectors


@pytest.mark.usefixtures("short_climb")
def test_equal_rows_with_equal_targets_do_not_drive_the_noise_to_nothing():
    """Given its copy a row with one of two targets would be predicted without any error."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3.0, 3.0, (400, 2))
    y = np.sign(np.sin(X[:, :1]) + 0.8 * rng.standard_normal((400, 1)))
    copies = Rows(np.tile(X, (4, 1)), np.tile(y, (4, 1)))
    assert len(distinct_rows(copies)) == 400
    found, _ = learned(distinct_rows(copies), Parameters(Constant(1.0) * RBF((1.0, 1.0)), 0.5))
    assert found.noise_variance > 0.2


def test_distinct_rows_keep_the_order_of_the_table(wavy):
    assert distinct_rows(wavy) is wavy
    rows = wavy.take(np.array([5, 2, 5, 9]))
    np.testing.assert_array_equal(distinct_rows(rows).X, wavy.X[[5, 2, 9]])


def test_steps_are_those_of_adam():
    """The first step has the length of the rate in every coordinate that has a gradient."""
    parameters = Parameters(RBF((1.0, 2.0)), 0.1)
    moved = ClimbState.at(parameters).moved(np.array([0.3, 0.0, -0.1]), 0.1)
    step = moved.parameters.vector - parameters.vector
    np.testing.assert_allclose(step, [0.1, 0.0, -0.1], atol=1e-6)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_gradient_that_overflows_moves_nothing(bad):
    state = ClimbState.at(Parameters(RBF((1.0, 2.0)), 0.1)).moved(np.array([0.3, 0.0, -0.1]), 0.1)
    after = state.moved(np.array([0.1, bad, 0.0]), 0.1)
    assert after.step == state.step + 1 and after.parameters == state.parameters
    assert np.all(np.isfinite(after.moved(np.array([0.1, 0.2, 0.0]), 0.1).parameters.vector))


def test_neighbours_are_chosen_where_they_explain_something(wavy):
    context = FitContext(np.random.default_rng(0))
    fine = Parameters(Constant(1.0) * RBF((0.15, 5.0)), NOISE)
    assert chosen_number(wavy, fine, fine, SETTINGS, context) >= 30
    noise = replace(wavy, y=np.random.default_rng(5).standard_normal((len(wavy), 1)))
    smooth = Parameters(0.01 * RBF(1.0), 1.0)
    assert chosen_number(noise, smooth, smooth, SETTINGS, context) == 0
    assert context.history.entries[-1]["chosen"] == 0


def test_structure_finer_than_a_subset_can_see_is_found():
    """Subsets take it for noise: their optimum has long length scales."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (6_000, 3))
    f = np.sin(6.0 * X[:, 0]) * np.cos(5.0 * X[:, 1]) + 0.5 * X[:, 2]
    rows = Rows(X, (f + 0.1 * rng.standard_normal(len(X)))[:, None])
    context = FitContext(rng)
    of_subset = Parameters(Constant(1.0) * RBF((20.0, 20.0, 4.0)), 0.4)
    start = Parameters(Constant(1.0) * RBF((0.87, 0.87, 0.87)), 0.1)
    climb = ConditionalClimb(rows, context, 0)
    found = learn_family(climb, of_subset, start, None, context)[0].parameters
    assert found.noise_variance < 0.05
    assert context.history.entries[-1]["family"] == "short length scales"


def test_neighbours_have_to_predict_better_than_the_basis_of_a_fit_without_them():
    """A smooth function that the basis explains, and hyperparameters that do not know it."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3.0, 3.0, (1_500, 2))
    rows = Rows(X, np.sin(X[:, :1]) + 0.3 * rng.standard_normal((1_500, 1)))
    fine, smooth = (Parameters(Constant(1.0) * RBF((s, s)), 0.09) for s in (0.3, 2.0))
    context = FitContext(rng)
    settings = replace(SETTINGS, max_basis=50)
    assert chosen_number(rows, fine, fine, settings, context) >= 30
    assert chosen_number(rows, fine, smooth, settings, context) == 0


def test_a_long_length_scale_is_known_in_a_dense_table():
    """Thirty nearest of 4,000 rows on a line are no further than 1/130 of it from each other."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (4_000, 1))
    noise = np.where(X[:, 0] > 0.0, 0.5, 0.05) * rng.standard_normal(len(X))
    rows = Rows(X, (np.sin(6.0 * X[:, 0]) + noise)[:, None])
    found, _ = learned(rows, Parameters(RBF((0.4,)), 0.1))
    assert 0.1 < found.kernel.length_scale[0] < 0.6


def test_far_rows_are_other_rows():
    near, positions = np.array([[1, 2], [5, 6]]), np.array([0, 7])
    far = _far_rows(near, positions, 3, 8)
    for row, known, drawn in zip(positions, near, far, strict=True):
        assert row not in drawn
        assert not set(known) & set(drawn)
