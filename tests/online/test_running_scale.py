"""The running scale on the variances of a stream's predictions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sparsegp import OnlineGPRegressor
from sparsegp.files import NumpyPredictor, load, to_onnx
from sparsegp.online.running_scale import FIRST_COUNT, HORIZON, LARGEST_SQUARED_Z, RunningScale

squares = arrays(float, st.tuples(st.integers(1, 30), st.just(2)), elements=st.floats(0.0, 1e300))


def naive(z2: np.ndarray) -> float:
    """The recursion as it is written, for one output."""
    c = 1.0
    for n, z in enumerate(z2):
        c += (min(z, LARGEST_SQUARED_Z * c) - c) * max(1 / HORIZON, 1 / (n + FIRST_COUNT + 1))
    return c


@given(squares)
def test_recursion_however_rows_are_cut(z2: np.ndarray) -> None:
    whole = RunningScale.initial(2).after(z2)
    parts = RunningScale.initial(2)
    for row in z2:
        parts = parts.after(row[None])
    np.testing.assert_allclose(whole.value, parts.value, rtol=1e-14)
    assert whole.count == parts.count == len(z2)
    assert np.all(np.isfinite(whole.value))
    assert np.all(whole.value > 0.0)
    if np.all(z2 > 1e-3):  # above the smallest scale
        np.testing.assert_allclose(whole.value, [naive(z2[:, 0]), naive(z2[:, 1])], rtol=1e-12)


def test_is_the_mean_square_of_rows_in_units_of_their_error_bars() -> None:
    z = 3.0 * np.random.default_rng(0).standard_normal((4_000, 1))
    scale, seen = RunningScale.initial(1), []
    for row in z:
        scale = scale.after(row[None] ** 2)
        seen.append(scale.value[0])
    assert np.mean(seen[1000:]) == pytest.approx(9.0, rel=0.05)


def test_a_weight_is_a_count() -> None:
    rng = np.random.default_rng(0)
    z2, count = rng.chisquare(1, (200, 1)), rng.integers(1, 4, 200)
    whole = RunningScale.initial(1).after(z2 * count[:, None], count.astype(float))
    copies = RunningScale.initial(1).after(np.repeat(z2, count, axis=0))
    assert whole.count == copies.count
    np.testing.assert_allclose(whole.value, copies.value, rtol=0.05)


def test_one_wild_row_is_forgiven() -> None:
    scale = RunningScale.initial(1).after(np.ones((500, 1)))
    after = scale.after(np.array([[1e300]])).after(np.ones((300, 1)))
    assert after.value[0] < 1.1


def stream(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return rows whose noise becomes ten times as large after half of them."""
    X = rng.uniform(-2.0, 2.0, (n, 2))
    noise = np.where(np.arange(n) < n // 2, 0.05, 0.5)
    return X, np.sin(2.0 * X[:, 0]) + noise * rng.standard_normal(n)


# without forgetting nothing but the scale follows the noise, and warm-ups are short
QUICK = {"max_basis": 15, "n_warmup": 100, "random_state": 0, "forgetting": None}


def prequential_z(model: OnlineGPRegressor, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return z-scores of rows, ten of which are predicted together and then learned."""
    z = np.empty(len(y))
    model.partial_fit(X[:100], y[:100])
    for rows in (slice(i, i + 10) for i in range(100, len(y), 10)):
        mean, std = model.predict(X[rows], return_std=True)
        z[rows] = (y[rows] - mean) / std
        model.partial_fit(X[rows], y[rows])
    return z


def test_error_bars_follow_the_noise() -> None:
    X, y = stream(1200, np.random.default_rng(1))
    options, late = QUICK, slice(800, None)
    z = prequential_z(OnlineGPRegressor(**options), X, y)[late]
    plain = prequential_z(OnlineGPRegressor(calibrate=False, **options), X, y)[late]
    assert 0.9 < np.mean(np.abs(z) < 1.96) < 0.99
    assert np.mean(np.abs(plain) < 1.96) < 0.5


def test_means_and_latent_function_stay() -> None:
    X, y = stream(400, np.random.default_rng(2))
    # a learned rate of forgetting depends on calibrated densities
    model = OnlineGPRegressor(**QUICK).partial_fit(X, y)
    plain = OnlineGPRegressor(calibrate=False, **QUICK).partial_fit(X, y)
    mean, std = model.predict(X, return_std=True)
    own_mean, own_std = plain.predict(X, return_std=True)
    np.testing.assert_allclose(mean, own_mean, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(std, own_std * model.variance_scale_**0.5)
    for ours, theirs in zip(
        model.predict_latent(X, return_std=True),
        plain.predict_latent(X, return_std=True),
        strict=True,
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    assert model.variance_scale_[0] != 1.0
    assert plain.variance_scale_ == 1.0


@pytest.mark.parametrize(
    "options",
    [
        {"optimizer": None},
        {"noise_variance_bounds": "fixed"},
        {"likelihood": "student_t"},
        {"likelihood": "laplace"},
    ],
    ids=["given", "fixed", "student_t", "laplace"],
)
def test_given_noise_and_other_likelihoods_are_left_alone(options: dict[str, object]) -> None:
    X, y = stream(150, np.random.default_rng(3))
    model = OnlineGPRegressor(**QUICK, **options)
    assert np.all(model.partial_fit(X, y).variance_scale_ == 1.0)


def test_every_output_has_its_own() -> None:
    rng = np.random.default_rng(4)
    X, y = stream(400, rng)
    Y = np.column_stack([y, np.cos(X[:, 1]) + 0.05 * rng.standard_normal(len(y))])
    model = OnlineGPRegressor(**QUICK).partial_fit(X, Y)
    assert model.variance_scale_[0] > 10.0 * model.variance_scale_[1]
    std = model.predict(X[:5], return_std=True)[1]
    assert std.shape == (5, 2)


def test_new_hyperparameters_are_trusted_again() -> None:
    X, y = stream(200, np.random.default_rng(5))
    model = OnlineGPRegressor(**QUICK).partial_fit(X, y)
    assert np.all(model.variance_scale_ != 1.0)
    assert np.all(model.relearn().variance_scale_ == 1.0)


def test_calibrate_cannot_change_in_mid_stream() -> None:
    X, y = stream(150, np.random.default_rng(6))
    model = OnlineGPRegressor(**QUICK).partial_fit(X, y)
    with pytest.raises(ValueError, match="calibrate was changed"):
        model.set_params(calibrate=False).partial_fit(X, y)


def test_files_and_predictors_know_it(tmp_path) -> None:
    X, y = stream(300, np.random.default_rng(7))
    model = OnlineGPRegressor(max_basis=15, n_warmup=100, random_state=0).partial_fit(
        X[:250], y[:250]
    )
    model.save(tmp_path / "model.safetensors")
    other = load(tmp_path / "model.safetensors")
    mean, std = model.predict(X, return_std=True)
    np.testing.assert_allclose(other.predict(X, return_std=True)[1], std, rtol=1e-12)
    alone = NumpyPredictor(tmp_path / "model.safetensors").predict(X, return_std=True)
    np.testing.assert_allclose(alone, (mean, std), rtol=1e-8, atol=1e-10)
    for each in (model, other):
        each.partial_fit(X[250:], y[250:])
    np.testing.assert_allclose(other.variance_scale_, model.variance_scale_, rtol=1e-9)
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(to_onnx(model).SerializeToString())
    found = session.run(["std"], {"X": X[:20]})[0]
    np.testing.assert_allclose(found, model.predict(X[:20], return_std=True)[1], rtol=1e-5)
