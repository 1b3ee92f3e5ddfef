"""Held-out labels choose between sites and a regression on labels."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss, zero_one_loss

from sparsegp import SparseGPClassifier, load
from sparsegp.estimators.options.classification import classification_settings
from sparsegp.kernels import RBF, Matern
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.classes import choose_inference, policy
from sparsegp.learning.classes.choose_inference import Beginning, compares_inferences
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.choices import chosen_kernel, tried
from sparsegp.learning.history.phases import Phase
from sparsegp.tables.memory import Memory
from sparsegp.tables.rows import Rows
from tests.array_libraries import on_device


def board(n, seed=0):
    """Return inputs and the colours of a board of 36 fields."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.0, 6.0, (n, 2))
    return X, np.floor(X).sum(axis=1) % 2 == 1


def choices(model):
    return [entry for entry in model.history_ if entry["phase"] == Phase.INFERENCE]


def context():
    return FitContext(np.random.default_rng(0))


@pytest.fixture(scope="module")
def fits():
    """A good and a bad model, of both inferences."""
    X, y = board(300)
    wrong = np.random.default_rng(1).permutation(y)
    found = {}
    for inference in ("ep", "least_squares"):
        options = {"inference": inference, "max_basis": 60, "transform_X": "none"}
        model = SparseGPClassifier(random_state=0, **options)
        found[inference] = [model.fit(X, y)._fitted, model.fit(X, wrong)._fitted]
    return found


def chosen(fits, sites, numbers, n=400, own=None, rows=None, family=None, cut=None):
    """Return which of two models is chosen, and what was noted."""
    X, y = board(n, seed=2)
    rows = Rows(X, np.where(y, 1.0, -1.0)[:, None]) if rows is None else rows
    settings = classification_settings(SparseGPClassifier())
    begin = Beginning(fits["ep"][0].parameters.kernel, None, settings, family)
    sizes = []

    def fit(some, at, within):
        sizes.append(len(some))
        if cut is not None:
            within.budget.cut(Phase.SELECTION, cut)
        least = at.settings.inference == "least_squares"
        return fits["least_squares"][numbers] if least else fits["ep"][sites]

    own = context() if own is None else own
    before = len(own.history.entries)
    found = choose_inference.chosen_inference(rows, begin, [begin], fit, own)
    assert sizes == [300, 300]
    entry = own.history.entries[before]
    return found.settings, entry


GOOD, BAD = 0, 1


@pytest.mark.parametrize(("sites", "numbers", "expected"), [
    (GOOD, BAD, "auto"), (BAD, GOOD, "least_squares"),
])  # fmt: skip
def test_the_better_model_is_chosen(fits, sites, numbers, expected):
    settings, entry = chosen(fits, sites, numbers)
    assert settings.inference == expected and entry["n_rows"] == 100
    if expected == "least_squares":
        assert settings.active.max_basis == 400 and not settings.grows
        assert entry["chosen"] == "least_squares"


def test_scores_are_those_of_predictions(fits):
    """Against scikit-learn's scores of the same rows."""
    _, entry = chosen(fits, GOOD, GOOD)
    X, y = board(400, seed=2)
    held_out = context().spawn().rng.permutation(400)[:100]
    model = SparseGPClassifier(inference="least_squares", max_basis=60, transform_X="none")
    model.set_params(random_state=0).fit(*board(300))
    p, labels = model.predict_proba(X[held_out]), y[held_out]
    assert entry["log_probability"]["least_squares"] == pytest.approx(-log_loss(labels, p))
    wrong = zero_one_loss(labels, model.predict(X[held_out]))
    assert entry["errors"]["least_squares"] == pytest.approx(wrong)


def test_a_model_that_is_as_good_does_not_replace_sites(fits, monkeypatch):
    both = {"ep": [fits["ep"][0]], "least_squares": [replace(fits["ep"][0], inference="other")]}
    settings, _ = chosen(both, 0, 0)
    assert settings.inference == "auto"


def test_rows_on_a_device_choose_alike(fits):
    X, y = board(400, seed=2)
    there = Rows(on_device(X), on_device(np.where(y, 1.0, -1.0)[:, None]))
    _, entry = chosen(fits, BAD, GOOD)
    _, other = chosen(fits, BAD, GOOD, rows=there)
    assert other["log_probability"] == pytest.approx(entry["log_probability"])


def test_weights_count(fits):
    X, y = board(400, seed=2)
    weight = np.random.default_rng(3).uniform(0.5, 2.0, 400)
    rows = Rows(X, np.where(y, 1.0, -1.0)[:, None], weight)
    _, entry = chosen(fits, GOOD, GOOD, rows=rows)
    _, plain = chosen(fits, GOOD, GOOD)
    assert entry["log_probability"]["ep"] != plain["log_probability"]["ep"]


@pytest.mark.parametrize(("sites", "numbers", "names"), [
    (GOOD, BAD, ["RBF"]), (BAD, GOOD, ["RBF", "Matern 1/2"]),
])  # fmt: skip
def test_the_history_names_the_kernel_of_the_model(fits, sites, numbers, names):
    """Sites keep the kernel that they had; numbers bring their own."""
    own = context()
    own.history.note(Phase.KERNEL, kernel="RBF")
    chosen(fits, sites, numbers, own=own, family="Matern 1/2")
    noted = [entry["kernel"] for entry in own.history.entries if entry["phase"] == Phase.KERNEL]
    assert noted == names


def test_kernels_that_are_only_compared_are_not_in_the_history(fits, monkeypatch):
    monkeypatch.setattr(policy, "MIN_ROWS_TO_COMPARE", 100)
    X, y = board(120)
    model = SparseGPClassifier(random_state=0)
    for numbers in (False, True):
        monkeypatch.setattr(choose_inference._Score, "is_better_than", lambda *_, **__: numbers)
        history = model.fit(X, np.where(y, "white", "black")).history_
        assert not tried(history) and len(choices(model)) == 1
        kernel = chosen_kernel(history)
        assert kernel is None if not numbers else kernel.split()[0] in repr(model.kernel_)


def test_cuts_of_compared_models_are_not_those_of_the_fit(fits):
    """One line tells of them; a selection that ended early is not that of the model."""
    own = context().with_budget(TimeBudget(1e6))
    chosen(fits, GOOD, BAD, own=own)
    assert own.budget.cuts == []
    chosen(fits, GOOD, BAD, own=own, cut="ended at 1 basis vectors")
    assert own.budget.cuts == ["choice of inference: the models that were compared were cut short"]


@pytest.mark.parametrize("options", [
    {"inference": "ep"}, {"kernel": "rbf"}, {"max_basis": 50}, {"refine_basis": False},
    {"posterior": "active"}, {"optimizer": None}, {"bias": 0.0}, {"slope_bounds": "fixed"},
    {"sites": "predictive_loss"}, {"n_candidates": 9}, {"slope_bounds": np.array([0.1, 9.0])},
    {"bias": np.zeros(2)},
])  # fmt: skip
def test_an_option_of_sites_decides(options):
    settings = classification_settings(SparseGPClassifier(**options))
    assert not compares_inferences(settings, 2_000, Memory(10**10), context())


@pytest.mark.parametrize("slope_bounds", [(0.01, 100), [0.01, 100.0], np.array([0.01, 100.0])])
def test_usual_limits_of_the_slope_leave_it_open(slope_bounds):
    settings = classification_settings(SparseGPClassifier(slope_bounds=slope_bounds))
    assert compares_inferences(settings, 2_000, Memory(10**10), context())


def test_rows_memory_and_time_decide():
    settings = classification_settings(SparseGPClassifier())
    own, much = context(), Memory(10**10)
    assert compares_inferences(settings, 2_000, much, own)
    assert not compares_inferences(settings, policy.MIN_ROWS_TO_COMPARE - 1, much, own)
    assert not compares_inferences(settings, policy.MOST_ROWS_TO_COMPARE + 1, much, own)
    assert not compares_inferences(settings, 2_000, Memory(10**9), own)
    assert not compares_inferences(settings, 2_000, much, own.with_budget(TimeBudget(5.0)))


def test_a_default_fit_of_an_intricate_border(tmp_path):
    options = {"n_features": 6, "n_informative": 6, "n_redundant": 0, "n_clusters_per_class": 24}
    X, y = make_classification(2_000, class_sep=2.0, flip_y=0.0, random_state=0, **options)
    X, y, X_test, y_test = X[:1_000], y[:1_000], X[1_000:], y[1_000:]
    model = SparseGPClassifier(random_state=0).fit(X, y)
    (entry,) = choices(model)
    assert entry["chosen"] == "least_squares" and model.n_basis_ > 500
    sites = SparseGPClassifier(inference="variational", random_state=0).fit(X, y)
    assert not choices(sites)
    p, of_sites = model.predict_proba(X_test), sites.predict_proba(X_test)
    assert log_loss(y_test, p) < log_loss(y_test, of_sites) - 0.02
    model.save(tmp_path / "model.sgp")
    again = load(tmp_path / "model.sgp").predict_proba(X_test)
    np.testing.assert_allclose(again, p, rtol=1e-9)
    assert model.prefix(100).n_basis_ == 100


def test_the_better_of_two_kernels_is_chosen(fits):
    X, y = board(400, seed=2)
    rows = Rows(X, np.where(y, 1.0, -1.0)[:, None])
    begin = Beginning(RBF(1.0), None, classification_settings(SparseGPClassifier()))
    rough = replace(begin, kernel=Matern(1.0, nu=0.5))

    def fit(some, at, _):
        if at.settings.inference == "least_squares":
            return fits["least_squares"][GOOD if at.kernel == rough.kernel else BAD]
        return fits["ep"][BAD]

    for numbers in ([begin, rough], [rough, begin]):
        found = choose_inference.chosen_inference(rows, begin, numbers, fit, context())
        assert found.kernel == rough.kernel and found.settings.inference == "least_squares"


def test_a_narrow_gain_counts_only_with_all_rows_in_the_basis():
    log_p, count = np.log([0.6, 0.61, 0.59, 0.62]), np.ones(4)
    few = choose_inference._Score("least_squares", log_p + 0.001, 0.1, count)
    many = choose_inference._Score("ep", log_p, 0.2, count)
    assert few.is_better_than(many, narrowly=True)
    assert not few.is_better_than(many, narrowly=False)
    clearly = replace(few, log_p=log_p + 0.1, errors=0.3)
    assert clearly.is_better_than(many, narrowly=False)
