"""The first rows of a stream: predictions far from them are like the targets so far."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsegp
from sparsegp import OnlineGPRegressor
from sparsegp.files import NumpyPredictor, to_onnx
from tests.property_settings import cases


def first_rows(n_rows: int, seed: int):
    """Return rows of which two values of a column lie close by chance, and a model of them."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.0, 1.0, (n_rows + 5, 4))
    X[1, 0] = X[0, 0] + 1e-4
    y = 10.0 + 5.0 * X[:, 1] + 3.0 * X[:, 0] + rng.standard_normal(len(X))
    model = OnlineGPRegressor(random_state=0).partial_fit(X[:n_rows], y[:n_rows])
    return model, X[n_rows:], y[n_rows:], y[:n_rows]


@cases(20)
@given(seed=st.integers(0, 10**6))
def test_the_third_row_is_predicted_like_the_first_two(seed):
    model, X, y, first = first_rows(2, seed)
    off = np.abs(model.predict(X) - np.mean(first))
    assert np.all(off < 30.0 * np.std(first))
    if np.std(first) > 0.5:  # targets that lie close, too, tell little about their scale
        low, high = model.predict_interval(X)
        assert np.all((low < y) & (y < high))


@pytest.mark.parametrize("n_rows", [2, 5, 17])
def test_the_product_with_the_widest_belief(n_rows):
    """By Bayes' rule for two normal densities, on a grid."""
    model, X, _, _ = first_rows(n_rows, 0)
    largest, stream = model._stream.decided.largest_variance, model._stream
    found = np.stack(stream.latent(X))[:, :, 0]
    mean, variance = (a[:, 0] for a in stream.state.mean_and_variance(stream.scaling_x.apply(X)))
    for m, v, own in zip(mean, variance, found.T, strict=True):
        spread = min(v, largest) ** 0.5
        centre = m * largest / (largest + v)
        f = np.linspace(centre - 12.0 * spread, centre + 12.0 * spread, 20_001)
        density = np.exp(-0.5 * (f - m) ** 2 / v - 0.5 * f**2 / largest)
        density /= density.sum()
        np.testing.assert_allclose(own[0], f @ density, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(own[1], (f - own[0]) ** 2 @ density, rtol=1e-6)


@pytest.mark.parametrize("n_rows", [2, 5])
def test_samples_and_files_say_the_same(n_rows, tmp_path):
    model, X, _, _ = first_rows(n_rows, 1)
    mean, std = model.predict(X, return_std=True)
    samples = model.sample_y(X, 20_000)
    np.testing.assert_allclose(samples.mean(axis=1), mean, atol=0.05 * std.max())
    np.testing.assert_allclose(samples.std(axis=1), std, rtol=0.05)
    model.save(tmp_path / "m.gp")
    for other in (sparsegp.load(tmp_path / "m.gp"), NumpyPredictor(tmp_path / "m.gp")):
        np.testing.assert_allclose(other.predict(X, return_std=True), (mean, std), rtol=1e-9)


def test_onnx_says_the_same():
    pytest.importorskip("onnx", reason="to_onnx is an extra")
    runtime = pytest.importorskip("onnxruntime", reason="there is nothing to compare with")
    model, X, _, _ = first_rows(5, 1)
    session = runtime.InferenceSession(
        to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    found = session.run(None, {"X": X})
    expected = model.predict(X, return_std=True)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.ravel(one), other, rtol=1e-6)


def test_learned_hyperparameters_and_given_ones_have_no_limit():
    assert first_rows(200, 0)[0]._stream.decided.largest_variance is None
    X, y = np.array([[0.0], [1.0]]), np.array([0.0, 1.0])
    own = OnlineGPRegressor(kernel="linear", optimizer=None).partial_fit(X, y)
    assert own._stream.decided.largest_variance is None
