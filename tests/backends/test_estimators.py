"""Estimators on arrays of other libraries: the same model, and answers where the rows came from."""

import array_api_strict
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sparsegp import SparseGPRegressor, load
from sparsegp.arrays import is_of_other_library, on_host, to_numpy
from sparsegp.kernels import RBF, Matern
from sparsegp.learning.history.choices import chosen_kernel
from sparsegp.model.approximation import APPROXIMATIONS
from tests.array_libraries import HOST_LIBRARIES, in_torch, needs_torch, on_device
from tests.plain import plain_regressor

SELECTIONS = ("log_posterior", "marginal_likelihood", "random")
CLOSE = {"rtol": 1e-8, "atol": 1e-8}

every_approximation = pytest.mark.parametrize("approximation", APPROXIMATIONS)
every_host_library = pytest.mark.parametrize("hand_in", HOST_LIBRARIES)
every_selection = pytest.mark.parametrize("selection", SELECTIONS)


def problem(n=200, n_outputs=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3.0, 3.0, (n, 3))
    y = 3.0 + np.sin(2.0 * X[:, 0]) + 0.3 * X[:, 1] ** 2 + 0.1 * rng.standard_normal(n)
    if n_outputs:
        y = np.stack([y, *(y**2 - k for k in range(1, n_outputs))], axis=1)
    return X, y, rng.uniform(-3.0, 3.0, (20, 3))


def model(**options):
    given = {"kernel": 1.0 * RBF((0.7, 1.0, 2.0)), "max_basis": 25, "random_state": 0}
    return plain_regressor(**given | options)


def assert_same(ours, theirs, X_new, hand_in):
    assert_array_equal(ours.basis_indices_, theirs.basis_indices_)
    for a, b in zip(
        ours.predict(hand_in(X_new), return_std=True),
        theirs.predict(X_new, return_std=True),
        strict=True,
    ):
        assert type(a) is type(hand_in(X_new))
        assert a.device == hand_in(X_new).device
        assert_allclose(to_numpy(a), b, **CLOSE)


@every_selection
@every_approximation
def test_a_device_gives_the_model_of_numpy(selection, approximation):
    X, y, X_new = problem()
    options = {"selection": selection, "approximation": approximation, "optimizer": None}
    ours = model(**options).fit(on_device(X), on_device(y))
    theirs = model(**options).fit(X, y)
    assert not on_host(ours._posterior.alpha)
    assert_same(ours, theirs, X_new, on_device)


@pytest.mark.parametrize("hand_in", [on_device, *HOST_LIBRARIES])
def test_learned_models_are_the_same(hand_in):
    X, y, X_new = problem()
    options = {"max_basis": 15, "kernel": 1.0 * RBF(1.0), "n_adaptations": 1}
    ours = model(**options).fit(hand_in(X), hand_in(y))
    assert_same(ours, model(**options).fit(X, y), X_new, hand_in)
    phases = [entry["phase"] for entry in ours.history_]
    assert {"selection", "hyperparameters at the basis", "final pass"} <= set(phases)


def test_a_kernel_is_chosen_for_a_device():
    X, y, X_new = problem()
    X[:, 1] *= 100.0
    ours = SparseGPRegressor(max_basis=20, random_state=0).fit(on_device(X), on_device(y))
    theirs = SparseGPRegressor(max_basis=20, random_state=0).fit(X, y)
    assert ours.transform_X_ == theirs.transform_X_
    assert ours.transform_y_ == theirs.transform_y_
    assert chosen_kernel(ours.history_) == chosen_kernel(theirs.history_)
    assert_array_equal(ours.basis_indices_, theirs.basis_indices_)
    assert_allclose(to_numpy(ours.predict(on_device(X_new))), theirs.predict(X_new), rtol=1e-7)


def test_calibrated_on_a_device():
    X, y, X_new = problem(680)
    options = {"kernel": RBF((0.7, 1.0, 2.0), length_scale_bounds="fixed"), "n_adaptations": 0}
    ours = model(**options).fit(on_device(X), on_device(y))
    assert ours.calibration_.noise != 1.0
    assert_same(ours, model(**options).fit(X, y), X_new, on_device)


@every_selection
@every_approximation
@every_host_library
def test_the_host_computes_in_numpy(hand_in, selection, approximation):
    X, y, X_new = problem()
    options = {"selection": selection, "approximation": approximation, "optimizer": None}
    ours = model(**options).fit(hand_in(X), hand_in(y))
    assert type(ours._posterior.alpha) is np.ndarray
    assert_same(ours, model(**options).fit(X, y), X_new, hand_in)


@every_host_library
def test_host_arrays_as_if_on_a_device(hand_in, monkeypatch):
    """Compute in the library itself: products of torch add in place."""
    X, y, X_new = problem()
    for block in ("arrays.linalg.GRAM_BLOCK", "arrays.blocked_solve.DEVICE_BLOCK"):
        monkeypatch.setattr(f"sparsegp.{block}", 8)
    numpy_alone = "sparsegp.tables.sources.device.on_host"
    monkeypatch.setattr(numpy_alone, lambda x: isinstance(x, np.ndarray))
    options = {"approximation": "fitc", "optimizer": None}
    ours = model(**options).fit(hand_in(X), hand_in(y))
    assert is_of_other_library(ours._posterior.alpha)
    assert_same(ours, model(**options).fit(X, y), X_new, hand_in)


@pytest.mark.parametrize("hand_in", [on_device, *HOST_LIBRARIES])
def test_all_answers(hand_in):
    X, y, X_new = problem(n_outputs=2)
    weight = np.arange(len(X)) % 3
    options = {"optimizer": None, "transform_X": {0: "common", 1: "common", 2: "none"}}
    ours = model(**options).fit(
        hand_in(X), hand_in(y), sample_weight=hand_in(weight), candidates=hand_in(X[:50])
    )
    theirs = model(**options).fit(X, y, sample_weight=weight, candidates=X[:50])
    y_new = theirs.predict(X_new) + 0.1
    questions = {
        "predict": ({"return_cov": True}, ()),
        "predict_latent": ({"return_std": True}, ()),
        "predict_quantiles": ({"q": [0.1, 0.9]}, ()),
        "predict_interval": ({}, ()),
        "log_density": ({}, (y_new,)),
        "cdf": ({}, (y_new,)),
        "sample_y": ({"n_samples": 3}, ()),
    }
    for name, (options, others) in questions.items():
        a = getattr(ours, name)(hand_in(X_new), *map(hand_in, others), **options)
        b = getattr(theirs, name)(X_new, *others, **options)
        for mine, expected in zip(_parts(a), _parts(b), strict=True):
            assert type(mine) is type(hand_in(X_new)), name
            assert_allclose(to_numpy(mine), expected, rtol=1e-7, atol=1e-8, err_msg=name)
    assert_allclose(to_numpy(ours.basis_vectors_), theirs.basis_vectors_, **CLOSE)
    scores = ours.score(hand_in(X_new), hand_in(y_new)), theirs.score(X_new, y_new)
    assert scores[0] == pytest.approx(scores[1], rel=1e-8)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(
        theirs.log_marginal_likelihood_value_, rel=1e-10
    )


def _parts(answer):
    return answer if isinstance(answer, tuple) else (answer,)


def test_rows_go_where_the_model_is_and_answers_come_back():
    X, y, X_new = problem()
    there = model(optimizer=None).fit(on_device(X), on_device(y))
    here = model(optimizer=None).fit(X, y)
    expected = here.predict(X_new)
    from_host = there.predict(X_new)
    assert type(from_host) is np.ndarray
    assert_allclose(from_host, expected, **CLOSE)
    from_device = here.predict(on_device(X_new))
    assert not on_host(from_device)
    assert_allclose(to_numpy(from_device), expected, **CLOSE)


def test_a_model_of_a_device_is_saved_and_loaded_as_numpy(tmp_path):
    X, y, X_new = problem()
    there = model(optimizer=None).fit(on_device(X), on_device(y))
    there.save(tmp_path / "model.sgp")
    loaded = load(tmp_path / "model.sgp")
    assert type(loaded._posterior.alpha) is np.ndarray
    for a, b in zip(
        loaded.predict(X_new, return_std=True), there.predict(X_new, return_std=True), strict=True
    ):
        assert_allclose(a, b, **CLOSE)


def test_float32_and_integers_are_computed_in_float64():
    X, y, X_new = problem()
    X32 = np.round(4.0 * X).astype(np.float32)
    ours = model(optimizer=None, kernel=Matern(4.0, nu=0.5)).fit(on_device(X32), on_device(y))
    theirs = model(optimizer=None, kernel=Matern(4.0, nu=0.5)).fit(X32, y)
    assert ours._posterior.alpha.dtype == array_api_strict.float64
    assert_same(ours, theirs, X_new, on_device)


def test_a_shorter_model_on_a_device():
    X, y, X_new = problem()
    ours = model(optimizer=None).fit(on_device(X), on_device(y)).prefix(10)
    assert_same(ours, model(optimizer=None).fit(X, y).prefix(10), X_new, on_device)


def test_bad_tables_on_a_device():
    X, y, _ = problem(60)
    fit = model(optimizer=None).fit
    with pytest.raises(ValueError, match=r"X is in array_api_strict on .*, but y in the host"):
        fit(on_device(X), y)
    with pytest.raises(ValueError, match=r"X is in the host.s memory, but y in array_api_strict"):
        fit(X, on_device(y))
    with pytest.raises(ValueError, match=r"X is in .*, but sample_weight in the host"):
        fit(on_device(X), on_device(y), sample_weight=np.ones(60))
    with pytest.raises(ValueError, match="Expected 2D array"):
        fit(on_device(y), on_device(y))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        fit(on_device(X), on_device(y[:-1]))
    with pytest.raises(ValueError, match="y must hold one number per row"):
        fit(on_device(X), on_device(y[:, None, None]))
    X[7, 1] = np.inf
    with pytest.raises(ValueError, match=r"X contains inf \(first in row 7\)"):
        fit(on_device(X), on_device(y))
    y_missing = np.where(np.arange(len(y)) == 3, np.nan, y)
    with pytest.raises(ValueError, match=r"y contains NaN \(first in row 3\)"):
        fit(on_device(X[8:]), on_device(y_missing[:-8]))
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        fit(on_device(X[8:]), on_device(y[8:]), sample_weight=on_device(y[8:] - 100.0))
    fitted = fit(on_device(X[8:]), on_device(y[8:]))
    with pytest.raises(ValueError, match="expecting 3 features"):
        fitted.predict(on_device(X[8:, :2]))


@needs_torch
def test_tensors_that_cannot_be_read():
    X, y, X_new = problem(60)
    X, y, X_new = in_torch(X), in_torch(y), in_torch(X_new)
    fit = model(optimizer=None).fit
    with pytest.raises(ValueError, match=r"X requires grad.*pass X\.detach\(\)"):
        fit(X.clone().requires_grad_(), y)
    with pytest.raises(ValueError, match="y requires grad"):
        fit(X, y.clone().requires_grad_())
    with pytest.raises(ValueError, match="X is float16, whose precision is too low"):
        fit(X.half(), y)
    with pytest.raises(ValueError, match="y is bfloat16"):
        fit(X, y.bfloat16())
    with pytest.raises(ValueError, match="X requires grad"):
        fit(X, y).predict(X_new.requires_grad_())
