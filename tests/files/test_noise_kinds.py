"""Models with outliers or a changing noise come back from files, and predict elsewhere."""

import numpy as np
import pytest

from sparsegp import SparseGPRegressor, load
from sparsegp.exceptions import ModelFileError
from sparsegp.files import NumpyPredictor, to_onnx
from sparsegp.kernels import RBF
from sparsegp.model.noise.distribution import NoiseDistribution

every_kind = pytest.mark.parametrize("noise", ["student_t", "heteroscedastic"])
every_target = pytest.mark.parametrize("transform_y", ["standard", "log", "sinh-arcsinh"])


def fitted(noise, **options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = np.exp(np.sin(X[:, 0]) + 0.1 * np.exp(X[:, 1]) * rng.standard_t(4.0, 200))
    given = {"max_basis": 20, "optimizer": None, "noise_variance": 0.1, "random_state": 0}
    return X, y, SparseGPRegressor(RBF(1.0), noise=noise, **given | options).fit(X, y)


@every_kind
def test_round_trip(noise, tmp_path):
    X, y, model = fitted(noise, transform_y="log")
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.noise == loaded.noise_ == noise
    np.testing.assert_array_equal(loaded.log_density(X, y), model.log_density(X, y))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


@every_kind
@every_target
def test_numpy_alone(noise, transform_y, tmp_path):
    X, _, model = fitted(noise, transform_y=transform_y)
    model.save(tmp_path / "model")
    found = NumpyPredictor(tmp_path / "model").predict(X, return_std=True)
    for ours, theirs in zip(found, model.predict(X, return_std=True), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-8)


@every_kind
@every_target
def test_onnx(noise, transform_y):
    pytest.importorskip("onnx", reason="to_onnx is an extra")
    runtime = pytest.importorskip("onnxruntime", reason="there is nothing to compare with")
    X, _, model = fitted(noise, transform_y=transform_y)
    session = runtime.InferenceSession(
        to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    found = session.run(["mean", "std"], {"X": X})
    for ours, theirs in zip(found, model.predict(X, return_std=True), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_a_file_without_a_variance_is_refused(tmp_path):
    _, _, model = fitted("student_t")
    vars(model._noise)["tails"] = NoiseDistribution(1.5)
    model.save(tmp_path / "model")
    with pytest.raises(ModelFileError, match="degrees of freedom"):
        load(tmp_path / "model")
