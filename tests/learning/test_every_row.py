"""``max_basis="all"``: the exact Gaussian process, of more rows than a selection orders."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sparsegp import SparseGPRegressor
from sparsegp.arrays import to_numpy
from sparsegp.files import NumpyPredictor
from sparsegp.kernels import RBF
from tests.array_libraries import HOST_LIBRARIES, on_device

KERNEL, NOISE = 1.5 * RBF((0.7, 1.1)), 0.05
OPTIONS = {
    "kernel": KERNEL,
    "noise_variance": NOISE,
    "optimizer": None,
    "transform_X": "none",
    "transform_y": "none",
    "max_basis": "all",
    "n_neighbors": 0,
}


def problem(n=160, copies=10):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (n, 2))
    X[-copies:] = X[:copies]
    y = np.sin(2.0 * X[:, 0]) + 0.2 * rng.standard_normal(n)
    return X, y, rng.uniform(-2.0, 2.0, (30, 2))


def exact(X, y, X_new, weight=1.0):
    """The mean and the standard deviation with noise, densely."""
    K = KERNEL(X, X) + NOISE * np.diag(np.ones(len(X)) / weight)
    k = KERNEL(X, X_new)
    variance = KERNEL.diagonal(X_new) - np.sum(k * np.linalg.solve(K, k), axis=0)
    return k.T @ np.linalg.solve(K, y), np.sqrt(variance + NOISE)


@pytest.fixture(autouse=True)
def few_rows_are_many(monkeypatch):
    monkeypatch.setattr("sparsegp.learning.basis.policy.MOST_ROWS_ORDERED", 20)
    monkeypatch.setattr("sparsegp.model.moments.block_size_for", lambda X, width: 48)


@pytest.mark.parametrize("approximation", ["sor", "dtc", "fitc", "vfe"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_exact_process(approximation, weighted):
    X, y, X_new = problem()
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(X)) if weighted else None
    model = SparseGPRegressor(**OPTIONS, approximation=approximation).fit(X, y, weight)
    mean, std = model.predict(X_new, return_std=True)
    expected = exact(X, y, X_new, 1.0 if weight is None else weight)
    assert_allclose(mean, expected[0], rtol=1e-6, atol=1e-7)
    assert_allclose(std, expected[1], rtol=1e-5 if approximation != "sor" else 0.05)
    assert_array_equal(model.basis_indices_, np.arange(len(X)))


@pytest.mark.parametrize("hand_in", [on_device, *HOST_LIBRARIES])
def test_on_a_device(hand_in):
    X, y, X_new = problem()
    model = SparseGPRegressor(**OPTIONS).fit(hand_in(X), hand_in(y))
    found = model.predict(hand_in(X_new), return_std=True)
    for part, expected in zip(found, exact(X, y, X_new), strict=True):
        assert_allclose(to_numpy(part), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("fewest", [1, 10_000])
def test_of_enough_rows_noise_and_function_have_a_scale_each(monkeypatch, fewest):
    monkeypatch.setattr("sparsegp.learning.predictions.MIN_ROWS_TO_SCALE_APART", fewest)
    X, y, _ = problem()
    model = SparseGPRegressor(**OPTIONS | {"optimizer": "lbfgs", "noise": "auto"}).fit(X, y)
    posterior, scales = model._posterior, model.calibration_
    assert posterior.weight_scale == (scales.residual if fewest == 1 else scales.noise)
    assert scales.noise != scales.residual
    assert_allclose(model._noise.variance, scales.noise * model._parameters.noise_variance)


def test_evidence_and_file(tmp_path):
    X, y, X_new = problem()
    model = SparseGPRegressor(**OPTIONS).fit(X, y)
    K = KERNEL(X, X) + NOISE * np.eye(len(X))
    evidence = -0.5 * (y @ np.linalg.solve(K, y) + np.linalg.slogdet(2.0 * np.pi * K)[1])
    assert model.log_marginal_likelihood_value_ == pytest.approx(evidence, rel=1e-5)
    model.save(tmp_path / "model")
    loaded = NumpyPredictor(tmp_path / "model")
    assert_allclose(loaded.predict(X_new), model.predict(X_new), rtol=1e-10)


def test_without_kernel_values_or_solves(monkeypatch):
    """Φ = L: a pass over rows that are the basis computes neither."""
    X, y, _ = problem()

    def refused(*_, **__):
        raise AssertionError("features were computed")

    monkeypatch.setattr("sparsegp.model.features.Basis.features", refused)
    SparseGPRegressor(**OPTIONS).fit(X, y)


@pytest.mark.parametrize(("asked", "n_least"), [("all", 100), ("all", 1_000), (160, 100)])
def test_hyperparameters_of_many_rows_by_their_neighbours(asked, n_least, monkeypatch):
    """At the resolution of all rows; the exact process predicts by itself."""
    monkeypatch.setattr("sparsegp.learning.neighbours.policy.MIN_ROWS", n_least)
    X, y, _ = problem()
    learned = {**OPTIONS, "optimizer": "lbfgs", "max_basis": asked}
    model = SparseGPRegressor(**learned, random_state=0).fit(X, y)
    phases = [entry["phase"] for entry in model.history_]
    by_neighbours = asked == "all" and n_least < len(X)
    assert ("hyperparameters by neighbours" in phases) == by_neighbours
    assert model.n_neighbors_ == 0


def test_what_it_needs_and_what_there_is():
    X, y, _ = problem()
    with pytest.raises(MemoryError, match=r"needs 0\.0 GB .* 160 x 160.*set max_basis to a number"):
        SparseGPRegressor(**OPTIONS, memory_limit="1MB").fit(X, y)
    SparseGPRegressor(**OPTIONS, memory_limit="1GB").fit(X, y)
