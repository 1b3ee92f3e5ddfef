"""A limit of time: what is cut, what is said of it, and that the model is one."""

from functools import partial

import numpy as np
import pytest
from sklearn.base import clone

from sparsegp import SparseGPClassifier, SparseGPRegressor, load
from sparsegp.learning.basis.select import SelectedBasis
from sparsegp.learning.budget import policy
from sparsegp.learning.budget.pass_cost import PassCost
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.budget.time_plan import TimePlan
from sparsegp.selection.stopping import Path
from tests.files.make_fixtures import FOLDER
from tests.learning.clocks import Clock, Rushing, forbidden
from tests.plain import plain_regressor

RNG = np.random.default_rng(0)
X = RNG.uniform(-3, 3, (700, 2))
Y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.1 * RNG.normal(size=700)
LABELS = np.where(Y > 0.0, "up", "down")
CLASSES = np.digitize(Y, [-0.7, 0.7])

REGRESSORS = {
    "regressor": {},
    "leave one out": {"selection": "loo_error", "objective": "loo_density"},
    "fresh candidates": {"n_candidates": 5, "approximation": "fitc"},
    "information gain": {"selection": "information_gain"},
    "random": {"selection": "random", "n_adaptations": 2},
    "moved": {"refine_basis": True, "max_basis": 10},
    "transformed": {"transform_X": "auto", "transform_y": "auto"},
    "kernel": {"kernel": "auto"},
    "every row": {"max_basis": 700, "stop": None},
    "given hyperparameters": {"optimizer": None},
}
CLASSIFIERS = {"projected": {}, "active": {"posterior": "active", "n_adaptations": 2}}


def regressor(**options):
    return plain_regressor(**{"max_basis": 40, "random_state": 0} | options)


def classifier(**options):
    return SparseGPClassifier(**{"max_basis": 30, "random_state": 0} | options)


@pytest.fixture(autouse=True)
def few_basis_vectors(monkeypatch):
    """Let models be smaller than these tables ask for, so that there is something to cut."""
    monkeypatch.setattr(policy, "MIN_BASIS", 16)


@pytest.fixture
def at(monkeypatch):
    """Let budgets go by a clock."""

    def go_by(clock):
        monkeypatch.setattr(
            "sparsegp.estimators.options.context.TimeBudget", partial(TimeBudget, clock=clock)
        )
        return clock

    return go_by


def check(model, y):
    """A model like any other, which says what was cut."""
    noted = model.history_[-1]
    assert noted["phase"] == "time limit"
    assert noted["time_limit"] == model.time_limit
    assert noted["cut_short"] == model.cut_short_
    assert len(model.basis_indices_) == len(model.basis_vectors_) == model.n_basis_
    if isinstance(model, SparseGPRegressor):
        mean, std = model.predict(X[:50], return_std=True)
        assert np.all(np.isfinite(mean)) and np.all(std > 0.0)
        assert model.prefix(1).n_basis_ == 1
    else:
        p = model.predict_proba(X[:50])
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert model.score(X, y) > (0.0 if y.dtype.kind == "f" else 1.2 / len(np.unique(y)))


@pytest.mark.parametrize("name", REGRESSORS)
def test_with_time_enough_a_regressor_is_the_same(name, at):
    small = X[:150], Y[:150]
    options = REGRESSORS[name] | ({"max_basis": 150} if name == "every row" else {})
    at(forbidden)  # without a limit nobody looks at it
    free = regressor(**options).fit(*small)
    assert free.cut_short_ == []
    assert all(entry["phase"] != "time limit" for entry in free.history_)
    at(Clock())
    limited = regressor(time_limit=1.0, **options).fit(*small)
    assert limited.cut_short_ == limited.history_[-1]["cut_short"] == []
    np.testing.assert_array_equal(free.basis_indices_, limited.basis_indices_)
    np.testing.assert_array_equal(free.predict(X[150:]), limited.predict(X[150:]))


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_with_time_enough_a_classifier_is_the_same(name, at):
    small = X[:150], LABELS[:150]
    at(forbidden)
    free = classifier(**CLASSIFIERS[name]).fit(*small)
    at(Clock())
    limited = classifier(time_limit=1.0, **CLASSIFIERS[name]).fit(*small)
    assert free.cut_short_ == limited.cut_short_ == []
    np.testing.assert_array_equal(free.predict_proba(X[150:]), limited.predict_proba(X[150:]))


# what is slow, how slow, whose fit it is, and what is said of it
SLOW_STEPS = {
    "transforms": ("transforms", 1.0, regressor(transform_y="auto"), "transforms: target"),
    "first stage": ("hyperparameters on", 1.0, regressor(), "on 250 rows: ended after"),
    "later stage": ("hyperparameters on 250", 0.2, regressor(), "on 500 rows: left out"),
    "selection": ("selection", 0.4, regressor(optimizer=None), "selection: ended at"),
    "sample domain": (
        *("selection", 0.4),
        regressor(optimizer=None, selection="loo_error"),
        "selection: ended at",
    ),
    "adaptation": ("hyperparameters at", 3.0, regressor(n_adaptations=3), "basis: ended after"),
    "refinement": ("inducing inputs", 2.0, regressor(refine_basis=True), "700 rows: ended after"),
    "classes first": ("hyperparameters on", 1.0, classifier(), "on 250 rows: ended after"),
    "classes selection": ("selection", 0.4, classifier(optimizer=None), "selection: ended at"),
    "classes moving": ("inducing inputs", 1.0, classifier(), "700 rows: ended after"),
    "active selection": (
        *("selection", 0.4),
        classifier(posterior="active", optimizer=None),
        "selection: ended at",
    ),
    "active adaptation": (
        *("hyperparameters by", 3.0),
        classifier(posterior="active"),
        "loss: ended after",
    ),
}


@pytest.mark.parametrize("name", SLOW_STEPS)
def test_slow_steps_are_cut(name, at):
    phase, seconds, estimator, what = SLOW_STEPS[name]
    clock = at(Clock(phase, seconds))
    y = Y if isinstance(estimator, SparseGPRegressor) else CLASSES
    model = clone(estimator).set_params(time_limit=10.0, callback=clock.listen).fit(X, y)
    assert any(what in cut for cut in model.cut_short_), model.cut_short_
    check(model, y)
    assert clock.now <= 12.0


@pytest.mark.parametrize("options", [*REGRESSORS.values()], ids=[*REGRESSORS])
def test_no_time_at_all_is_a_small_regressor(options, at):
    at(Rushing())
    model = regressor(time_limit=1e-3, **options).fit(X, Y)
    assert 1 <= model.n_basis_ <= 16
    assert model.cut_short_
    check(model, Y)


@pytest.mark.parametrize("options", [*CLASSIFIERS.values()], ids=[*CLASSIFIERS])
def test_no_time_at_all_is_a_small_classifier(options, at):
    at(Rushing())
    model = classifier(time_limit=1e-3, **options).fit(X, CLASSES)
    assert 1 <= model.n_basis_ <= 16
    check(model, CLASSES)


def test_a_selection_that_is_too_slow_is_completed_at_random(at):
    """Of many classes a single step may take longer than all of the selection should."""
    clock = at(Clock("selection", 6.0))
    model = classifier(time_limit=10.0, optimizer=None, callback=clock.listen).fit(X, CLASSES)
    assert "selection: ended at 1 basis vectors" in model.cut_short_
    assert model.n_basis_ == 16
    assert len(np.unique(model.basis_indices_)) == 16
    check(model, CLASSES)


def test_a_real_millisecond():
    check(regressor(time_limit=1e-3).fit(X, Y), Y)
    check(classifier(time_limit=1e-3).fit(X, LABELS), LABELS)


def costs(monkeypatch, seconds, n, m):
    """Let a pass over n rows with m basis vectors take so long."""
    cost = PassCost.of_pass(seconds, n, m, policy.BREAK_EVEN_BASIS)
    monkeypatch.setattr("sparsegp.learning.budget.regression_plan.time_pass", lambda *_: cost)
    return cost


def selections_end_at(now, clock, monkeypatch):
    """Let a selection take longer than anything that was planned."""
    original = SelectedBasis.__init__

    def slow(self, *arguments, **options):
        original(self, *arguments, **options)
        clock.now = now

    monkeypatch.setattr(SelectedBasis, "__init__", slow)


def test_a_slow_machine_has_a_smaller_basis(at, monkeypatch):
    at(Clock())
    costs(monkeypatch, 1.0, 700, 100)
    model = regressor(time_limit=0.7).fit(X, Y)
    assert 16 < model.n_basis_ < 40
    assert model.cut_short_[0].startswith(f"selection: at most {model.n_basis_} of 40 basis")
    check(model, Y)


def test_a_selection_that_takes_too_long_cuts_the_final_pass(at, monkeypatch):
    """The first basis vectors are kept, as many as the grace allows."""
    clock = at(Clock())
    costs(monkeypatch, 20.0, 700, 40)
    whole = regressor(optimizer=None, selection="random").fit(X, Y).basis_indices_
    selections_end_at(99.0, clock, monkeypatch)
    model = regressor(time_limit=100.0, optimizer=None, selection="random").fit(X, Y)
    assert 16 < model.n_basis_ < 40
    assert model.cut_short_ == [f"final pass: {model.n_basis_} of 40 basis vectors"]
    np.testing.assert_array_equal(model.basis_indices_, whole[: model.n_basis_])
    check(model, Y)


class OfBasis:
    """A second a basis vector."""

    unit = 1.0

    def seconds(self, n, m):
        return float(m)


def late(limit, left):
    """Return a timetable of a fit that has so many seconds left, at one second a basis vector."""
    budget = TimeBudget(limit, clock=iter([0.0, *[limit - left] * 9]).__next__)
    return TimePlan(budget, OfBasis(), n_rows=1)


LATE = [(90.5, 90), (30.5, 30), (5.0, 20), (0.0, 20), (-2.0, 18), (-20.0, 16), (-90.0, 16)]


@pytest.mark.parametrize(("left", "m"), LATE)
def test_a_fit_that_is_late_has_a_grace(left, m):
    times = late(205.0, left)
    assert times.has_time_for(m)
    assert not times.has_time_for(m + 1)
    # what was selected is finished, however late it is, if that takes no longer than the grace
    assert times.basis_within(100) == max(m, 20)


def test_without_a_pace_there_is_no_grace():
    budget = TimeBudget(200.0, clock=iter([0.0, *[201.0] * 9]).__next__)
    assert TimePlan(budget, n_rows=1).basis_within(100) == 16
    assert not TimePlan(budget, n_rows=1).has_time_for(17)


def test_time_that_runs_out_in_the_selection_leaves_what_the_grace_allows(at, monkeypatch):
    clock = at(Clock("selection", 0.5))
    costs(monkeypatch, 0.7, 700, 25)
    model = regressor(optimizer=None, time_limit=10.0, callback=clock.listen).fit(X, Y)
    assert 16 <= model.n_basis_ <= 25
    assert clock.now <= 11.0
    check(model, Y)


def test_digits_that_are_gone_are_not_worth_the_time_of_all_that_is_left():
    path = Path(40, stop=False, time_for=lambda m, work: m + work <= 50)
    path.add(0, 0.0)
    assert path.has_time_for(30.0)
    assert not path.has_time_for_all(30.0)
    assert path.has_time_for_all(10.0)
    assert Path(40, stop=False).has_time_for_all(1e9)


def test_noise_is_not_chosen_in_a_hurry(at):
    clock = at(Clock("transforms", 1.0))
    model = regressor(noise=None, transform_y="auto", time_limit=10.0, callback=clock.listen)
    model.fit(X, Y)
    assert "choice of noise: left out" in model.cut_short_
    assert model.noise_ != "heteroscedastic"
    check(model, Y)


def test_a_basis_that_moved_is_not_cut_but_sees_fewer_rows(at, monkeypatch):
    clock = at(Clock())
    monkeypatch.setattr(policy, "MIN_ROWS", 300)
    monkeypatch.setattr(policy, "GRACE", 0.007)
    costs(monkeypatch, 1.0, 700, 20)
    selections_end_at(99.5, clock, monkeypatch)
    model = regressor(max_basis=20, refine_basis=True, time_limit=100.0).fit(X, Y)
    assert model.n_basis_ == 20
    assert "final pass: 340 of 700 rows" in model.cut_short_
    check(model, Y)


def test_sites_of_a_classifier_end_early(at, monkeypatch):
    clock = at(Clock())
    seen = []

    def slow(posteriors_of):
        def wrapped(*arguments):
            *others, go_on = arguments

            def asked():
                clock.now += 1.0
                seen.append(go_on())
                return seen[-1]

            return posteriors_of(*others, asked)

        return wrapped

    from sparsegp.learning.classes import projected as classify
    from sparsegp.learning.hyperparameters import site_hyperparameters as project

    monkeypatch.setattr(classify, "posteriors_of", slow(project.posteriors_of))
    model = classifier(time_limit=3.5).fit(X, LABELS)
    assert seen == [True, True, False, False]
    assert model.cut_short_ == ["final sites: ended before they converged"]
    check(model, LABELS)


@pytest.mark.parametrize("make", [SparseGPRegressor, SparseGPClassifier], ids=lambda m: m.__name__)
@pytest.mark.parametrize("value", [0, -1.0, np.nan, np.inf, "5 s", True], ids=str)
def test_bad_limits(make, value):
    with pytest.raises(ValueError, match=r"time_limit must be a positive finite number, got"):
        make(time_limit=value).fit(X, LABELS == "up")


def test_parameters_and_files(tmp_path, at):
    at(Clock("selection", seconds=1.0))
    model = regressor(time_limit=5)
    assert clone(model).get_params()["time_limit"] == 5
    at(Rushing())
    model.fit(X, Y).save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.time_limit == 5
    assert again.cut_short_ == model.cut_short_ != []
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("name", ["v1_regressor", "v1_classifier", "v1_active_classifier"])
def test_files_from_before_have_no_limit(name):
    assert load(FOLDER / f"{name}.safetensors").get_params()["time_limit"] is None


def test_verbose_says_it_in_one_line(at, capsys):
    at(Rushing())
    model = regressor(time_limit=0.5, verbose=1).fit(X, Y)
    lines = capsys.readouterr().out.splitlines()
    assert f"[sparsegp] time limit of 0.5 s: {'; '.join(model.cut_short_)}" in lines
