"""``mean="auto"``: predictions move towards the last target as far as that has paid."""

import numpy as np

from sparsegp import OnlineGPRegressor, load
from sparsegp.files import NumpyPredictor

RNG = np.random.default_rng(0)
N = 500
X = RNG.standard_normal((N, 2))
WALK = X[:, 0] + np.cumsum(0.5 * RNG.standard_normal(N))
STILL = X[:, 0] + 0.5 * RNG.standard_normal(N)
NEW = RNG.standard_normal((20, 2))


def regressor(mean="auto", **options):
    options = {"max_basis": 15, "n_warmup": 60, "forgetting": 0.01, "random_state": 0} | options
    return OnlineGPRegressor(mean=mean, **options)


def one_step_ahead(model, y, size=1):
    """Return squared errors and negative log densities of rows, predicted before their call."""
    errors, densities = [], []
    for start in range(0, N, size):
        rows = slice(start, start + size)
        if start:
            mean, std = model.predict(X[rows], return_std=True)
            errors.append((y[rows] - mean) ** 2)
            densities.append(0.5 * errors[-1] / std**2 + np.log(std))
        model.partial_fit(X[rows], y[rows])
    return np.concatenate(errors)[100:], np.concatenate(densities)[100:]


def test_a_target_that_wanders_is_followed():
    zero, zero_density = one_step_ahead(regressor("zero"), WALK)
    auto, density = one_step_ahead(regressor(), WALK)
    assert auto.mean() < 0.7 * zero.mean()
    assert density.mean() < zero_density.mean() - 0.1


def test_blocks_are_predicted_from_the_target_before_them():
    zero, zero_density = one_step_ahead(regressor("zero"), WALK, 25)
    auto, density = one_step_ahead(regressor(), WALK, 25)
    assert auto.mean() < zero.mean()
    assert density.mean() < zero_density.mean()


def test_where_the_last_target_tells_nothing_it_is_not_used():
    zero, auto = regressor("zero"), regressor()
    for start in range(0, N, 5):
        rows = slice(start, start + 5)
        zero.partial_fit(X[rows], STILL[rows])
        auto.partial_fit(X[rows], STILL[rows])
    np.testing.assert_array_equal(zero.predict(NEW, True), auto.predict(NEW, True))


def walked():
    model = regressor()
    one_step_ahead(model, WALK)
    assert model._stream._last.used.all()
    return model


def test_every_prediction_follows_the_last_target():
    model = walked()
    mean, std = model.predict(NEW, return_std=True)
    distribution = model.predict_distribution(NEW)
    np.testing.assert_allclose(distribution.mean, mean)
    np.testing.assert_allclose(distribution.std, std)
    samples = model.sample_y(NEW, 4000)
    np.testing.assert_allclose(samples.mean(axis=1), mean, atol=0.1 * std.max())
    np.testing.assert_allclose(samples.std(axis=1), std, rtol=0.1)


def test_a_stream_goes_on_from_its_file(tmp_path):
    model = walked()
    model.save(tmp_path / "model")
    other = load(tmp_path / "model")
    for one in (model, other):
        one.partial_fit(X[:1], WALK[-1:])
    np.testing.assert_array_equal(model.predict(NEW, True), other.predict(NEW, True))


def test_exports_predict_without_the_last_target(tmp_path):
    zero, auto = regressor("zero"), walked()
    one_step_ahead(zero, WALK)
    auto.save(tmp_path / "model")
    found = NumpyPredictor(tmp_path / "model").predict(NEW, return_std=True)
    np.testing.assert_allclose(found, zero.predict(NEW, return_std=True), rtol=1e-6)


def test_forgetting_everything_forgets_it():
    zero, auto = regressor("zero"), walked()
    one_step_ahead(zero, WALK)
    for model in (zero, auto):
        model.forget(1.0)
    np.testing.assert_array_equal(zero.predict(NEW), auto.predict(NEW))
