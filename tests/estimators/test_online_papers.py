"""Streams as Csató & Opper (2002) describe them: α, C and Q, the prior mean, mixtures of noise."""

import numpy as np
import pytest

from sparsegp import OnlineGPClassifier, OnlineGPRegressor, load
from sparsegp.files.numpy_predictor import NumpyPredictor
from sparsegp.kernels import RBF
from sparsegp.likelihoods import Gaussian, GaussianMixture, Poisson

RNG = np.random.default_rng(0)
X = RNG.uniform(-3, 3, size=(120, 2))
F = np.sin(X[:, 0]) + 0.5 * X[:, 1]
Y = 3.0 + F + 0.1 * RNG.normal(size=120)
CLASSES = np.digitize(F, [-0.7, 0.7])
NEW, FAR = RNG.uniform(-3, 3, size=(15, 2)), np.full((1, 2), 1e3)
GIVEN = {"kernel": 1.5 * RBF([1.0, 2.0]), "optimizer": None, "transform_X": "none"}


def regressor(**options):
    own = GIVEN | {"transform_y": "none", "noise_variance": 0.01, "random_state": 0}
    return OnlineGPRegressor(**own | options)


def classifier(**options):
    return OnlineGPClassifier(**GIVEN | {"random_state": 0} | options)


@pytest.mark.parametrize("deletion", ["kl", "mean"])
@pytest.mark.parametrize(
    ("make", "y"),
    [(regressor, np.stack((Y, -Y), axis=1)), (regressor, Y), (classifier, CLASSES)],
    ids=["two outputs", "one output", "classes"],
)
def test_the_posterior_in_the_parameters_of_the_paper(make, y, deletion, tmp_path):
    """The text's eq. 2.8, and Q is the inverse Gram matrix."""
    model = make(max_basis=25, deletion=deletion).fit(X, y)
    model.save(tmp_path / "model")
    mean, std = (a.reshape(len(NEW), -1) for a in model.predict_latent(NEW, return_std=True))
    for same in (model, load(tmp_path / "model")):
        K_xz = same.kernel_(NEW, same.basis_vectors_)  # (n, m)
        np.testing.assert_allclose(same.bias_ + K_xz @ same.alpha_, mean, rtol=1e-6, atol=1e-7)
        covariance = same.kernel_(NEW, NEW) + K_xz @ same.C_ @ K_xz.T  # (K, n, n)
        variance = np.diagonal(covariance, axis1=1, axis2=2).T
        np.testing.assert_allclose(variance, std**2, rtol=1e-5, atol=1e-7)
        Z = same.basis_vectors_
        np.testing.assert_allclose(same.Q_ @ same.kernel_(Z, Z), np.eye(25), atol=1e-6)


def test_samples_have_the_covariance_of_the_paper():
    model = regressor(max_basis=20).fit(X, Y)
    K_xz = model.kernel_(NEW, model.basis_vectors_)
    covariance = model.kernel_(NEW, NEW) + K_xz @ model.C_[0] @ K_xz.T
    drawn = model.sample_f(NEW, n_samples=20_000, random_state=0)
    np.testing.assert_allclose(np.cov(drawn), covariance, atol=0.03)


@pytest.mark.parametrize("bias", [0.0, 3.0, -2])
def test_a_given_prior_mean_is_that_of_the_exact_process(bias):
    rough = 1.5 * RBF([0.3, 0.3])  # so that every row joins the basis
    model = regressor(kernel=rough, bias=bias, max_basis=200, tolerance=1e-12).fit(X, Y)
    K = model.kernel_(X, X) + 0.01 * np.eye(len(X))
    expected = bias + model.kernel_(NEW, X) @ np.linalg.solve(K, Y - bias)
    np.testing.assert_allclose(model.predict(NEW), expected, rtol=1e-6)
    np.testing.assert_allclose(model.predict(FAR), bias, atol=1e-12)


def test_the_prior_mean_is_in_the_units_of_the_target():
    for options in ({}, {"likelihood": "student_t"}):
        model = regressor(bias=7.0, transform_y="standard", **options).fit(X, Y)
        np.testing.assert_allclose(model.predict(FAR), 7.0)
        assert abs(regressor(transform_y="standard").fit(X, Y).predict(FAR)[0] - Y.mean()) < 1e-9


def test_hyperparameters_are_learned_around_the_prior_mean():
    learned = {"optimizer": "lbfgs", "kernel": 1.0 * RBF(1.0)}
    near, away = (regressor(bias=b, **learned).fit(X, Y) for b in (3.0, -20.0))
    assert away.kernel_.diagonal(X)[0] > 10 * near.kernel_.diagonal(X)[0]


def test_counts_have_a_prior_mean():
    counts = np.random.default_rng(1).poisson(np.exp(F)).astype(float)
    model = regressor(likelihood="poisson", bias=1.5).fit(X, counts)
    assert model.predict_latent(FAR, return_std=True)[0] == pytest.approx(1.5)
    given = regressor(likelihood=Poisson(), bias=1.5).fit(X, counts)
    np.testing.assert_allclose(given.predict(NEW), model.predict(NEW))


def test_classes_have_a_prior_mean():
    rare = F > 1.2
    assert classifier().fit(X, rare).predict_proba(FAR)[0, 1] < 0.3
    model = classifier(bias=0.0).fit(X, rare)
    np.testing.assert_allclose(model.predict_proba(FAR), 0.5)
    assert model.bias_.tolist() == [0.0]
    three = classifier(bias=0.3).fit(X, CLASSES)
    np.testing.assert_allclose(three.predict_proba(FAR), 1 / 3, atol=1e-6)
    assert three.bias_.tolist() == [0.3] * 3


@pytest.mark.parametrize("make", [regressor, classifier])
@pytest.mark.parametrize("bad", ["zero", None, np.nan, True, [0.0]])
def test_what_is_refused(make, bad):
    with pytest.raises(ValueError, match="bias must be 'auto' or a finite number"):
        make(bias=bad).fit(X, CLASSES)


def test_it_cannot_change_in_mid_stream():
    model = regressor(bias=1.0).partial_fit(X, Y)
    with pytest.raises(ValueError, match="bias was changed"):
        model.set_params(bias=2.0).partial_fit(X, Y)


def test_a_mixture_gives_outliers_little_weight(tmp_path):
    y = Y.copy()
    y[::12] += np.random.default_rng(2).normal(scale=8.0, size=10)
    noise = GaussianMixture([0.9, 0.1], [0.01, 64.0])
    truth, errors = 3.0 + np.sin(NEW[:, 0]) + 0.5 * NEW[:, 1], {}
    for likelihood in (noise, Gaussian(0.01), Gaussian(0.9 * 0.01 + 0.1 * 64.0)):
        model = regressor(likelihood=likelihood, bias=3.0, n_sweeps=3).fit(X, y)
        errors[likelihood] = np.sqrt(np.mean((model.predict(NEW) - truth) ** 2))
    best, *others = errors.values()
    assert best < 0.5 * min(others)
    model = regressor(likelihood=noise, bias=3.0).fit(X, y)
    model.save(tmp_path / "model")
    expected = model.predict(NEW, return_std=True)
    same = load(tmp_path / "model")
    assert same.likelihood == noise
    np.testing.assert_array_equal(same.predict(NEW, return_std=True), expected)
    plain = NumpyPredictor(tmp_path / "model").predict(NEW, return_std=True)
    np.testing.assert_allclose(plain, expected, rtol=1e-9)
    assert np.mean(np.abs(model.cdf(NEW, truth) - 0.5) < 0.475) > 0.8
    assert np.all(np.isfinite(model.log_density(NEW, truth)))
    assert model.sample_y(NEW, n_samples=3, random_state=0).shape == (15, 3)
