"""Transforms of inputs and targets, seen from outside: the distribution of a target is one."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import norm
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from sparsegp import OnlineGPClassifier, OnlineGPRegressor, SparseGPClassifier
from sparsegp.estimators.options.initial_parameters import initial_parameters
from sparsegp.estimators.options.regression import regression_settings
from sparsegp.kernels import RBF, Categorical, Constant, OnColumns
from sparsegp.learning.context import FitContext
from sparsegp.learning.fit_regression import fit_regression
from sparsegp.model.noise.predictive import MeanDependentNoise
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.scaling import fit_scaling
from tests.oracles.warped import TARGETS
from tests.plain import plain_regressor

EVERY_TARGET = ("none", "standard", "log", "yeo-johnson", "sinh-arcsinh", "auto")


def table(make=None, n=150, seed=0):
    """Draw inputs and a target whose distribution is that of ``make``."""
    rng = np.random.default_rng(seed)
    X = np.column_stack((np.exp(rng.standard_normal(n)), rng.uniform(-1.0, 1.0, n)))
    f = np.log(X[:, 0]) + X[:, 1] + 0.3 * rng.standard_normal(n)
    if make is None:
        return X, f
    y = np.sort(make(rng, n))[np.argsort(np.argsort(f))]  # the values of make, in the order of f
    return X, np.abs(y) + 1e-3 if make is TARGETS[2] else y


def fitted(target, make=TARGETS[0], columns="quantile", **settings):
    X, y = table(make)
    options = {"max_basis": 30, "random_state": 0} | settings
    model = plain_regressor(transform_X=columns, transform_y=target, **options)
    return model.fit(X, y), X, y


@pytest.fixture(scope="module", params=EVERY_TARGET)
def each(request):
    """One model for every kind of target."""
    return fitted(request.param)


@pytest.mark.parametrize("make", TARGETS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("target", EVERY_TARGET)
def test_one_distribution(target, make):
    """Density, quantiles, mean and deviation belong together, also far outside the data."""
    model, X, _ = fitted(target, make, optimizer=None if target != "auto" else "lbfgs")
    far = X.mean(axis=0) + 10.0 * np.ptp(X, axis=0)
    for x in (X[:1], X[60:61], far[None, :], -far[None, :]):
        mean, std = (v[0] for v in model.predict(x, return_std=True))
        assert np.isfinite(mean) and 0.0 < std < np.inf
        u = np.linspace(1e-6, 1.0 - 1e-6, 4001)
        q = model.predict_quantiles(x, u)[0]
        assert np.all(np.isfinite(q)) and np.all(np.diff(q) >= 0.0)
        # ∫ p(y) dy between two quantiles is the difference of their probabilities
        log_p = model.log_density(np.repeat(x, len(q), axis=0), q)
        middle = 0.5 * (np.exp(log_p[1:]) + np.exp(log_p[:-1]))
        inner = slice(200, 3800)
        np.testing.assert_allclose((middle * np.diff(q))[inner], u[1] - u[0], rtol=0.02)
        # E y = ∫ q(u) du, by a substitution that also sees the tails
        assert mean == pytest.approx(*moments_by_quantiles(model, x, std)[0])
        assert std == pytest.approx(*moments_by_quantiles(model, x, std)[1])


def moments_by_quantiles(model, x, std):
    """Return mean and deviation from quantiles, with their tolerances."""
    t = np.linspace(-8.0, 8.0, 8001)
    density = np.exp(-0.5 * t * t) / np.sqrt(2.0 * np.pi) * (t[1] - t[0])
    inside = np.abs(t) < 7.9
    q = model.predict_quantiles(x, ndtr(t[inside]))[0]
    centre = np.median(q)
    first = (q - centre) @ density[inside]
    second = np.sqrt(((q - centre - first) ** 2) @ density[inside])
    return (centre + first, None, 1e-3 * std), (second, None, 1e-3 * std)


def test_density_integrates_to_one(each):
    model, X, _ = each
    for row in (0, 70):
        x = X[row : row + 1]
        points = model.predict_quantiles(x, [1e-9, 0.01, 0.3, 0.7, 0.99, 1.0 - 1e-9])[0]

        def density(value, x=x):
            return float(np.exp(model.log_density(x, [value])[0]))

        parts = [quad(density, a, b, limit=200)[0] for a, b in pairwise(points)]
        assert sum(parts) == pytest.approx(1.0, abs=1e-3)


def test_samples_agree_with_moments_and_quantiles(each):
    model, X, _ = each
    x = X[[3, 40, 90]]
    samples = model.sample_y(x, 40_000, random_state=1)
    assert samples.shape == (3, 40_000)
    mean, std = model.predict(x, return_std=True)
    # medians do not depend on the tails, whose samples scatter
    np.testing.assert_allclose(
        np.quantile(samples, [0.25, 0.5, 0.9], axis=1).T,
        model.predict_quantiles(x, [0.25, 0.5, 0.9]),
        atol=0.03 * std.max(),
    )
    assert np.all(np.abs(samples.mean(axis=1) - mean) < 5 * std / 200.0)


def test_covariance_has_the_standard_deviations_on_its_diagonal(each):
    model, X, _ = each
    mean, std = model.predict(X[:8], return_std=True)
    joint_mean, covariance = model.predict(X[:8], return_cov=True)
    np.testing.assert_allclose(joint_mean, mean, rtol=1e-6)
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), std, rtol=1e-6)
    assert np.linalg.eigvalsh(covariance).min() > -1e-9 * covariance.max()
    samples = model.sample_y(X[:8], 40_000, random_state=2)
    scale = np.outer(std, std)
    assert np.max(np.abs(np.cov(samples) - covariance) / scale) < 0.25


def test_intervals_hold_their_share(each):
    model, X, y = each
    lower, upper = model.predict_interval(X, 0.8)
    np.testing.assert_array_equal(lower, model.predict_quantiles(X, 0.5 - 0.4))
    np.testing.assert_allclose(upper, model.predict_quantiles(X, 0.9), rtol=1e-9)
    assert 0.65 < np.mean((y >= lower) & (y <= upper)) < 0.95


def test_latent_function_lies_in_the_noisy_target(each):
    model, X, _ = each
    mean, latent_std = model.predict_latent(X[:20], return_std=True)
    noisy_mean, std = model.predict(X[:20], return_std=True)
    assert np.all(latent_std > 0.0) and np.all(latent_std < std)
    assert np.all(np.abs(mean - noisy_mean) < std)


def test_noise_by_level_stays_in_its_own_scale():
    model, X, y = fitted("log")
    z = np.log(y)
    model._noise = type(model._noise)(
        model._noise.variance, MeanDependentNoise(slope=0.7, scale=1.0)
    )
    lower, median, upper = model.predict_quantiles(X, [0.1, 0.5, 0.9]).T
    width = np.log(upper) - np.log(lower)
    assert np.corrcoef(np.log(median), width)[0, 1] > 0.5
    assert np.all(np.isfinite(model.log_density(X, np.exp(z))))


def test_a_logarithm_predicts_positive_numbers_only():
    model, X, _ = fitted("log")
    assert np.all(model.predict_quantiles(-50.0 * X, [1e-6, 0.5]) > 0.0)
    assert np.all(model.log_density(X[:2], [-1.0, 0.0]) == -np.inf)
    assert model.transform_y_ == "log"


def test_several_outputs():
    X, y = table(TARGETS[0])
    Y = np.column_stack((y, 100.0 * y**2))
    model = plain_regressor(
        max_basis=20, random_state=0, transform_y="sinh-arcsinh", transform_X="quantile"
    ).fit(X, Y)
    mean, std = model.predict(X[:5], return_std=True)
    assert mean.shape == std.shape == model.log_density(X[:5], Y[:5]).shape == (5, 2)
    assert model.predict_quantiles(X[:5], [0.1, 0.5, 0.9]).shape == (5, 2, 3)
    assert model.predict_quantiles(X[:5], 0.5).shape == (5, 2)
    assert model.predict_interval(X[:5])[0].shape == (5, 2)
    assert model.sample_y(X[:5], 7).shape == (5, 2, 7)
    assert model.predict(X[:5], return_cov=True)[1].shape == (5, 5, 2)
    assert np.all(np.array(model.predict_latent(X[:5], return_std=True)).shape == (2, 5, 2))


def test_one_column_of_a_matrix_stays_a_matrix():
    X, y = table(TARGETS[0])
    model = plain_regressor(max_basis=10, random_state=0, transform_y="log").fit(X, y[:, None])
    assert model.predict(X).shape == (150, 1)
    assert model.predict_quantiles(X, [0.5]).shape == (150, 1, 1)


# ------------------------------------------------------------------ standard is what it was


def test_standard_is_bit_for_bit_the_path_without_transforms():
    X, y = table(n=300)
    kernel = Constant(1.0) * RBF((0.7, 0.7))
    model = plain_regressor(
        kernel, max_basis=40, random_state=3, transform_X="standard", transform_y="standard"
    )
    model.fit(X, y)
    scaling_X = fit_scaling(X, None, "standard")
    scaling_y = fit_scaling(y[:, None], None, "standard")
    rows = Rows(scaling_X.apply(X), scaling_y.apply(y[:, None]))
    start = initial_parameters(kernel, 0.1, (1e-6, 1e2), None, 2)
    rng = np.random.default_rng(np.random.RandomState(3).randint(2**31))
    fit = fit_regression(rows, start, regression_settings(model), FitContext(rng))
    np.testing.assert_array_equal(model.basis_indices_, fit.chosen)
    np.testing.assert_array_equal(model.kernel_.theta, fit.parameters.kernel.theta)
    mean, variance = fit.posterior.mean_and_variance(rows.X)
    found, std = model.predict(X, return_std=True)
    np.testing.assert_array_equal(found, scaling_y.invert(mean)[:, 0])
    noisy = np.sqrt(variance + fit.noise.at(mean, rows.X)) * scaling_y.scale[0]
    np.testing.assert_array_equal(std, noisy)
    assert not any(entry["phase"].startswith("transforms") for entry in model.history_)


def test_automatic_is_standard_to_the_bit_where_standard_is_chosen():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 2))
    y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.standard_normal(150)
    plain, auto = (
        plain_regressor(
            max_basis=20, random_state=0, approximation="vfe", transform_X=kind, transform_y=kind
        )
        for kind in ("standard", "auto")
    )
    expected = plain.fit(X, y).predict(X, return_std=True)
    found = auto.fit(X, y).predict(X, return_std=True)
    assert auto.transform_X_ == {0: "standard", 1: "standard"} and auto.transform_y_ == "standard"
    np.testing.assert_array_equal(found, expected)


def test_density_and_quantiles_of_a_plain_target_are_normal():
    model, X, y = fitted("standard")
    mean, std = model.predict(X, return_std=True)
    np.testing.assert_allclose(model.log_density(X, y), norm(mean, std).logpdf(y), rtol=1e-9)
    np.testing.assert_allclose(
        model.predict_quantiles(X, [0.1, 0.7]), norm(mean, std).ppf(np.array([[0.1], [0.7]])).T
    )


# ------------------------------------------------------------------ columns


def test_columns_by_name_and_by_position():
    X, y = table()
    frame = pd.DataFrame(X, columns=["price", "share"])
    model = plain_regressor(max_basis=10, transform_X={"price": "quantile"}, random_state=0)
    model.fit(frame, y)
    assert model.transform_X_ == {"price": "quantile", "share": "standard"}
    np.testing.assert_allclose(model.basis_vectors_, X[model.basis_indices_], rtol=1e-9)
    by_position = clone(model).set_params(transform_X={0: "quantile", 1: "none"}).fit(X, y)
    assert by_position.transform_X_ == {0: "quantile", 1: "none"}


def test_automatic_columns_help_where_a_column_is_skewed():
    X, y = table(n=400)
    X[:, 0] **= 3
    train, test = np.arange(400) < 300, np.arange(400) >= 300
    scores = {}
    for kind in ("standard", "auto"):
        model = plain_regressor(max_basis=60, transform_X=kind, random_state=0)
        scores[kind] = model.fit(X[train], y[train]).score(X[test], y[test])
    assert scores["auto"] > scores["standard"] + 0.02
    assert model.transform_X_[0] == "log"
    assert model.history_[-1]["phase"] != "transforms"
    assert any(entry["phase"] == "transforms" for entry in model.history_)


@pytest.mark.parametrize("kind", ["auto", "quantile", "standard"])
def test_a_column_of_two_values_and_one_of_rare_values(kind):
    rng = np.random.default_rng(0)
    X, y = table(n=400)
    X = np.column_stack((X, rng.integers(0, 2, 400), np.zeros(400)))
    X[17, 3] = 12.0
    optimizer = "lbfgs" if kind == "auto" else None
    settings = {"max_basis": 20, "n_adaptations": 0, "optimizer": optimizer, "random_state": 0}
    model = plain_regressor(transform_X=kind, **settings).fit(X, y)
    expected = "standard" if kind == "standard" else "quantile"
    assert model.transform_X_[2] == "standard" and model.transform_X_[3] == expected
    new = X[:5].copy()
    new[:, 3] = 1e4
    assert np.all(np.isfinite(model.predict(new, return_std=True)))


def test_codes_of_categories_stay_codes():
    rng = np.random.default_rng(0)
    X, y = table()
    X = np.column_stack((X, rng.integers(0, 30, 150)))
    kernel = OnColumns(RBF((0.7, 0.7)), [0, 1]) * OnColumns(Categorical(), [2])
    model = plain_regressor(kernel, max_basis=20, transform_X="auto", random_state=0).fit(X, y)
    assert model.transform_X_[2] == "standard"


def test_candidates_and_refined_basis_live_in_the_same_columns():
    X, y = table()
    settings = {"transform_X": "quantile", "transform_y": "sinh-arcsinh", "random_state": 0}
    model = plain_regressor(max_basis=8, **settings).fit(X, y, candidates=X[:40] + 0.01)
    np.testing.assert_allclose(model.basis_vectors_, (X[:40] + 0.01)[model.basis_indices_])
    moved = plain_regressor(max_basis=5, refine_basis=True, **settings).fit(X, y)
    assert np.all(np.isfinite(moved.basis_vectors_))
    assert moved.prefix(3).predict(X).shape == (150,)


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"transform_X": "sqrt"}, r"transform_X must be one of 'auto', 'standard', .*got 'sqrt'"),
        ({"transform_X": None}, r"transform_X must be one of .*None"),
        ({"transform_X": {"a": "quantile"}}, r"transform_X names the column 'a', but X has no"),
        ({"transform_X": {2: "quantile"}}, r"transform_X names column 2, but X has .* 0 to 1"),
        ({"transform_X": {-1: "none"}}, r"transform_X names column -1"),
        ({"transform_X": {0: "sqrt"}}, r"transform_X of column 0 must be one of .*'sqrt'"),
        ({"transform_y": "boxcox"}, r"transform_y must be one of 'auto'.*'sinh-arcsinh'.*'boxcox'"),
        ({"transform_y": "log"}, r"transform_y='log' needs targets above 0, got -.* in row \d+"),
    ],
)
def test_bad_transforms(settings, message):
    X, y = table()
    with pytest.raises(ValueError, match=message):
        plain_regressor(**settings).fit(X, y)


def test_a_dict_that_names_unknown_or_doubled_columns():
    X, y = table()
    frame = pd.DataFrame(X, columns=["a", "b"])
    with pytest.raises(ValueError, match="names a column that X does not have: 'c'"):
        plain_regressor(transform_X={"c": "none"}).fit(frame, y)
    with pytest.raises(ValueError, match="names one column twice: 'a', 0"):
        plain_regressor(transform_X={"a": "none", 0: "quantile"}).fit(frame, y)


def test_a_row_of_weight_zero_may_have_any_target():
    X, y = table(TARGETS[0])
    y[5] = -1.0
    with pytest.raises(ValueError, match="got -1 in row 5"):
        plain_regressor(transform_y="log").fit(X, y)
    weight = np.ones(150)
    weight[5] = 0.0
    model = plain_regressor(transform_y="log", max_basis=5, optimizer=None)
    assert np.all(model.fit(X, y, sample_weight=weight).predict(X) > 0.0)


@pytest.mark.parametrize("q", [0.0, 1.0, [0.5, 1.2], [], "half", [[0.5]]])
def test_probabilities_out_of_range(q, each):
    with pytest.raises(ValueError, match=r"q must lie between 0 and 1"):
        each[0].predict_quantiles(each[1][:2], q)


def test_other_bad_questions(each):
    model, X, y = each
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        model.predict_interval(X, 1.0)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.log_density(X, y[:-1])
    with pytest.raises(ValueError, match="y has 2 outputs, but the model was fitted with 1"):
        model.log_density(X, np.column_stack((y, y)))
    for use in ("predict_quantiles", "log_density"):
        with pytest.raises(NotFittedError):
            getattr(plain_regressor(), use)(X, 0.5)
    with pytest.raises(NotFittedError):
        plain_regressor().predict_interval(X)


# ------------------------------------------------------------------ one scale for all columns


def pixels(n=200):
    """Draw columns in the same units, of which the dim ones are noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 12)) * np.array([1.0, 1.0, *[0.02] * 10])
    return X, np.sin(2.0 * X[:, 0]) + X[:, 1]


def test_a_common_scale_leaves_dim_columns_dim():
    X, y = pixels()
    one = Constant(1.0) * RBF(1.0)
    scores = {
        kind: plain_regressor(one, transform_X=kind, max_basis=40, random_state=0)
        .fit(X[:100], y[:100])
        .score(X[100:], y[100:])
        for kind in ("standard", "common")
    }
    assert scores["common"] > scores["standard"] + 0.1


def test_labels_and_streams_take_a_common_scale_too():
    X, y = pixels()
    options = {"transform_X": "common", "random_state": 0}
    for model, target in (
        (SparseGPClassifier(max_basis=20, **options), y > 0.0),
        (OnlineGPRegressor(max_basis=20, n_warmup=50, **options), y),
        (OnlineGPClassifier(max_basis=20, n_warmup=50, **options), y > 0.0),
    ):
        assert model.fit(X, target).score(X, target) > 0.7


def test_logarithms_of_columns_where_they_multiply():
    rng = np.random.default_rng(0)
    X = np.column_stack((rng.uniform(0.1, 100.0, (400, 2)), rng.uniform(-1.0, 1.0, 400)))
    y = np.arctan(X[:, 0] / X[:, 1]) + 0.3 * X[:, 2] + 0.05 * rng.standard_normal(400)
    model = plain_regressor(max_basis=40, transform_X="auto", random_state=0).fit(X[:200], y[:200])
    assert model.transform_X_ == {0: "log", 1: "log", 2: "standard"}
    plain = plain_regressor(max_basis=40, random_state=0).fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > plain.score(X[200:], y[200:])
    new = X[:5].copy()
    new[:, 0] = [0.0, -3.0, 1e-9, 1e9, 5.0]  # what the training rows do not have
    assert np.all(np.isfinite(model.predict(new, return_std=True)))
    np.testing.assert_allclose(model.basis_vectors_, X[model.basis_indices_], rtol=1e-6)


def test_a_logarithm_needs_positive_numbers():
    X, y = table()
    with pytest.raises(ValueError, match="'log' needs positive numbers, but the column at posit"):
        plain_regressor(transform_X="log").fit(X, y)
    X[:, 1] = 7.0  # constant: nothing to bend
    settings = {"max_basis": 10, "optimizer": None, "random_state": 0}
    model = plain_regressor(transform_X="log", **settings).fit(X, y)
    assert model.transform_X_ == {0: "log", 1: "standard"}
