"""The same questions, arguments and answers on all four estimators."""

import inspect
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import entr

from sparsegp import (
    OnlineGPClassifier,
    OnlineGPRegressor,
    SparseGPClassifier,
    SparseGPRegressor,
    load,
)
from sparsegp.estimators.mixins import fit_summary
from sparsegp.model.uncertainty import Uncertainty
from tests.plain import plain_regressor

RNG = np.random.default_rng(0)
X = RNG.uniform(-2, 2, (150, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * RNG.standard_normal(150)
LABELS = np.where(Y > 0.3, "high", "low")
THREE = np.digitize(Y, [-0.5, 0.5])
NEW = RNG.uniform(-2, 2, (40, 3))

MAKE = {
    "regressor": lambda: plain_regressor(max_basis=25, random_state=0).fit(X, Y),
    "warped": lambda: plain_regressor(max_basis=25, transform_y="log", random_state=0).fit(
        X, np.exp(Y)
    ),
    "student": lambda: plain_regressor(max_basis=25, noise="student_t", random_state=0).fit(X, Y),
    "outputs": lambda: plain_regressor(max_basis=25, random_state=0).fit(X, np.c_[Y, 9.0 * Y]),
    "stream": lambda: OnlineGPRegressor(max_basis=25, random_state=0).fit(X, Y),
    "stream of outputs": lambda: OnlineGPRegressor(max_basis=25, random_state=0).fit(
        X, np.c_[Y, 9.0 * Y]
    ),
    "counts": lambda: OnlineGPRegressor(likelihood="poisson", max_basis=25, random_state=0).fit(
        X, RNG.poisson(np.exp(Y)).astype(float)
    ),
    "classifier": lambda: SparseGPClassifier(max_basis=15, random_state=0).fit(X, LABELS),
    "three classes": lambda: SparseGPClassifier(max_basis=15, random_state=0).fit(X, THREE),
    "online classifier": lambda: OnlineGPClassifier(max_basis=25, random_state=0).fit(X, LABELS),
}
REGRESSORS = [name for name in MAKE if "class" not in name]
CLASSIFIERS = [name for name in MAKE if "class" in name]
_FITTED = {}


def fitted(name):
    if name not in _FITTED:
        _FITTED[name] = MAKE[name]()
    return _FITTED[name]


SHARED = ("predict_latent", "predict_uncertainty", "log_density", "sample_f", "sample_y")
OF_REGRESSORS = ("predict_distribution", "predict_quantiles", "predict_interval", "cdf")


def test_signatures_are_the_same():
    of_all = (SparseGPRegressor, SparseGPClassifier, OnlineGPRegressor, OnlineGPClassifier)
    for names, kinds in ((SHARED, of_all), (OF_REGRESSORS, of_all[::2])):
        for name in names:
            signatures = {
                str(inspect.signature(getattr(kind, name)).replace(return_annotation=None))
                for kind in kinds
            }
            assert len(signatures) == 1, (name, signatures)


@pytest.mark.parametrize("name", MAKE)
def test_the_latent_function_has_a_std_and_the_old_answer_warns(name):
    model = fitted(name)
    mean, std = model.predict_latent(NEW, return_std=True)
    np.testing.assert_array_equal(model.predict_latent(NEW, return_std=False), mean)
    with pytest.warns(FutureWarning, match="return_std=True") as seen:
        old_mean, variance = model.predict_latent(NEW)
    assert seen[0].filename == __file__
    np.testing.assert_array_equal(old_mean, mean)
    np.testing.assert_allclose(variance, std**2)


@pytest.mark.parametrize("name", REGRESSORS)
def test_uncertainty_of_a_target(name):
    model = fitted(name)
    found = model.predict_uncertainty(NEW)
    assert isinstance(found, Uncertainty) and found._fields == ("total", "epistemic", "aleatoric")
    mean, std = model.predict(NEW, return_std=True)
    np.testing.assert_allclose(found.total, std, rtol=1e-7)
    np.testing.assert_allclose(found.total**2, found.epistemic**2 + found.aleatoric**2, rtol=1e-6)
    assert found.epistemic.shape == mean.shape and np.all(found.aleatoric > 0.0)
    if name in ("regressor", "student", "outputs"):
        latent = model.predict_latent(NEW, return_std=True)[1]
        np.testing.assert_allclose(found.epistemic, latent)
    # there is less doubt about the function where rows are
    outside = model.predict_uncertainty(NEW + 10.0)
    assert np.median(outside.epistemic / outside.total) > np.median(found.epistemic / found.total)


def test_uncertainty_of_a_warped_target_is_that_of_samples():
    """Targets that share f have the covariance epistemic²."""
    model, rows = fitted("warped"), np.repeat(NEW[:3], 2, axis=0)
    samples = model.sample_y(rows, 60_000, random_state=1)
    found = model.predict_uncertainty(NEW[:3])
    for i in range(3):
        covariance = np.cov(samples[2 * i], samples[2 * i + 1])
        assert found.epistemic[i] ** 2 == pytest.approx(covariance[0, 1], rel=0.15)
        assert found.total[i] ** 2 == pytest.approx(covariance[0, 0], rel=0.1)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_uncertainty_of_a_label(name):
    model = fitted(name)
    total, epistemic, aleatoric = model.predict_uncertainty(NEW)
    np.testing.assert_allclose(total, np.sum(entr(model.predict_proba(NEW)), axis=1), atol=1e-9)
    np.testing.assert_allclose(total, epistemic + aleatoric)
    assert np.all(epistemic >= 0.0) and np.all(aleatoric >= 0.0)


@pytest.mark.parametrize("name", MAKE)
def test_samples_of_the_function_have_its_moments(name):
    model = fitted(name)
    mean, std = model.predict_latent(NEW[:5], return_std=True)
    samples = model.sample_f(NEW[:5], 4_000, random_state=0)
    assert samples.shape == (*mean.shape, 4_000)
    np.testing.assert_allclose(samples.mean(axis=-1), mean, atol=5.0 * np.max(std) / 60.0)
    np.testing.assert_allclose(samples.std(axis=-1), std, rtol=0.1)
    np.testing.assert_array_equal(model.sample_f(NEW[:5], 2), model.sample_f(NEW[:5], 2))


@pytest.mark.parametrize("name", REGRESSORS)
def test_samples_of_targets_have_their_moments(name):
    model = fitted(name)
    mean, std = model.predict(NEW[:5], return_std=True)
    samples = model.sample_y(NEW[:5], 4_000, random_state=0)
    assert samples.shape == (*mean.shape, 4_000)
    np.testing.assert_allclose(samples.mean(axis=-1), mean, atol=5.0 * np.max(std) / 60.0)
    np.testing.assert_allclose(samples.std(axis=-1), std, rtol=0.3)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_samples_of_labels_have_their_probabilities(name):
    model = fitted(name)
    samples = model.sample_y(NEW[:5], 4_000)
    shares = np.stack([np.mean(samples == label, axis=1) for label in model.classes_], axis=1)
    np.testing.assert_allclose(shares, model.predict_proba(NEW[:5]), atol=0.04)
    log_p = model.predict_log_proba(NEW)
    np.testing.assert_allclose(np.exp(log_p), model.predict_proba(NEW))
    labels = model.predict(NEW)
    np.testing.assert_allclose(model.log_density(NEW, labels), np.max(log_p, axis=1))


@pytest.mark.parametrize("name", REGRESSORS)
def test_intervals_have_a_level(name):
    model = fitted(name)
    low, high = model.predict_interval(NEW, level=0.8)
    q = model.predict_quantiles(NEW, [0.1, 0.9])
    np.testing.assert_allclose(np.stack((low, high), axis=-1), q)
    with pytest.warns(FutureWarning, match="write level=0.8") as seen:
        old = model.predict_interval(NEW, coverage=0.8)
    assert seen[0].filename == __file__
    np.testing.assert_array_equal(old, (low, high))
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        model.predict_interval(NEW, level=80)


def test_noise_in_units_of_y():
    assert fitted("regressor").noise_std_ == pytest.approx(0.2, rel=0.25)
    assert fitted("stream").noise_std_ == pytest.approx(0.2, rel=0.25)
    for name in ("outputs", "stream of outputs"):
        std = fitted(name).noise_std_
        assert std.shape == (2,) and std[1] == pytest.approx(9.0 * std[0])
    # exp(f + e): a relative error of 0.2, of a median of about exp(mean of Y)
    assert fitted("warped").noise_std_ == pytest.approx(0.2 * np.exp(np.mean(Y)), rel=0.3)
    assert not hasattr(fitted("counts"), "noise_std_")
    assert fitted("counts").noise_ == "poisson" and fitted("stream").noise_ == "gaussian"


@pytest.mark.parametrize("name", MAKE)
def test_notebooks_show_what_was_found(name):
    model = fitted(name)
    for html in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert "Fitted model" in html and str(model.n_basis_) in html
        assert repr(model.kernel_) in html
    fresh = type(model)()
    assert "Fitted model" not in fresh._repr_html_()
    assert fresh._repr_mimebundle_()["text/plain"] == repr(fresh)


@pytest.mark.parametrize("name", ["warped", "stream", "three classes", "online classifier"])
def test_a_loaded_model_answers_the_same(name, tmp_path):
    model = fitted(name)
    model.save(tmp_path / "model.gp")
    loaded = load(tmp_path / "model.gp")
    for mine, right in zip(
        loaded.predict_uncertainty(NEW), model.predict_uncertainty(NEW), strict=True
    ):
        np.testing.assert_allclose(mine, right, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(loaded.feature_importances_, model.feature_importances_)
    assert "Fitted model" in loaded._repr_html_()


# ------------------------------------------------------------------ importance of inputs


@pytest.mark.parametrize("name", MAKE)
def test_importances_are_shares_and_an_irrelevant_column_has_none(name):
    shares = fitted(name).feature_importances_
    assert shares.shape == (3,) and np.all(shares >= 0.0)
    assert np.sum(shares) == pytest.approx(1.0)
    assert shares[2] < 0.05 < min(shares[:2])


def test_equal_columns_have_equal_shares_in_any_units():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    y = np.sin(X[:, 0]) + np.sin(X[:, 1]) + 0.05 * rng.standard_normal(400)
    plain = plain_regressor(max_basis="all", random_state=0).fit(X, y).feature_importances_
    np.testing.assert_allclose(plain, [0.5, 0.5, 0.0], atol=0.06)
    scaled = X * [1e-4, 1e6, 1.0] + [5.0, -1e7, 0.0]
    other = plain_regressor(max_basis="all", random_state=0).fit(scaled, y).feature_importances_
    np.testing.assert_allclose(other, plain, atol=0.04)


def test_notebooks_show_what_held_out_rows_decided():
    number = {"phase": "number of neighbours", "chosen": 30, "n_rows": 1500}
    inference = {"phase": "choice of inference", "chosen": "ep", "n_rows": 600}
    facts = [
        fit_summary._quality(SimpleNamespace(history_=[entry]))
        for entry in (
            number | {"log_density": {0: 0.1, 30: 0.25}},
            inference | {"log_probability": {"ep": -0.5, "least_squares": -0.75}},
        )
    ]
    assert facts == [
        {"mean log density of 1,500 held-out rows": "0.250 (transformed target)"},
        {"mean log probability of 600 held-out rows": "-0.500"},
    ]


def test_a_constant_function_has_no_importances():
    model = plain_regressor(max_basis=10, optimizer=None).fit(X, np.ones(150))
    np.testing.assert_array_equal(model.feature_importances_, 0.0)


# ------------------------------------------------------------------ selection and names


def test_random_selection_of_a_classifier_is_random():
    """Rows of the lowest loss would lie near the border; random rows lie anywhere."""
    options = {"optimizer": None, "refine_basis": False, "max_basis": 10, "selection": "random"}
    counts = np.zeros(150)
    for seed in range(40):
        model = SparseGPClassifier(**options, random_state=seed).fit(X, LABELS)
        assert len(set(model.basis_indices_)) == 10
        counts[model.basis_indices_] += 1
    # 400 draws among 150 rows: 2.67 of each on average, Poisson-distributed up to replacement
    assert np.var(counts) < 1.3 * np.mean(counts)
    best_of_many = SparseGPClassifier(**options, n_candidates=59, random_state=0).fit(X, LABELS)
    plain = SparseGPClassifier(**options, random_state=0).fit(X, LABELS)
    assert best_of_many.selection_path_[-1] < plain.selection_path_[-1]


@pytest.mark.parametrize(
    ("kernel", "wanted"),
    [
        ("rbf", "RBF("),
        ("matern12", "nu=0.5"),
        ("matern52", "nu=2.5"),
        ("rational_quadratic", "RationalQuadratic("),
        ("linear", "Linear("),
    ],
)
def test_kernels_by_name(kernel, wanted):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        models = [
            SparseGPRegressor(kernel, max_basis=10, random_state=0).fit(X, Y),
            OnlineGPRegressor(kernel, max_basis=10, random_state=0).fit(X, Y),
            SparseGPClassifier(kernel, max_basis=5, random_state=0).fit(X, LABELS),
        ]
    for model in models:
        assert wanted in repr(model.kernel_)
        assert model.get_params()["kernel"] == kernel
