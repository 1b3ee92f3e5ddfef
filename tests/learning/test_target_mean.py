"""The share of the linear prediction in the mean of a warped target."""

import numpy as np
import pytest

from sparsegp import SparseGPRegressor, load
from sparsegp.files import NumpyPredictor
from sparsegp.kernels import RBF
from sparsegp.learning.target_mean import _share
from sparsegp.model.neighbours.prediction import NeighbourPosterior


def table(n=800, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 2))
    # two outcomes, far apart: the mean is no mean of anything that was seen
    y = np.exp(X[:, 0] + np.where(rng.uniform(size=n) < 0.3, 1.5, 0.0))
    return X, y


def fitted(n_neighbors=0, **options):
    given = {"max_basis": 40, "transform_X": "standard", "transform_y": "log"}
    model = SparseGPRegressor(RBF(1.0), n_neighbors=n_neighbors, random_state=0, **given | options)
    return model.fit(*table())


@pytest.mark.parametrize("k", [0, 8])
def test_the_share_has_the_least_squared_error_of_left_out_rows(k):
    model = fitted(k)
    mean = model._target_mean
    assert 0.0 <= mean.share[0] <= 1.0
    X, y = table(3_000, seed=1)

    def error(share):
        object.__setattr__(mean, "share", np.array([share]))
        return np.mean((model.predict(X) - y) ** 2)

    chosen = mean.share[0]
    errors = {share: error(share) for share in (0.0, 0.25, 0.5, 0.75, 1.0)}
    assert error(chosen) < 1.02 * min(errors.values())


@pytest.mark.parametrize("k", [0, 8])
def test_distributions_do_not_change_and_the_mean_does(k):
    model, (X, y) = fitted(k), table(200, seed=2)
    object.__setattr__(model._target_mean, "share", np.array([0.5]))
    mixed, std = model.predict(X, return_std=True)
    joint, covariance = model.predict(X[:20], return_cov=True)
    np.testing.assert_allclose(joint, mixed[:20], rtol=1e-9)
    np.testing.assert_allclose(np.sqrt(np.diagonal(covariance)), std[:20], rtol=1e-3)
    density = model.log_density(X, y)
    model._target_mean = None
    warped, same = model.predict(X, return_std=True)
    assert not np.allclose(mixed, warped)
    np.testing.assert_allclose(std, same, rtol=1e-12)
    np.testing.assert_array_equal(density, model.log_density(X, y))


@pytest.mark.parametrize("k", [0, 8])
def test_it_survives_files_prefixes_and_numpy(k, tmp_path):
    model, X = fitted(k), table(50, seed=2)[0]
    wanted = model.predict(X)
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(X), wanted)
    np.testing.assert_allclose(NumpyPredictor(tmp_path / "model").predict(X), wanted, rtol=1e-8)
    np.testing.assert_allclose(model.prefix(model.n_basis_).predict(X), wanted, rtol=1e-8)
    assert model.prefix(5)._target_mean.beta.shape == (5, 1)
    assert np.all(np.isfinite(model.prefix(5).predict(X)))


def test_a_compact_file_has_a_share_of_its_own(tmp_path):
    model, X = fitted(8), table(50, seed=2)[0]
    model.save(tmp_path / "model", compact=True)
    loaded = load(tmp_path / "model")
    assert not isinstance(loaded._posterior, NeighbourPosterior)
    assert loaded._target_mean.share == model._basis_alone.target_mean.share
    np.testing.assert_array_equal(loaded._target_mean.beta, model._target_mean.beta)
    np.testing.assert_allclose(
        NumpyPredictor(tmp_path / "model").predict(X), loaded.predict(X), rtol=1e-8
    )


def test_targets_without_a_warp_have_no_mixture():
    assert fitted(transform_y="standard")._target_mean is None
    assert fitted(calibrate=False)._target_mean is None


def test_few_rows_and_a_few_large_errors_decide_little():
    rng = np.random.default_rng(0)
    apart, noise = rng.normal(size=(2, 2_000, 1))
    count = np.ones((2_000, 1))
    assert _share(0.6 * apart + noise, apart, count) == pytest.approx(0.6, abs=0.06)
    assert _share(noise, apart, count) < 0.01
    noise[0], apart[0] = 300.0, 5.0  # one row would have the share at one
    assert _share(noise, apart, count) < 0.4
    same = np.zeros((5, 1))
    assert _share(same, same, np.ones((5, 1))) == 0.0
