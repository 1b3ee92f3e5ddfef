"""Dask with worker processes: the same model, also when a worker dies in the middle of a fit."""

import os
import signal
import warnings

import numpy as np
import pytest

from sparsegp import SparseGPRegressor
from sparsegp.kernels import RBF

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of sockets and event loops, which are not ours
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        )
        client = distributed.Client(cluster)
        yield client
        client.close()
        cluster.close()


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_a_worker_that_dies_does_not_change_the_model(client):
    da = pytest.importorskip("dask.array")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 2))
    y = np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=900)
    options = {"kernel": RBF(1.0), "max_basis": 15, "random_state": 0}
    model = SparseGPRegressor(**options).fit(X, y)
    killed = []

    def kill(progress):
        if progress.phase == "final pass" and not killed:
            killed.append(client.run(os.getpid).popitem()[1])
            os.kill(killed[0], signal.SIGKILL)

    far = da.from_array(X, chunks=(100, 2)), da.from_array(y, chunks=100)
    other = SparseGPRegressor(**options, callback=kill).fit(*far)
    assert killed
    assert np.array_equal(model.basis_indices_, other.basis_indices_)
    mean, std = other.predict(far[0], return_std=True)
    wanted = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean.compute(), wanted[0], rtol=0, atol=1e-8)
    np.testing.assert_allclose(std.compute(), wanted[1], rtol=0, atol=1e-8)
