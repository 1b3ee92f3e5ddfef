"""Outliers, and a noise that changes with the inputs, from fit to predictions."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from sklearn.base import clone

from sparsegp.kernels import RBF
from tests.plain import plain_regressor

KINDS = ("student_t", "heteroscedastic")
every_kind = pytest.mark.parametrize("noise", KINDS)


def table(kind, n, seed=0):
    """Return inputs, noisy targets and the function."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, 2))
    f = np.sin(2.0 * X[:, 0])
    if kind == "student_t":
        return X, f + 0.15 * rng.standard_t(3.0, n), f
    if kind == "visits":  # counts, zero for most rows and large for some
        rate = 0.4 * np.exp(0.8 * X[:, 0])
        return X, rng.negative_binomial(0.3, 0.3 / (0.3 + rate)).astype(float), rate
    if kind == "gross":
        y = f + 0.1 * rng.standard_normal(n)
        return X, np.where(rng.random(n) < 0.05, y + 30.0 * rng.standard_normal(n), y), f
    std = 0.2 if kind == "gaussian" else sigma(X)
    return X, f + std * rng.standard_normal(n), f


def sigma(X):
    return 0.1 * np.exp(0.8 * X[:, 1])


@cache
def fitted(kind, noise, transform_y="standard"):
    X, y, _ = table(kind, 800)
    if transform_y == "log":
        y = np.exp(y)
    options = {"max_basis": 30, "n_adaptations": 0, "random_state": 0}
    return plain_regressor(noise=noise, transform_y=transform_y, **options).fit(X, y)


@cache
def quick(noise, **options):
    """A model whose hyperparameters are given."""
    X, y, _ = table(noise, 300)
    given = {"max_basis": 25, "optimizer": None, "noise_variance": 0.05, "random_state": 0}
    return plain_regressor(RBF((0.6, 3.0)), noise=noise, **given | options).fit(X, y)


@every_kind
def test_intervals_hold_what_they_promise(noise):
    model = fitted(noise, noise)
    X, y, _ = table(noise, 4000, seed=1)
    lower, upper = model.predict_interval(X, 0.95)
    assert 0.925 < np.mean((lower <= y) & (y <= upper)) < 0.975
    assert (
        model.log_density(X, y).mean() > fitted(noise, "gaussian").log_density(X, y).mean() + 0.03
    )


def test_gross_outliers_do_not_move_the_mean():
    X, _, f = table("gross", 2000, seed=1)
    off = np.abs(fitted("gross", "student_t").predict(X) - f)
    assert np.sqrt(np.mean(off**2)) < 0.05
    assert np.mean(np.abs(fitted("gross", "gaussian").predict(X) - f)) > 0.1  # they do otherwise


def test_the_noise_is_found_where_it_is():
    model = fitted("heteroscedastic", "heteroscedastic")
    X, _, _ = table("heteroscedastic", 2000, seed=1)
    _, std = model.predict(X, return_std=True)
    off = np.log(std) - np.log(sigma(X))
    assert np.sqrt(np.mean(off**2)) < 0.25  # after a short search


def test_plain_noise_is_left_alone_by_auto():
    X, y, _ = table("gaussian", 800)
    chosen, plain = fitted("gaussian", "auto"), fitted("gaussian", "gaussian")
    assert chosen.noise_ == "gaussian" or chosen.calibration_.tails.df > 10.0
    np.testing.assert_array_equal(chosen.predict(X), plain.predict(X))
    np.testing.assert_allclose(
        chosen.log_density(X, y).mean(), plain.log_density(X, y).mean(), atol=0.01
    )
    entry = next(e for e in chosen.history_ if e["phase"] == "choice of noise")
    assert set(entry["log_density"]) == {"gaussian", *KINDS}


@every_kind
def test_auto_takes_what_predicts_better(noise):
    assert fitted(noise, "auto").noise_ == noise


def test_auto_takes_no_noise_that_moves_the_mean():
    # Student's t takes the larger counts for outliers, and its density near zero is high
    X, y, _ = table("visits", 800)
    chosen = fitted("visits", "auto")
    (entry,) = [each for each in chosen.history_ if each["phase"] == "choice of noise"]
    assert entry["biased"] == ["student_t"]
    assert entry["log_density"]["student_t"] > entry["log_density"]["gaussian"] + 0.025
    assert chosen.predict(X).mean() == pytest.approx(y.mean(), rel=0.1)


def test_auto_on_few_rows_is_plain():
    X, y, _ = table("student_t", 120)
    model = plain_regressor(noise="auto", max_basis=10, random_state=0).fit(X, y)
    assert model.noise_ == "gaussian"


@pytest.mark.parametrize(
    ("noise", "transform_y"),
    [("student_t", "standard"), ("student_t", "log"), ("heteroscedastic", "log")],
)
def test_density_quantiles_and_moments_are_of_one_distribution(noise, transform_y):
    model = fitted(noise, noise, transform_y)
    x = np.array([[0.4, -1.0]])
    q = np.array([0.001, 0.2, 0.5, 0.9, 0.999])
    quantiles = model.predict_quantiles(x, q)[0]
    np.testing.assert_allclose(model.cdf(np.repeat(x, 5, axis=0), quantiles), q, rtol=1e-7)

    def density(y):
        return float(np.exp(model.log_density(x, np.array([y])))[0])

    mass = sum(quad(density, a, b)[0] for a, b in pairwise(quantiles))
    assert mass == pytest.approx(0.998, abs=1e-6)
    mean, std = model.predict(x, return_std=True)
    samples = model.sample_y(x, 200_000)
    assert mean[0] == pytest.approx(samples.mean(), abs=5.0 * std[0] / 400.0)
    inside = np.mean(samples <= quantiles[3])
    assert inside == pytest.approx(0.9, abs=0.004)
    _, cov = model.predict(x, return_cov=True)
    assert cov[0, 0] == pytest.approx(std[0] ** 2, rel=1e-6)


@every_kind
def test_a_weight_is_a_count(noise):
    X, y, _ = table(noise, 60)
    weight = np.arange(60) % 3 + 1
    times = np.repeat(np.arange(60), weight)
    given = {"optimizer": None, "noise_variance": 0.05, "random_state": 0, "max_basis": 500}
    if noise == "heteroscedastic":  # which rows are basis vectors of the noise is drawn
        weight, times = np.full(60, 2), np.arange(60)
    model = plain_regressor(RBF((0.6, 3.0)), noise=noise, **given)
    weighted = clone(model).fit(X, y, sample_weight=weight).predict(X)
    if noise == "student_t":
        repeated = clone(model).fit(X[times], y[times]).predict(X)
        np.testing.assert_allclose(weighted, repeated, atol=0.01)
    else:
        assert np.all(np.isfinite(weighted))


@every_kind
def test_several_outputs_share_the_noise_of_a_row(noise):
    X, y, f = table(noise, 300)
    Y = np.stack((y, 10.0 + 2.0 * f), axis=1)
    given = {"optimizer": None, "noise_variance": 0.05, "random_state": 0, "max_basis": 25}
    model = plain_regressor(RBF((0.6, 3.0)), noise=noise, **given).fit(X, Y)
    mean, std = model.predict(X, return_std=True)
    assert mean.shape == std.shape == model.log_density(X, Y).shape == (300, 2)
    assert np.all(std > 0.0)
    assert model.sample_y(X[:4], 3).shape == (4, 2, 3)
    assert model.predict(X[:4], return_cov=True)[1].shape == (4, 4, 2)


@every_kind
def test_a_shorter_model_keeps_the_noise(noise):
    shorter = quick(noise).prefix(10)
    X, y, _ = table(noise, 50, seed=2)
    assert shorter.noise_ == noise
    assert np.all(np.isfinite(shorter.log_density(X, y)))
    value = quick(noise).log_marginal_likelihood()
    theta = quick(noise)._parameters.vector
    assert quick(noise).log_marginal_likelihood(theta) == pytest.approx(value, rel=1e-9)


@every_kind
def test_a_limit_of_time_is_kept(noise):
    X, y, _ = table(noise, 3000)
    model = plain_regressor(noise=noise, max_basis=400, time_limit=1.0, random_state=0)
    model.fit(X, y)
    # on a busy machine there may be no time to look at the rows: then it says so
    assert model.noise_ == noise or any("noise" in what for what in model.cut_short_)
    assert np.all(np.isfinite(model.predict(X[:10])))


def test_noise_left_open_is_as_open_as_the_target():
    X, y, _ = table("student_t", 800)
    shut, plain = fitted("student_t", None), fitted("student_t", "gaussian")
    assert shut.noise_ == "gaussian"
    np.testing.assert_array_equal(shut.log_density(X, y), plain.log_density(X, y))
    left_open = fitted("student_t", None, "auto")
    assert left_open.noise_ == "student_t"
    assert "choice of noise" in [entry["phase"] for entry in left_open.history_]


@pytest.fixture
def few_are_many(monkeypatch):
    monkeypatch.setattr("sparsegp.learning.hyperparameters.policy.MAX_ROWS_FOR_NOISE_CHOICE", 500)


def left_open(kind, n):
    """Fit with the noise left open, and with Gaussian noise."""
    X, y, _ = table(kind, n)
    options = {"transform_y": "auto", "max_basis": 30, "n_adaptations": 0, "random_state": 0}
    return tuple(plain_regressor(noise=each, **options).fit(X, y) for each in (None, "gaussian"))


@pytest.mark.usefixtures("few_are_many", "short_choices")
@pytest.mark.parametrize("kind", KINDS)
def test_of_many_rows_held_out_ones_choose_the_noise(kind):
    chosen, normal = left_open(kind, {"student_t": 2_000, "heteroscedastic": 3_500}[kind])
    assert (chosen.noise_, normal.noise_) == (kind, "gaussian")
    np.testing.assert_array_equal(chosen.basis_indices_, normal.basis_indices_)
    X, y, _ = table(kind, 4_000, seed=1)
    assert chosen.log_density(X, y).mean() > normal.log_density(X, y).mean() + 0.03
    lower, upper = chosen.predict_interval(X, 0.95)
    assert 0.93 < np.mean((lower <= y) & (y <= upper)) < 0.97


def test_an_exact_model_may_have_heavy_tails():
    X, y, _ = table("student_t", 300)
    model = plain_regressor(transform_y="auto", max_basis=300, random_state=0).fit(X, y)
    assert model.noise_ == "student_t"  # no basis was selected, so all rows
    assert model.calibration_.tails.df < 6.0  # calibrate


@pytest.mark.parametrize("seed", range(4))
def test_pure_noise_keeps_its_error_bars(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(150, 2)), rng.normal(size=150)
    model = plain_regressor(1.0 * RBF(1.0), transform_y="auto", random_state=0).fit(X, y)
    lower, upper = model.predict_interval(rng.normal(size=(2_000, 2)), 0.95)
    new = rng.normal(size=2_000)
    assert np.mean((lower <= new) & (new <= upper)) > 0.88


@pytest.mark.filterwarnings("error")
def test_a_constant_target_has_no_noise_to_choose():
    X, _, _ = table("gaussian", 700)
    model = plain_regressor(transform_y="auto", max_basis=20, random_state=0)
    assert model.fit(X, np.full(700, 3.0)).noise_ == "gaussian"


def test_a_table_in_blocks_has_the_noise_of_one_in_memory(tmp_path):
    X, y, _ = table("student_t", 800)
    far = np.memmap(tmp_path / "X", dtype=np.float64, mode="w+", shape=X.shape)
    far[:] = X
    options = {"max_basis": 30, "random_state": 0}
    near, blocks = (
        plain_regressor(transform_y="auto", **options).fit(inputs, y) for inputs in (X, far)
    )
    assert near.noise_ == blocks.noise_ == "student_t"
    np.testing.assert_array_equal(blocks.basis_indices_, near.basis_indices_)
    np.testing.assert_allclose(blocks.log_density(X, y), near.log_density(X, y), rtol=1e-8)


@pytest.mark.parametrize("noise", ["student", 3, True])
def test_a_noise_that_does_not_exist(noise):
    X, y, _ = table("gaussian", 30)
    with pytest.raises(ValueError, match="noise must be one of 'gaussian', 'student_t'"):
        plain_regressor(noise=noise).fit(X, y)


def test_other_noise_needs_the_evidence():
    X, y, _ = table("gaussian", 30)
    with pytest.raises(ValueError, match="noise='student_t' is learned by the evidence"):
        plain_regressor(noise="student_t", objective="loo_density").fit(X, y)


def test_clones_have_the_noise():
    assert clone(plain_regressor(noise="student_t")).noise == "student_t"
