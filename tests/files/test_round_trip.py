"""What was saved and loaded is the same estimator, bit for bit."""

from functools import partial

import numpy as np
import pytest
from sklearn.base import clone

from sparsegp import SparseGPClassifier, SparseGPRegressor, load
from sparsegp.exceptions import NotInFileError
from sparsegp.files import info, save
from sparsegp.kernels import RBF
from tests.files.models import (
    FITS,
    LABELS,
    NEW,
    SKLEARN,
    F,
    X,
    Y,
    assert_same_bits,
    fitted,
    new_rows,
    predictions,
)
from tests.oracles.kernel_examples import EXAMPLES


def again(model, tmp_path, **options):
    path = tmp_path / "model.safetensors"
    model.save(path, **options)
    return load(path)


@pytest.mark.parametrize("name", FITS)
def test_predictions_are_the_same_bit_for_bit(name, tmp_path):
    model = fitted(name)
    loaded = again(model, tmp_path)
    assert type(loaded) is type(model)
    assert_same_bits(predictions(loaded), predictions(model))


@pytest.mark.parametrize("name", FITS)
def test_what_users_see_is_the_same(name, tmp_path):
    model = fitted(name)
    loaded = again(model, tmp_path)
    assert loaded.get_params(deep=False) == model.get_params(deep=False)
    assert repr(loaded) == repr(model)
    public = [name for name in dir(model) if name.endswith("_") and name[0] != "_"]
    for attribute in filter(partial(hasattr, model), public):  # not the deviation of a Poisson
        found, wanted = getattr(loaded, attribute), getattr(model, attribute)
        assert type(found) is type(wanted), attribute
        np.testing.assert_equal(found, wanted, err_msg=attribute)


@pytest.mark.parametrize("name", FITS)
def test_a_loaded_model_is_saved_to_the_same_file(name, tmp_path):
    fitted(name).save(tmp_path / "first")
    load(tmp_path / "first").save(tmp_path / "second")
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


@pytest.mark.parametrize("name", [name for name in EXAMPLES if not name.startswith("own")])
@pytest.mark.parametrize("kind", [SparseGPRegressor, SparseGPClassifier])
def test_every_kernel(name, kind, tmp_path):
    example = EXAMPLES[name]
    inputs = example.inputs(40)
    target = np.sin(inputs.sum(axis=1))
    target = target > 0.0 if kind is SparseGPClassifier else target
    model = kind(example.kernel, max_basis=4, optimizer=None, transform_X="none", random_state=0)
    model.fit(inputs, target)
    loaded = again(model, tmp_path)
    assert loaded.kernel == example.kernel
    np.testing.assert_array_equal(loaded.predict(inputs), model.predict(inputs))
    means = (
        loaded.predict_latent(inputs, return_std=True),
        model.predict_latent(inputs, return_std=True),
    )
    np.testing.assert_array_equal(*means)


def test_many_basis_vectors_and_the_threads_of_a_fit(tmp_path):
    # a small classifier is fitted on one BLAS thread, by which LAPACK rounds an inverse
    rng = np.random.default_rng(1)
    inputs = rng.normal(size=(400, 3))
    model = SparseGPClassifier(max_basis=200, optimizer=None, random_state=0)
    model.fit(inputs, inputs[:, 0] * inputs[:, 1] > 0.0)
    assert model.n_basis_ == 200
    probabilities = again(model, tmp_path).predict_proba(NEW)
    np.testing.assert_array_equal(probabilities, model.predict_proba(NEW))


def test_loaded_estimators_can_be_cloned_and_fitted_again(tmp_path):
    loaded = again(fitted("stopped, scikit-learn's kernel"), tmp_path)
    assert loaded.kernel == SKLEARN
    refitted = clone(loaded).fit(X, Y)
    wanted = fitted("stopped, scikit-learn's kernel").predict(NEW)
    np.testing.assert_array_equal(refitted.predict(NEW), wanted)
    np.testing.assert_array_equal(loaded.fit(X, Y).predict(NEW), wanted)


def test_parameters_of_numpy_and_a_random_state_come_back(tmp_path):
    state = np.random.RandomState(3)
    state.normal()  # has a second number in reserve
    model = SparseGPRegressor(
        RBF(np.float32(2.0)),
        max_basis=np.int64(5),
        noise_variance=np.float32(0.25),
        noise_variance_bounds=[0.1, 1.0],
        optimizer=None,
        random_state=state,
        callback=print,
    ).fit(X, Y)
    loaded = again(model, tmp_path)
    params = loaded.get_params(deep=False)
    found = params.pop("random_state")
    assert params.pop("callback") is None  # it only listened to the fit
    assert params == {name: getattr(model, name) for name in params}
    assert type(params["max_basis"]) is np.int64
    np.testing.assert_array_equal(found.normal(size=5), state.normal(size=5))


@pytest.mark.parametrize(
    "labels",
    [
        LABELS,
        LABELS.astype("U20"),
        LABELS.astype(object),
        F > 0.0,
        np.digitize(F, [0.0]).astype(np.int8),
        np.digitize(F, [-1.0, 1.0]) * 2.0,
        np.array(["ß", "€uro", "日本\u0000x"])[np.digitize(F, [-1.0, 1.0])],
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_of_any_kind(labels, tmp_path):
    model = SparseGPClassifier(max_basis=5, optimizer=None, random_state=0).fit(X, labels)
    loaded = again(model, tmp_path)
    assert loaded.classes_.dtype == model.classes_.dtype
    np.testing.assert_array_equal(loaded.classes_, model.classes_)
    assert set(map(type, loaded.classes_)) == set(map(type, model.classes_))
    np.testing.assert_array_equal(loaded.predict(NEW), model.predict(NEW))


def test_columns_are_known_by_name(tmp_path):
    loaded = again(fitted("table"), tmp_path)
    rows = new_rows(loaded)
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(rows[["b", "a", "größe"]])


def test_means_only(tmp_path):
    for name in ("default", "two targets", "table", "fitc"):
        model = fitted(name)
        loaded = again(model, tmp_path, variance=False)
        rows = new_rows(model)
        np.testing.assert_array_equal(loaded.predict(rows), model.predict(rows))
        np.testing.assert_array_equal(loaded.basis_vectors_, model.basis_vectors_)
        for ask in (
            lambda: loaded.predict(rows, return_std=True),
            lambda: loaded.predict(rows, return_cov=True),
            lambda: loaded.predict_latent(rows, return_std=True),
            lambda: loaded.sample_y(rows),
            lambda: loaded.prefix(2),
        ):
            with pytest.raises(NotInFileError, match=r"variance=False|training rows"):
                ask()
        assert not info(tmp_path / "model.safetensors")["variance"]
        kept = (tmp_path / "model.safetensors").read_bytes()
        loaded.save(tmp_path / "model.safetensors")  # no variance comes back from nowhere
        assert (tmp_path / "model.safetensors").read_bytes() == kept


def test_what_needs_training_rows_says_so(tmp_path):
    loaded = again(fitted("as given"), tmp_path)
    wanted = fitted("as given").log_marginal_likelihood_value_
    assert loaded.log_marginal_likelihood() == wanted
    with pytest.raises(NotInFileError, match="training rows"):
        loaded.log_marginal_likelihood(eval_gradient=True)
    with pytest.raises(NotInFileError, match="training rows"):
        again(fitted("fitc"), tmp_path).prefix(3)
    with pytest.raises(NotInFileError, match="training rows"):
        again(fitted("two classes"), tmp_path).prefix(3)


def test_what_needs_none_works(tmp_path):
    for name in ("as given", "active"):
        model = fitted(name)
        shorter = again(model, tmp_path).prefix(4)
        assert_same_bits(predictions(shorter), predictions(model.prefix(4)))


def test_no_training_row_is_in_the_file(tmp_path):
    fitted("default").save(tmp_path / "model")
    data = (tmp_path / "model").read_bytes()
    rows = fitted("default")._rows
    outside = np.setdiff1d(np.arange(len(X)), fitted("default").basis_indices_)
    assert not any(rows.X[row].tobytes() in data for row in outside)


def test_a_file_tells_about_its_model(tmp_path):
    path = tmp_path / "model"
    save(fitted("three classes"), path, notes={"column": "species", "rows": 150})
    told = info(path)
    assert told["estimator"] == "SparseGPClassifier"
    assert told["task"] == "classification"
    assert told["classes"] == ["low", "middle", "very high"]
    assert told["feature_names"] == ["a", "b", "größe"]
    assert told["feature_dtypes"] == ["float64", "float32", "float64"]
    assert told["notes"] == {"column": "species", "rows": 150}
    assert told["format_version"] == 1
    assert "RBF" in told["kernel"]
    assert told["n_basis"] == 12
    assert told["fit"][0]["seconds"] > 0.0
