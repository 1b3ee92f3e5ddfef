"""Running scale and tails of the errors of a stream."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from sparsegp import OnlineGPRegressor
from sparsegp.online.policy import (
    FIRST_COUNT,
    LARGEST_GAIN,
    LARGEST_SQUARED_Z,
    TAIL_CANDIDATES,
    TAIL_HORIZON,
)
from sparsegp.online.running_tails import RunningTails

squares = arrays(float, st.tuples(st.integers(1, 20), st.just(2)), elements=st.floats(0.0, 1e300))


def naive(z2: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scales and log densities as they are written, for one output; the weight by sampling t."""
    scale, lead = np.ones(len(TAIL_CANDIDATES)), np.zeros(len(TAIL_CANDIDATES))
    for n, z in enumerate(z2):
        found = np.empty(len(scale))
        for i, (horizon, df) in enumerate(TAIL_CANDIDATES):
            errors = stats.t(df) if df else stats.norm()
            found[i] = errors.logpdf(np.sqrt(z / scale[i])) - 0.5 * np.log(scale[i])
            w = np.sqrt((df + 1.0) / (df + z / scale[i])) / mean_weight(df) if df else 1.0
            step = max(1.0 / horizon, 1.0 / (n + FIRST_COUNT + 1.0))
            scale[i] += step * (min(w * z, LARGEST_SQUARED_Z * scale[i]) - scale[i])
        lead = (1.0 - 1.0 / TAIL_HORIZON) * lead
        lead += np.maximum(found - found.max(), -LARGEST_GAIN)
    return scale, lead - lead.max()


@cache
def mean_weight(df: float) -> float:
    """E √((ν + 1)/(ν + t²)) t²."""
    return float(stats.t(df).expect(lambda t: np.sqrt((df + 1.0) / (df + t * t)) * t * t))


def test_recursion_as_it_is_written() -> None:
    z2 = np.random.default_rng(0).standard_t(4, 60) ** 2
    found = RunningTails.initial(1).after(z2[:, None])
    scale, lead = naive(z2)
    np.testing.assert_allclose(found.scale[0], scale, rtol=1e-6)
    np.testing.assert_allclose(found.lead[0], lead, rtol=1e-5, atol=1e-5)


@given(squares)
def test_however_rows_are_cut(z2: np.ndarray) -> None:
    whole, parts = RunningTails.initial(2).after(z2), RunningTails.initial(2)
    for row in z2:
        parts = parts.after(row[None])
    np.testing.assert_array_equal(whole.scale, parts.scale)
    np.testing.assert_array_equal(whole.lead, parts.lead)
    assert np.all(np.isfinite(whole.lead)) and np.all(whole.scale > 0.0)


@pytest.mark.parametrize("df", [3.0, 10.0, None])
def test_finds_scale_and_tails(df: float | None) -> None:
    rng = np.random.default_rng(1)
    z = 2.0 * (rng.standard_normal(3000) if df is None else rng.standard_t(df, 3000))
    found = RunningTails.initial(1).after(z[:, None] ** 2)
    assert found.tails.df == df or (df == 10.0 and found.tails.df in (None, 5.0))
    assert found.scale[0, found.best()] == pytest.approx(4.0, rel=0.3)


def test_follows_a_scale_that_changes_fast() -> None:
    rng = np.random.default_rng(2)
    z = np.exp(2.0 * np.sin(np.arange(3000) / 25.0)) * rng.standard_normal(3000)
    found = RunningTails.initial(1).after(z[:, None] ** 2)
    assert found.candidates[found.best(), 0] == 30.0


def test_a_weight_is_a_count() -> None:
    rng = np.random.default_rng(0)
    z2, count = rng.standard_t(4, (300, 1)) ** 2, rng.integers(1, 4, 300)
    whole = RunningTails.initial(1).after(z2 * count[:, None], count.astype(float))
    copies = RunningTails.initial(1).after(np.repeat(z2, count, axis=0))
    assert whole.count == copies.count
    np.testing.assert_allclose(whole.scale, copies.scale, rtol=0.15)


def stream(n: int = 500) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.uniform(-2.0, 2.0, (n, 1))
    return X, np.sin(2.0 * X[:, 0]) + 0.1 * rng.standard_t(2.5, n)


def test_predictions_have_the_tails() -> None:
    X, y = stream()
    options = {"max_basis": 15, "n_warmup": 100, "forgetting": None, "random_state": 0}
    model = OnlineGPRegressor(**options).partial_fit(X, y)
    found, std = model.predict_distribution(X[:5]), model.predict(X[:5], return_std=True)[1]
    assert found.tails.df in (3.0, 5.0)
    np.testing.assert_allclose(found.std, std)
    samples = model.sample_y(X[:1], 40_000)[0]
    np.testing.assert_allclose(
        np.quantile(samples, [0.05, 0.95]), found.quantile([0.05, 0.95])[0], atol=0.02
    )
    uncertainty = model.predict_uncertainty(X[:5])
    np.testing.assert_allclose(uncertainty.total, std)
    assert np.all(uncertainty.epistemic < uncertainty.total)


def test_blocks_and_single_rows_agree() -> None:
    X, y = stream(160)
    options = {"max_basis": 10, "n_warmup": 60, "random_state": 0, "mean": "zero"}
    single, blocks = OnlineGPRegressor(**options), OnlineGPRegressor(**options)
    for i in range(len(X)):
        single.partial_fit(X[i : i + 1], y[i : i + 1])
    for start in range(0, len(X), 32):
        blocks.partial_fit(X[start : start + 32], y[start : start + 32])
    one, other = (model._stream.model.tails for model in (single, blocks))
    assert one.count == other.count
    np.testing.assert_allclose(one.scale, other.scale, rtol=1e-6)
    np.testing.assert_allclose(one.lead, other.lead, atol=1e-6)
    np.testing.assert_allclose(single.predict(X, True), blocks.predict(X, True), rtol=1e-6)
