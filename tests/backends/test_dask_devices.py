"""Dask partitions on a device of their worker: sums over features there, the model of the host."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sparsegp import SparseGPClassifier, SparseGPRegressor
from sparsegp.kernels import RBF
from sparsegp.learning.neighbours import policy
from sparsegp.model import moments
from tests.array_libraries import HOST_LIBRARIES, on_device

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

N = 600
OPTIONS = {"kernel": RBF(1.0), "max_basis": 15, "optimizer": None, "random_state": 0}


@pytest.fixture(autouse=True)
def in_this_process():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def libraries(monkeypatch):
    """Note in which libraries blocks of rows are summed."""
    seen, add = set(), moments.MomentSum.add

    def noted(self, rows, *others):
        seen.add(type(rows.X).__module__.split(".")[0])
        return add(self, rows, *others)

    monkeypatch.setattr(moments.MomentSum, "add", noted)
    return seen


def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 2))
    return X, np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=N), rng.uniform(0.5, 2.0, N)


def lazy(values, put=np.asarray):
    """Return a Dask array of some partitions, each put somewhere by its worker."""
    blocks = da.from_array(values, chunks=(150, *values.shape[1:]))
    return blocks.map_blocks(put, dtype=values.dtype, meta=np.empty((0,) * values.ndim))


@pytest.mark.parametrize("options", [
    {"approximation": "vfe", "n_neighbors": 0},
    {"approximation": "fitc", "transform_X": "quantile", "n_neighbors": 0},
    {"n_neighbors": 5, "precision": "double"},
    {"transform_y": "yeo-johnson", "n_neighbors": 0},
    {"precision": "mixed", "noise_variance": 0.1, "n_neighbors": 0},
])  # fmt: skip
def test_the_model_is_that_of_the_host(options, libraries, monkeypatch):
    monkeypatch.setattr(policy, "MOST_ROWS_KEPT", 300)  # else all of so few are fetched
    monkeypatch.setattr(policy, "MIN_ROWS", 300)
    X, y, _ = rows()
    model = SparseGPRegressor(**OPTIONS | options).fit(lazy(X), lazy(y))
    assert libraries == {"numpy"}
    libraries.clear()
    other = SparseGPRegressor(**OPTIONS | options).fit(lazy(X, on_device), lazy(y, on_device))
    assert "array_api_strict" in libraries
    assert_array_equal(other.basis_indices_, model.basis_indices_)
    wanted = model.predict(X[:50], return_std=True)
    for found, expected in zip(other.predict(X[:50], return_std=True), wanted, strict=True):
        assert type(found) is np.ndarray  # the model is on the host, wherever rows were
        assert_allclose(found, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("put", [on_device, *HOST_LIBRARIES])
def test_targets_and_weights_may_be_elsewhere(put):
    X, y, weight = rows()
    weight[::7] = 0.0
    model = SparseGPRegressor(**OPTIONS).fit(X, y, weight)
    for beside in (np.asarray, put):
        other = SparseGPRegressor(**OPTIONS).fit(lazy(X, put), lazy(y, beside), weight)
        assert_array_equal(other.basis_indices_, model.basis_indices_)
        assert_allclose(other.predict(X), model.predict(X), rtol=0, atol=1e-6)


def test_predictions_of_partitions_on_a_device_are_on_the_host():
    X, y, _ = rows()
    model = SparseGPRegressor(**OPTIONS).fit(X, y)
    found = dask.compute(*model.predict(lazy(X, on_device), return_std=True))
    for each, wanted in zip(found, model.predict(X, return_std=True), strict=True):
        assert_allclose(each, wanted, rtol=0, atol=1e-12)


def test_a_classifier_finds_its_sites_on_the_host_of_the_worker():
    X, y, _ = rows()
    labels = np.where(y > 0.2, "up", "down")
    model = SparseGPClassifier(**OPTIONS).fit(lazy(X), lazy(labels))
    other = SparseGPClassifier(**OPTIONS).fit(lazy(X, on_device), lazy(labels))
    assert_allclose(other.predict_proba(X), model.predict_proba(X), rtol=0, atol=1e-8)


def test_a_device_out_of_memory_leaves_its_partition_to_the_host(monkeypatch, libraries):
    class OutOfMemoryError(RuntimeError):
        """As torch and CuPy name it."""

    def full(basis, X):
        raise OutOfMemoryError("no room")

    X, y, _ = rows()
    model = SparseGPRegressor(**OPTIONS).fit(lazy(X), lazy(y))
    monkeypatch.setattr("sparsegp.model.features.Basis.beside", full)
    with pytest.warns(RuntimeWarning, match="a pass over a partition goes on in the memory"):
        other = SparseGPRegressor(**OPTIONS).fit(lazy(X, on_device), lazy(y))
    assert libraries == {"numpy"}
    assert_allclose(other.predict(X), model.predict(X), rtol=0, atol=1e-12)
