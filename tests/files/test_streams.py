"""An online model that is saved in mid-stream and loaded continues bit for bit."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp import OnlineGPClassifier, OnlineGPRegressor, load
from sparsegp.exceptions import CannotSaveError
from sparsegp.files import NumpyPredictor, to_onnx
from sparsegp.kernels import RBF, Categorical, Linear, Matern, OnColumns, Periodic
from sparsegp.likelihoods import LaplaceNoise
from tests.files.models import COUNTS, LABELS, NEW, F, X, Y, assert_same_bits, predictions
from tests.in_pairs import in_pairs
from tests.property_settings import cases

KERNELS = {
    "default": None,
    "composite": 2.0 * Matern(nu=1.5) * Periodic(1.0, 4.0) + Linear(0.2) + 0.1,
    "columns": OnColumns(RBF(), [0, 2]) + OnColumns(Categorical(), [1]),
}


def learner(task, **options):
    kind = OnlineGPClassifier if task == "classes" else OnlineGPRegressor
    return kind(max_basis=10, n_warmup=40, random_state=0, **options)


def teach(model, rows):
    if isinstance(model, OnlineGPClassifier):
        model.partial_fit(X[rows], LABELS[rows], classes=np.unique(LABELS))
    else:
        model.partial_fit(X[rows], (COUNTS if model.likelihood == "poisson" else Y)[rows])


def assert_same_state(one, other):
    """Compare two states; of triangular and symmetric matrices the stored triangle."""
    for field in fields(one):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if field.name in ("Sigma", "Q"):
            a, b = np.triu(a), np.triu(b)
        if field.name == "_bound":
            continue
        if field.name == "deletion_scores":
            assert (a is None) == (b is None)
            if a is not None:
                np.testing.assert_array_equal(a.w, b.w)
                np.testing.assert_array_equal(np.triu(a.P), np.triu(b.P))
        else:
            np.testing.assert_equal(a, b, err_msg=field.name)


def assert_same_future(model, loaded, start):
    for rows in (slice(start, start + 1), slice(start + 1, start + 20), slice(start + 20, 150)):
        teach(model, rows)
        teach(loaded, rows)
        assert_same_state(loaded._stream.state, model._stream.state)
        assert_same_state(loaded._stream.model.posteriors, model._stream.model.posteriors)
    assert loaded.effective_memory_ == model.effective_memory_
    assert_same_bits(predictions(loaded), predictions(model))


SEEN = {str(seen): seen for seen in (1, 7, 39, 40, 41, 90)}  # 4, 16 and 40 set the model up anew
CASES = in_pairs(SEEN, {"numbers": "numbers", "classes": "classes"}, {"kl": "kl", "mean": "mean"})


@pytest.mark.parametrize(("seen", "task", "deletion"), CASES.values(), ids=CASES)
def test_saved_at_any_time(seen, task, deletion, tmp_path):
    model = learner(task, deletion=deletion)
    teach(model, slice(0, seen))
    model.save(tmp_path / "model")
    assert_same_future(model, load(tmp_path / "model"), seen)


@pytest.mark.parametrize(
    "options",
    [
        *({"likelihood": name} for name in ("laplace", "student_t", "one_sided", "poisson")),
        {"likelihood": LaplaceNoise(0.2)},
        *({"kernel": kernel} for kernel in KERNELS.values()),
        {"optimizer": None, "transform_X": "none", "transform_y": "none"},
        {"random_state": None},
        {"forgetting": None},
        {"forgetting": 0.02},
        {"lags": {"target": 2, 1: 1}, "mean": "last"},
    ],
    ids=str,
)
@pytest.mark.parametrize("seen", [10, 60])
def test_any_likelihood_kernel_and_option(options, seen, tmp_path):
    model = learner("numbers").set_params(**options)
    teach(model, slice(0, seen))
    model.save(tmp_path / "model")
    assert_same_future(model, load(tmp_path / "model"), seen)


ACTIONS = st.lists(
    st.one_of(
        st.integers(1, 30),  # rows to learn
        st.sampled_from(["save", "relearn"]),
        st.tuples(st.just("forget"), st.sampled_from([0.1, 0.5])),
        st.tuples(st.just("prune"), st.sampled_from([2, 5])),
    ),
    min_size=2,
    max_size=6,
)


@cases(8)
@given(ACTIONS, st.sampled_from(["numbers", "classes"]))
def test_whatever_happens_in_between(tmp_path_factory, actions, task):
    path = tmp_path_factory.getbasetemp() / "stream"
    model, often_saved, start = learner(task), learner(task), 5
    for one in (model, often_saved):
        teach(one, slice(0, start))
    for action in [*actions, "save", 3]:
        if action == "save":
            often_saved.save(path)
            often_saved = load(path)
            continue
        for one in (model, often_saved):
            match action:
                case "relearn":
                    one.relearn()
                case ("forget", rate):
                    one.forget(rate)
                case ("prune", n_basis):
                    one.prune(n_basis)
                case n_rows:
                    teach(one, np.arange(start, start + n_rows) % len(X))
        start += action if isinstance(action, int) else 0
    assert_same_state(often_saved._stream.state, model._stream.state)
    assert_same_bits(predictions(often_saved), predictions(model))


def test_a_loaded_learner_keeps_its_checks(tmp_path):
    model = learner("classes")
    teach(model, slice(0, 50))
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    with pytest.raises(ValueError, match="not among the classes"):
        loaded.partial_fit(X[:2], ["low", "unheard of"])
    with pytest.raises(ValueError, match="features"):
        loaded.partial_fit(X[:2, :2], LABELS[:2])
    np.testing.assert_array_equal(loaded.predict_proba(NEW), model.predict_proba(NEW))


def test_two_classes_go_on_too(tmp_path):
    model = OnlineGPClassifier(max_basis=8, n_warmup=20, random_state=1)
    model.partial_fit(X[:50], F[:50] > 0.0, classes=[False, True])
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    for one in (model, loaded):
        one.partial_fit(X[50:], F[50:] > 0.0)
    np.testing.assert_array_equal(loaded.predict_proba(NEW), model.predict_proba(NEW))


def test_weights_of_the_warm_up_are_kept(tmp_path):
    model = learner("numbers")
    model.partial_fit(X[:20], Y[:20], sample_weight=np.linspace(0.5, 3.0, 20))
    model.save(tmp_path / "model")
    assert_same_future(model, load(tmp_path / "model"), 20)


def test_a_loaded_learner_knows_what_was_decided(tmp_path):
    model = learner("numbers", kernel=RBF(2.0))
    teach(model, slice(0, 50))
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model").set_params(kernel=RBF(3.0))
    with pytest.raises(ValueError, match="mid-stream"):
        teach(loaded, slice(50, 60))


def test_a_rival_is_saved_too(tmp_path):
    """Column 0 decides at first, then column 1."""
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal((1200, 2))
    target = np.where(np.arange(1200) < 500, inputs[:, 0], np.sin(3.0 * inputs[:, 1]))
    model = OnlineGPRegressor(max_basis=15, n_warmup=100, random_state=0)
    start = 0
    while model.__sklearn_is_fitted__() is False or model._stream._rivalry.rival is None:
        model.partial_fit(inputs[start : start + 50], target[start : start + 50])
        start += 50
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded._stream._rivalry.watch == model._stream._rivalry.watch
    for one in (model, loaded):
        one.partial_fit(inputs[start:], target[start:])
    assert_same_state(loaded._stream.model.posteriors, model._stream.model.posteriors)
    np.testing.assert_array_equal(loaded.predict(inputs), model.predict(inputs))


@pytest.mark.parametrize("options", [{"lags": 1}, {"mean": "last"}, {"lags": {0: 1}}])
def test_without_the_library_a_stream_with_lags_is_refused(options, tmp_path):
    model = learner("numbers", **options)
    teach(model, slice(0, 50))
    model.save(tmp_path / "model")
    with pytest.raises(ValueError, match="needs the rows before"):
        NumpyPredictor(tmp_path / "model")
    pytest.importorskip("onnx", reason="onnx is not installed")
    with pytest.raises(CannotSaveError, match="needs the rows before"):
        to_onnx(model, tmp_path / "model.onnx")
