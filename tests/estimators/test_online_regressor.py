"""The on-line regressor: portions, pickles, bad input, likelihoods."""

import pickle

import numpy as np
import pytest

from sparsegp import OnlineGPRegressor
from sparsegp.kernels import RBF
from sparsegp.likelihoods import LaplaceNoise, by_quadrature
from tests.oracles.dense import exact_posterior

WAVY = 1.0 * RBF((1.0, 1.0))
RNG = np.random.default_rng(0)
X = RNG.uniform(-3.0, 3.0, (300, 2))
Y = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.1 * RNG.standard_normal(300)
NEW = RNG.uniform(-3.0, 3.0, (40, 2))


def quick(**options):
    return OnlineGPRegressor(**{"max_basis": 25, "n_warmup": 60, "random_state": 0} | options)


def outputs(model):
    return np.stack(model.predict(NEW, return_std=True))


def streamed(model, *cuts, X=X, y=Y):
    for rows, targets in zip(np.split(X, cuts), np.split(y, cuts), strict=True):
        model.partial_fit(rows, targets)
    return model


def test_the_exact_gaussian_process():
    kernel = 1.3 * RBF((0.5, 0.7))
    model = quick(
        kernel=kernel,
        noise_variance=0.2,
        optimizer=None,
        transform_X="none",
        transform_y="none",
        max_basis=500,
        tolerance=1e-12,
    ).fit(X[:80], Y[:80])
    mean, covariance = exact_posterior(kernel, X[:80], Y[:80, None], 0.2, NEW)
    found, std = model.predict(NEW, return_std=True)
    np.testing.assert_allclose(found, mean[:, 0], atol=1e-8)
    np.testing.assert_allclose(std**2, np.diagonal(covariance) + 0.2, atol=1e-8)


@pytest.mark.parametrize("cuts", [range(1, 120), (60,), (3, 59, 61), (100,)])
def test_portions_do_not_matter(cuts):
    whole = quick(max_basis=200).partial_fit(X[:120], Y[:120])
    parts = streamed(quick(max_basis=200), *cuts, X=X[:120], y=Y[:120])
    np.testing.assert_allclose(outputs(parts), outputs(whole), rtol=1e-5, atol=1e-6)
    assert parts.n_seen_ == whole.n_seen_ == 120


def test_it_learns():
    model = streamed(quick(kernel=WAVY, max_basis=18), 100, 200)
    mean, std = model.predict(NEW, return_std=True)
    error = mean - (np.sin(NEW[:, 0]) + 0.5 * NEW[:, 1])
    assert np.sqrt(np.mean(error**2)) < 0.1
    assert np.all((std > 0.05) & (std < 0.4))
    assert model.n_basis_ == 18
    assert model.basis_vectors_.shape == (18, 2)
    known = {tuple(row) for row in X.round(9)}
    assert all(tuple(row) in known for row in model.basis_vectors_.round(9))


def test_a_model_of_very_few_rows_predicts():
    model = quick()
    for i in range(5):
        model.partial_fit(X[i : i + 1], Y[i : i + 1])
        assert np.all(np.isfinite(outputs(model)))
    assert model.n_seen_ == 5


@pytest.mark.parametrize("stop", [20, 150])
def test_a_pickle_goes_on_bit_for_bit(stop):
    model = quick().partial_fit(X[:stop], Y[:stop])
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(outputs(copy), outputs(model))
    for each in (model, copy):
        for i in range(stop, stop + 50):
            each.partial_fit(X[i : i + 1], Y[i : i + 1])
    np.testing.assert_array_equal(outputs(copy), outputs(model))
    np.testing.assert_array_equal(copy.basis_vectors_, model.basis_vectors_)


BAD = {
    "X contains NaN": (np.array([[1.0, 2.0], [0.0, np.nan]]), np.zeros(2)),
    "3 features": (np.zeros((2, 3)), np.zeros(2)),
    "y contains NaN": (np.zeros((2, 2)), np.array([0.0, np.nan])),
    "inconsistent numbers": (np.zeros((2, 2)), np.zeros(3)),
    "y must be numeric": (np.zeros((1, 2)), np.array(["much"])),
}


@pytest.mark.parametrize("message", BAD)
@pytest.mark.parametrize("stop", [20, 150])
def test_bad_rows_change_nothing(message, stop):
    model = quick().partial_fit(X[:stop], Y[:stop])
    before, n_seen = outputs(model), model.n_seen_
    with pytest.raises(ValueError, match=message):
        model.partial_fit(*BAD[message])
    np.testing.assert_array_equal(outputs(model), before)
    assert model.n_seen_ == n_seen


def test_a_set_up_that_fails_changes_nothing():
    class Moody:
        """Fails for the 64th row."""

        def moment_match(self, y, mean, variance):
            if y[0] == 63.0:
                raise RuntimeError("no")
            return LaplaceNoise(0.3).moment_match(y, mean, variance)

    model = quick(likelihood=Moody(), n_warmup=64, optimizer=None)
    model.partial_fit(X[:63], np.arange(63.0))
    before = outputs(model)
    with pytest.raises(RuntimeError, match="no"):
        model.partial_fit(X[63:64], [63.0])
    np.testing.assert_array_equal(outputs(model), before)
    model.partial_fit(X[63:64], [3.0])
    assert model.n_seen_ == 64


def test_counts_outside_the_support_change_nothing():
    counts = RNG.poisson(np.exp(0.5 * X[:100, 0])).astype(float)
    model = quick(likelihood="poisson").partial_fit(X[:100], counts)
    before = outputs(model)
    for bad in (-1.0, 0.5):
        with pytest.raises(ValueError, match="y must hold counts"):
            model.partial_fit(X[:2], [1.0, bad])
    np.testing.assert_array_equal(outputs(model), before)
    fresh = quick(likelihood="poisson")
    with pytest.raises(ValueError, match="y must hold counts"):
        fresh.partial_fit(X[:2], [1.0, -1.0])
    assert not hasattr(fresh, "n_features_in_")


def test_poisson_finds_the_rate():
    rate = np.exp(0.8 * X[:, 0])
    model = quick(likelihood="poisson").fit(X, RNG.poisson(rate).astype(float))
    mean, std = model.predict(NEW, return_std=True)
    expected = np.exp(0.8 * NEW[:, 0])
    assert np.corrcoef(np.log(mean), np.log(expected))[0, 1] > 0.9
    assert np.all(std > np.sqrt(mean))


@pytest.mark.parametrize("likelihood", ["laplace", "student_t"])
def test_outliers_do_less_harm_to_heavy_tails(likelihood):
    y = Y.copy()
    y[::15] += 8.0
    truth = np.sin(NEW[:, 0]) + 0.5 * NEW[:, 1]
    options = {"noise_variance": 0.05, "optimizer": None}
    robust, plain = (
        np.sqrt(np.mean((quick(likelihood=name, **options).fit(X, y).predict(NEW) - truth) ** 2))
        for name in (likelihood, "gaussian")
    )
    assert robust < 0.7 * plain


def test_noise_of_one_side():
    edge = np.sin(X[:, 0])
    y = edge + RNG.exponential(0.3, 300)
    model = quick(likelihood="one_sided").fit(X, y)
    latent, _ = model.predict_latent(NEW, return_std=True)
    assert np.mean(np.abs(latent - np.sin(NEW[:, 0]))) < 0.15
    np.testing.assert_allclose(np.mean(model.predict(NEW) - latent), 0.3, atol=0.12)


def log_laplace(y, f):
    return LaplaceNoise(0.3).log_density(y, f)


def test_a_likelihood_of_ones_own():
    own = by_quadrature(log_laplace, jump=np.asarray)
    options = {"transform_y": "none", "optimizer": None}
    found = quick(likelihood=own, **options).fit(X[:60], Y[:60])
    expected = quick(likelihood=LaplaceNoise(0.3), **options).fit(X[:60], Y[:60])
    np.testing.assert_allclose(found.predict(NEW), expected.predict(NEW), atol=1e-6)
    # without moments of y given f it predicts f
    latent = found.predict_latent(NEW, return_std=True)
    np.testing.assert_array_equal(found.predict(NEW), latent[0])
    assert np.all(np.isfinite(pickle.loads(pickle.dumps(found)).predict(NEW)))


def test_more_sweeps_are_the_same_for_any_order_of_rows():
    """On one basis, once rows are recycled."""
    options = {"kernel": RBF((0.3, 0.3)), "optimizer": None, "shuffle": False}
    options |= {"max_basis": 400, "n_sweeps": 2}
    one = quick(n_warmup=300, **options).fit(X, Y)
    other = quick(n_warmup=300, **options).fit(X[::-1], Y[::-1])
    np.testing.assert_allclose(outputs(one), outputs(other), atol=1e-5)
    assert one.n_seen_ == 300


def test_prune_forget_relearn():
    model = quick(kernel=WAVY, max_basis=16).fit(X, Y)
    before = outputs(model)
    assert model.prune(12) is model
    assert model.n_basis_ == 12
    spread = model.predict(NEW, return_std=True)[1]
    model.forget(0.5)
    assert np.all(model.predict(NEW, return_std=True)[1] > spread)
    model.partial_fit(X, Y)
    assert model.n_basis_ == 16
    theta = model.kernel_.theta
    model.relearn()
    assert not np.array_equal(model.kernel_.theta, theta)
    truth = np.sin(NEW[:, 0]) + 0.5 * NEW[:, 1]
    assert np.sqrt(np.mean((model.predict(NEW) - truth) ** 2)) < 0.15
    assert before.shape == outputs(model).shape


def test_relearning_finds_a_length_scale_that_was_wrong():
    start = quick(kernel=RBF(0.15), optimizer=None, noise_variance=0.01, max_basis=60)
    model = start.fit(X, Y)
    wrong = np.mean(np.abs(model.predict(NEW) - np.sin(NEW[:, 0]) - 0.5 * NEW[:, 1]))
    model.relearn().partial_fit(X, Y)
    right = np.mean(np.abs(model.predict(NEW) - np.sin(NEW[:, 0]) - 0.5 * NEW[:, 1]))
    assert model.kernel_.length_scale > 0.3
    assert right < 0.5 * wrong


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_basis": 0}, "max_basis"),
        ({"tolerance": -1.0}, "tolerance"),
        ({"deletion": "oldest"}, "deletion"),
        ({"likelihood": "normal"}, "likelihood"),
        ({"likelihood": 3}, "likelihood"),
        ({"likelihood": "poisson", "transform_y": "standard"}, "transform_y"),
        ({"n_warmup": 0}, "n_warmup"),
        ({"n_sweeps": 0}, "n_sweeps"),
        ({"optimizer": "adam"}, "optimizer"),
        ({"kernel": "rbff"}, "kernel"),
    ],
)
def test_bad_options_are_named(options, message):
    model = quick(**options)
    with pytest.raises(ValueError, match=message):
        model.fit(X, np.abs(np.round(Y)))
    assert not hasattr(model, "n_features_in_")


@pytest.mark.parametrize("rate", [-0.1, 1.1, "much"])
def test_bad_rates_are_named(rate):
    model = quick().partial_fit(X[:10], Y[:10])
    with pytest.raises(ValueError, match="rate"):
        model.forget(rate)
