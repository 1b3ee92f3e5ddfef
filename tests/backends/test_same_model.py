"""The matrix of options on a device: the choices of NumPy, and its predictions to 1e-6."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sparsegp import SparseGPClassifier, SparseGPRegressor, load
from sparsegp.arrays import is_of_other_library, on_host, to_numpy
from sparsegp.learning.history.choices import chosen_kernel
from sparsegp.learning.history.phases import Phase
from tests.array_libraries import on_device

#: What is left open takes time: most cases have a given kernel and transforms.
GIVEN = {
    "kernel": "rbf",
    "transform_X": "standard",
    "transform_y": "standard",
    "max_basis": 20,
    "random_state": 0,
}
#: Every kind of transform, noise, neighbours and selection, in pairs.
CASES = {
    "quantile, log": {"transform_X": "quantile", "transform_y": "log"},
    "each column its own": {"transform_X": {0: "none", 1: "log", 2: "common"}, "n_neighbors": 5},
    "yeo-johnson, neighbours": {"transform_y": "yeo-johnson", "n_neighbors": 8},
    "sinh-arcsinh, student_t": {"transform_y": "sinh-arcsinh", "noise": "student_t"},
    "student_t, neighbours": {"noise": "student_t", "n_neighbors": 5, "transform_y": "none"},
    "heteroscedastic": {"noise": "heteroscedastic", "transform_X": "quantile"},
    "heteroscedastic, neighbours": {"noise": "heteroscedastic", "n_neighbors": 5},
    "noise by held-out rows": {"noise": "auto", "transform_y": "log"},
    "noise, neighbours": {"noise": "auto", "n_neighbors": 5, "calibrate": True},
    "loo_error, n_candidates": {"selection": "loo_error", "n_candidates": 3},
    "information_gain, fitc": {"selection": "information_gain", "approximation": "fitc"},
    "matching_pursuit, loo_density": {
        "selection": "matching_pursuit",
        "objective": "loo_density",
        "transform_y": "log",
    },
    "refined": {"refine_basis": True, "max_basis": 8},
    "exact": {"max_basis": "all", "transform_y": "log"},
}


@pytest.fixture(autouse=True)
def short_searches(monkeypatch):
    """Learn with neighbours, and choose a noise, from fewer rows."""
    learning = "sparsegp.learning"
    monkeypatch.setattr(f"{learning}.hyperparameters.policy.BATCH_ROWS", 16)
    monkeypatch.setattr(f"{learning}.hyperparameters.policy.LEARNING_NEIGHBOURS", 10)
    for room in ("hyperparameters.policy", "neighbours.families"):
        monkeypatch.setattr(f"{learning}.{room}.SEGMENTS", (8, 12, 20))
    monkeypatch.setattr(f"{learning}.hyperparameters.policy.SUBSET_STAGES", ((100, 20), (200, 5)))
    monkeypatch.setattr(f"{learning}.noise.policy.MIN_ROWS_FOR_NOISE_CHOICE", 200)
    monkeypatch.setattr(f"{learning}.noise.policy.MIN_HELD_OUT", 40)


def table(n=240):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 3))
    f = np.sin(2.0 * X[:, 0]) + 0.7 * X[:, 1]
    y = np.exp(f + 0.2 * np.exp(0.5 * X[:, 0]) * rng.standard_t(4.0, size=n))
    X[:, 1] = np.exp(2.0 * X[:, 1])
    return X, y, X[:15, :] + [0.1, 0.2, 0.0]


def answers(model, X, hand_in):
    """Return predictions of every kind in the units of y, by name."""
    y = np.linspace(0.5, 3.0, len(X))
    mean, std = model.predict(hand_in(X), return_std=True)
    latent, latent_std = model.predict_latent(hand_in(X), return_std=True)
    lower, upper = model.predict_interval(hand_in(X))
    uncertainty = model.predict_uncertainty(hand_in(X))
    found = {
        "mean": mean,
        "std": std,
        "covariance": model.predict(hand_in(X), return_cov=True)[1],
        "latent mean": latent,
        "latent std": latent_std,
        "lower": lower,
        "upper": upper,
        "epistemic": uncertainty.epistemic,
        "log density": model.log_density(hand_in(X), hand_in(y)),
        "samples": model.sample_y(hand_in(X), n_samples=2),
    }
    for name, values in found.items():
        assert type(values) is type(hand_in(X)), name
    return {name: to_numpy(values) for name, values in found.items()}


def assert_same_regression(ours, theirs, X_new, scale):
    assert ours.transform_X_ == theirs.transform_X_
    assert ours.transform_y_ == theirs.transform_y_
    assert (ours.noise_, ours.n_neighbors_) == (theirs.noise_, theirs.n_neighbors_)
    assert chosen_kernel(ours.history_) == chosen_kernel(theirs.history_)
    assert_allclose(ours.kernel_.theta, theirs.kernel_.theta, atol=1e-6)
    expected = answers(theirs, X_new, np.asarray)
    for name, values in answers(ours, X_new, on_device).items():
        assert_allclose(values, expected[name], rtol=1e-6, atol=1e-6 * scale, err_msg=name)


@pytest.mark.parametrize("options", CASES.values(), ids=CASES)
def test_regression_on_a_device(options):
    X, y, X_new = table()
    ours = SparseGPRegressor(**GIVEN | options).fit(on_device(X), on_device(y))
    theirs = SparseGPRegressor(**GIVEN | options).fit(X, y)
    assert not on_host(ours._posterior.Z)
    if options.get("max_basis") != "all":  # of an exact process the order is rounding
        assert_array_equal(ours.basis_indices_, theirs.basis_indices_)
    assert_same_regression(ours, theirs, X_new, float(np.std(y)))


def test_all_is_open():
    X, y, X_new = table(130)
    ours = SparseGPRegressor(random_state=0).fit(on_device(X), on_device(y))
    theirs = SparseGPRegressor(random_state=0).fit(X, y)
    assert_same_regression(ours, theirs, X_new, float(np.std(y)))


def test_the_number_of_neighbours_is_chosen(monkeypatch):
    monkeypatch.setattr("sparsegp.learning.neighbours.policy.MIN_ROWS", 200)
    monkeypatch.setattr("sparsegp.learning.neighbours.policy.NUMBERS", (5, 10))
    X, y, X_new = table()
    options = GIVEN | {"transform_y": "log", "transform_X": "quantile"}
    ours = SparseGPRegressor(**options).fit(on_device(X), on_device(y))
    theirs = SparseGPRegressor(**options).fit(X, y)
    assert any(entry["phase"] == Phase.NEIGHBOURS.label() for entry in ours.history_)
    assert_same_regression(ours, theirs, X_new, float(np.std(y)))


def test_outputs_and_weights_on_a_device():
    X, y, X_new = table(200)
    y = np.stack((y, 1.0 + np.abs(X[:, 2])), axis=1)
    weight = np.arange(len(X)) % 3 * 0.7
    options = GIVEN | {"transform_y": "log", "transform_X": "quantile", "n_neighbors": 5}
    ours = SparseGPRegressor(**options).fit(on_device(X), on_device(y), on_device(weight))
    theirs = SparseGPRegressor(**options).fit(X, y, weight)
    assert_array_equal(ours.basis_indices_, theirs.basis_indices_)
    found = ours.predict(on_device(X_new), return_std=True)
    for a, b in zip(found, theirs.predict(X_new, return_std=True), strict=True):
        assert_allclose(to_numpy(a), b, rtol=1e-7)
    assert_allclose(to_numpy(ours.basis_vectors_), theirs.basis_vectors_, rtol=1e-10)


def test_missing_values_on_a_device():
    X, y, X_new = table(200)
    X[::7, 1] = np.nan
    X_new[3, 1] = np.nan
    ours = SparseGPRegressor(**GIVEN).fit(on_device(X), on_device(y))
    theirs = SparseGPRegressor(**GIVEN).fit(X, y)
    assert ours.encoding_ is not None
    assert_allclose(to_numpy(ours.predict(on_device(X_new))), theirs.predict(X_new), rtol=1e-7)
    with pytest.raises(ValueError, match="contains inf"):
        ours.predict(on_device(np.where(np.isnan(X_new), np.inf, X_new)))


def test_prefixes_and_files_of_a_model_with_neighbours(tmp_path):
    X, y, X_new = table(200)
    options = GIVEN | {"transform_y": "log", "n_neighbors": 5, "noise": "heteroscedastic"}
    ours = SparseGPRegressor(**options).fit(on_device(X), on_device(y))
    theirs = SparseGPRegressor(**options).fit(X, y)
    shorter = to_numpy(ours.prefix(6).predict(on_device(X_new)))
    assert_allclose(shorter, theirs.prefix(6).predict(X_new), rtol=1e-7)
    ours.save(tmp_path / "model.sgp")
    loaded = load(tmp_path / "model.sgp")
    assert not is_of_other_library(loaded._posterior.rows.X)
    for a, b in zip(
        loaded.predict(X_new, return_std=True), theirs.predict(X_new, return_std=True), strict=True
    ):
        assert_allclose(a, b, rtol=1e-7)


#: The number of classes, and options.
LABEL_CASES = {
    "open transforms": (2, {"transform_X": "auto"}),
    "ep": (2, {"inference": "ep", "transform_X": "quantile"}),
    "ep of three classes": (3, {"inference": "ep", "optimizer": None}),
    "variational": (3, {"inference": "variational", "refine_basis": False}),
    "moved inducing inputs": (2, {"refine_basis": True}),
    "least squares": (3, {"inference": "least_squares", "transform_X": "log"}),
    "active": (2, {"posterior": "active"}),
    "active set of three classes": (3, {"posterior": "active", "optimizer": None}),
    "bias, weighted classes": (2, {"bias": 0.2, "class_weight": "balanced", "optimizer": None}),
}


@pytest.mark.parametrize(("n_classes", "options"), LABEL_CASES.values(), ids=LABEL_CASES)
def test_classes_on_a_device(n_classes, options):
    X, y, X_new = table(160)
    X = np.column_stack((np.exp(X[:, 0]), X[:, 1]))
    labels = np.digitize(y, [1.0] if n_classes == 2 else [0.6, 1.7])
    weight = 1.0 + np.arange(len(X)) % 2
    given = {"kernel": "rbf", "max_basis": 12, "random_state": 0, "transform_X": "standard"}
    ours = SparseGPClassifier(**given | options)
    ours.fit(on_device(X), on_device(labels), on_device(weight))
    theirs = SparseGPClassifier(**given | options).fit(X, labels, weight)
    assert not on_host(ours._fitted.posteriors[0].Z)
    assert ours.transform_X_ == theirs.transform_X_
    assert ours._fitted.inference == theirs._fitted.inference
    assert_array_equal(ours.basis_indices_, theirs.basis_indices_)
    X_new = np.exp(X_new[:, :2])
    for shorter in (False, True):
        a, b = (model.prefix(6) if shorter else model for model in (ours, theirs))
        found = to_numpy(a.predict_proba(on_device(X_new)))
        assert_allclose(found, b.predict_proba(X_new), atol=1e-7)


def test_given_candidates_of_a_classifier_on_a_device():
    X, y, X_new = table(150)
    labels, given = y > 1.0, {"kernel": "rbf", "max_basis": 8, "random_state": 0}
    ours = SparseGPClassifier(**given)
    ours.fit(on_device(X), on_device(labels), candidates=on_device(X[:40]))
    theirs = SparseGPClassifier(**given).fit(X, labels, candidates=X[:40])
    assert_array_equal(ours.basis_indices_, theirs.basis_indices_)
    found = to_numpy(ours.predict_proba(on_device(X_new)))
    assert_allclose(found, theirs.predict_proba(X_new), atol=1e-7)
