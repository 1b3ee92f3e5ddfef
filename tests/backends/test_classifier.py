"""The classifier on arrays of other libraries: the model of NumPy, answers where rows came from."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sparsegp import SparseGPClassifier
from sparsegp.arrays import is_of_other_library, on_host, to_numpy
from sparsegp.files import to_onnx
from sparsegp.kernels import RBF
from sparsegp.report import report_page
from tests.array_libraries import HOST_LIBRARIES, in_strict, in_torch, needs_torch, on_device

OPTIONS = {"kernel": 2.0 * RBF(1.0), "max_basis": 12, "optimizer": None, "random_state": 0}


def problem(n_classes=3, n=150):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    y = np.digitize(X[:, 0] + 0.5 * X[:, 1] ** 2, [0.3] if n_classes == 2 else [-0.2, 0.9])
    return X, y, rng.normal(size=(30, 2))


@pytest.mark.parametrize("hand_in", HOST_LIBRARIES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_host_sees_the_same_arrays(hand_in, n_classes):
    X, y, X_new = problem(n_classes)
    weight = np.arange(len(X)) % 3
    theirs = SparseGPClassifier(**OPTIONS).fit(X, y, weight)
    ours = SparseGPClassifier(**OPTIONS).fit(hand_in(X), hand_in(y), hand_in(weight))
    assert_array_equal(ours.basis_indices_, theirs.basis_indices_)
    labels = ours.predict(hand_in(X_new))
    assert type(labels) is type(hand_in(X_new))
    assert labels.dtype == hand_in(y).dtype
    assert_array_equal(np.asarray(labels), theirs.predict(X_new))
    answers = [(ours.predict_proba(hand_in(X_new)), theirs.predict_proba(X_new))]
    answers += zip(
        ours.predict_latent(hand_in(X_new), return_std=True),
        theirs.predict_latent(X_new, return_std=True),
        strict=True,
    )
    for found, wanted in answers:
        assert type(found) is type(hand_in(X_new))
        assert_allclose(to_numpy(found), wanted, rtol=1e-10, atol=1e-12)
    found = ours.score(hand_in(X), hand_in(y), hand_in(weight))
    assert found == pytest.approx(theirs.score(X, y, weight), rel=1e-12)


def test_labels_that_no_tensor_can_hold():
    X, y, X_new = problem()
    names = np.array(["low", "middle", "high"])[y]
    model = SparseGPClassifier(**OPTIONS).fit(in_strict(X), names)
    assert_array_equal(model.predict(in_strict(X_new)), model.predict(X_new))
    assert model.score(in_strict(X), names) == model.score(X, names)


LEARNED = {"max_basis": 12, "random_state": 0, "inference": "least_squares"}


@pytest.mark.parametrize("options", [{}, {"optimizer": None}, {"kernel": "auto"}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_least_squares_stay_on_the_device(n_classes, options):
    X, y, X_new = problem(n_classes)
    X[:, 1] *= 50.0
    weight = np.arange(len(X)) % 3
    theirs = SparseGPClassifier(**LEARNED | options).fit(X, y, weight)
    ours = SparseGPClassifier(**LEARNED | options).fit(
        on_device(X), on_device(y), on_device(weight)
    )
    assert not on_host(ours._fitted.posteriors[0].Z)
    assert_array_equal(ours.basis_indices_, theirs.basis_indices_)
    assert_array_equal(ours.classes_, theirs.classes_)
    for hand_in in (np.asarray, on_device):
        found = ours.predict_proba(hand_in(X_new * [1.0, 50.0]))
        assert type(found) is type(hand_in(X_new))
        wanted = theirs.predict_proba(X_new * [1.0, 50.0])
        assert_allclose(to_numpy(found), wanted, rtol=1e-5, atol=1e-6)
    assert ours.score(on_device(X), on_device(y)) == theirs.score(X, y)
    assert_allclose(
        to_numpy(ours.prefix(5).predict_proba(on_device(X))),
        theirs.prefix(5).predict_proba(X),
        rtol=1e-5,
        atol=1e-6,
    )


def test_labels_of_a_device_may_be_strings():
    X, y, X_new = problem()
    names = np.array(["low", "middle", "high"])[y]
    ours = SparseGPClassifier(max_basis=12, random_state=0).fit(on_device(X), names)
    theirs = SparseGPClassifier(max_basis=12, random_state=0).fit(X, names)
    assert_array_equal(ours.basis_indices_, theirs.basis_indices_)
    assert_array_equal(ours.predict(on_device(X_new)), theirs.predict(X_new))


def test_rows_of_the_host_have_their_labels_there():
    X, y, X_new = problem()
    with pytest.raises(
        ValueError, match=r"X is in the host.s memory, but y in .*: move them to one"
    ):
        SparseGPClassifier(**OPTIONS).fit(X, on_device(y))
    model = SparseGPClassifier(**OPTIONS).fit(X, y)
    for answer, wanted in (
        (model.predict(on_device(X_new)), model.predict(X_new)),
        (model.predict_proba(on_device(X_new)), model.predict_proba(X_new)),
    ):
        assert is_of_other_library(answer)
        assert not on_host(answer)
        assert_allclose(to_numpy(answer), wanted, rtol=1e-10)
    assert model.score(on_device(X), on_device(y)) == model.score(X, y)


@needs_torch
def test_tensors_that_cannot_be_read():
    X, y, X_new = problem()
    X, y, X_new = in_torch(X), in_torch(y), in_torch(X_new)
    with pytest.raises(ValueError, match=r"X requires grad.*pass X\.detach\(\)"):
        SparseGPClassifier(**OPTIONS).fit(X.clone().requires_grad_(), y)
    with pytest.raises(ValueError, match="X is float16, whose precision is too low"):
        SparseGPClassifier(**OPTIONS).fit(X.half(), y)
    with pytest.raises(ValueError, match="X is bfloat16"):
        SparseGPClassifier(**OPTIONS).fit(X, y).predict(X_new.bfloat16())


@pytest.mark.parametrize("kind", [np.int64, np.bool_])
def test_labels_on_a_device_stay_what_they_are(kind):
    X, y, X_new = problem(2)
    model = SparseGPClassifier(**LEARNED).fit(on_device(X), on_device(y.astype(kind)))
    assert model.classes_.dtype == kind
    labels = model.predict(on_device(X_new))
    assert labels.dtype == on_device(y.astype(kind)).dtype
    far_apart = 2**53 + y  # floats would merge them
    assert len(SparseGPClassifier(**LEARNED).fit(on_device(X), on_device(far_apart)).classes_) == 2


def test_a_model_on_a_device_says_how_to_bring_it_home():
    X, y, _ = problem(2)
    model = SparseGPClassifier(**LEARNED).fit(on_device(X), on_device(y))
    with pytest.raises(ValueError, match=r"to_onnx needs a model on the host.*save it and load it"):
        to_onnx(model)
    with pytest.raises(ValueError, match="a report needs a model on the host"):
        report_page(model, X, y)
