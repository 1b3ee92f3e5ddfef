"""Classes by least squares, against dense formulas."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal, norm

from sparsegp import SparseGPClassifier, load
from sparsegp.kernels import RBF, Constant
from sparsegp.likelihoods import Probit
from sparsegp.model.classes import class_probabilities

KERNEL = Constant(2.0) * RBF(0.8)
GIVEN = {"kernel": KERNEL, "transform_X": "none", "random_state": 0, "inference": "least_squares"}


def overlapping(n_classes, n=60, seed=0):
    """Draw rows of classes that overlap: around corners of a polygon."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    angle = 2.0 * np.pi * y / n_classes
    return np.stack((np.cos(angle), np.sin(angle)), axis=1) + 0.7 * rng.normal(size=(n, 2)), y


def labels_of(y, n_classes):
    """Return ±1: (n, 1) for two classes, (n, C) for more."""
    labels = np.where(y[:, None] == np.arange(n_classes), 1.0, -1.0)
    return labels[:, 1:] if n_classes == 2 else labels


def dense_regression(kernel, noise, X, labels, new):
    """Return mean and variance of each column, without its mean label, by an exact regression."""
    centre, deviation = labels.mean(axis=0), labels.std(axis=0)
    K, K_new = kernel(X, X) + noise * np.eye(len(X)), kernel(new, X)
    mean = K_new @ np.linalg.solve(K, labels - centre)
    explained = np.einsum("ij,ji->i", K_new, np.linalg.solve(K, K_new.T))
    return mean, (kernel.diagonal(new) - explained)[:, None] * deviation**2


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_basis_of_all_rows_is_an_exact_regression(n_classes):
    X, y = overlapping(n_classes)
    new, labels = overlapping(n_classes, 20, seed=1)[0], labels_of(y, n_classes)
    model = SparseGPClassifier(max_basis=60, optimizer=None, slope=1.5, **GIVEN).fit(X, y)
    noise = 1.5**-2 / np.mean(labels.std(axis=0) ** 2)  # of standardised labels
    mean, variance = dense_regression(KERNEL, noise, X, labels, new)
    latent = model.predict_latent(new, return_std=True)
    found = (np.reshape(values, mean.shape) for values in latent)
    for value, expected in zip(found, (mean, np.sqrt(variance)), strict=True):
        np.testing.assert_allclose(value, expected, atol=1e-8)
    probits = [Probit(1.5, bias) for bias in labels.mean(axis=0)]
    expected = class_probabilities(probits, mean, variance)
    np.testing.assert_allclose(model.predict_proba(new), expected, atol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_certainty_is_that_of_rows_left_out(n_classes):
    X, y = overlapping(n_classes)
    labels = labels_of(y, n_classes)
    model = SparseGPClassifier(max_basis=15, **GIVEN).fit(X, y)
    unit = labels.std(axis=0) ** 2
    tau = model._fitted.posteriors[0].weight_scale / unit[0]
    noise = noise_of(model, X, labels)
    beliefs = [without_row(model, X, labels, noise, i) for i in range(len(X))]
    mean, variance = (np.concatenate(values) for values in zip(*beliefs, strict=True))

    def loss(slope, tau):
        probits = [Probit(slope, bias) for bias in np.atleast_1d(model.bias_)]
        p = class_probabilities(probits, mean, tau * variance)
        return -np.mean(np.log(p[np.arange(len(y)), y]))

    best = loss(model.slope_, tau)
    for step in (0.8, 1.25):
        assert loss(step * model.slope_, tau) > best
        inside = 0.01 < step * tau < 100.0
        assert not inside or loss(model.slope_, step * tau) > best


def sparse_regression(kernel, Z, noise, X, targets, new):
    """Return the mean, and the variance of standardised targets, given a basis."""
    K_xz, K_nz, K_zz = kernel(X, Z), kernel(new, Z), kernel(Z, Z)
    precision = noise * K_zz + K_xz.T @ K_xz
    mean = K_nz @ np.linalg.solve(precision, K_xz.T @ targets)
    known = np.linalg.solve(K_zz, K_nz.T) - noise * np.linalg.solve(precision, K_nz.T)
    return mean, kernel.diagonal(new) - np.einsum("ij,ji->i", K_nz, known)


def noise_of(model, X, labels):
    """Return the noise at which a regression has the means of the model."""
    numbers, Z = labels - labels.mean(axis=0), model.basis_vectors_
    wanted = np.reshape(model.predict_latent(X, return_std=True)[0], labels.shape)

    def apart(log_noise):
        found = sparse_regression(model.kernel_, Z, np.exp(log_noise), X, numbers, X)[0]
        return np.sum((found - wanted) ** 2)

    found = minimize_scalar(apart, bounds=(-5.0, 3.0), method="bounded", options={"xatol": 1e-8})
    assert found.fun < 1e-8
    return np.exp(found.x)


def without_row(model, X, labels, noise, i):
    """Return mean and variance at row i by a regression on the others, with the same basis."""
    others, numbers = np.delete(np.arange(len(X)), i), labels - labels.mean(axis=0)
    mean, variance = sparse_regression(
        model.kernel_, model.basis_vectors_, noise, X[others], numbers[others], X[i : i + 1]
    )
    return mean, variance[:, None] * labels.std(axis=0) ** 2


def test_a_prefix_is_the_model_of_the_first_basis_vectors():
    X, y = overlapping(3)
    new, labels = overlapping(3, 20, seed=1)[0], labels_of(y, 3)
    model = SparseGPClassifier(max_basis=12, optimizer=None, **GIVEN).fit(X, y)
    shorter = model.prefix(5)
    Z, noise = model.basis_vectors_[:5], 1.0 / np.mean(labels.std(axis=0) ** 2)
    mean, variance = sparse_regression(KERNEL, Z, noise, X, labels - labels.mean(axis=0), new)
    found_mean, found_std = shorter.predict_latent(new, return_std=True)
    np.testing.assert_allclose(found_mean, mean, atol=1e-7)
    np.testing.assert_allclose(found_std**2, variance[:, None] * labels.std(axis=0) ** 2, atol=1e-7)
    numbers = (labels - labels.mean(axis=0)) / labels.std(axis=0)
    K_xz = KERNEL(X, Z)
    covariance = K_xz @ np.linalg.solve(KERNEL(Z, Z), K_xz.T) + noise * np.eye(len(X))
    evidence = np.sum(multivariate_normal(cov=covariance).logpdf(numbers.T))
    np.testing.assert_allclose(shorter.log_marginal_likelihood_value_, evidence, rtol=1e-8)
    np.testing.assert_array_equal(shorter.basis_indices_, model.basis_indices_[:5])


def test_classes_share_one_precision_also_from_a_file(tmp_path):
    X, y = overlapping(3)
    model = SparseGPClassifier(max_basis=12, **GIVEN).fit(X, y)
    model.save(tmp_path / "model.gp")
    for one in (model, model.prefix(5), load(tmp_path / "model.gp")):
        posteriors = one._fitted.posteriors
        assert all(p.precision is posteriors[0].precision for p in posteriors)
        each = np.stack([p.mean_and_variance(X)[1] for p in posteriors], axis=1)
        np.testing.assert_allclose(one.predict_latent(X, return_std=True)[1] ** 2, each, rtol=1e-12)


def test_weights_are_counts():
    X, y = overlapping(3)
    count = np.random.default_rng(3).integers(1, 4, len(X))
    options = {**GIVEN, "max_basis": 60, "optimizer": None}
    weighed = SparseGPClassifier(**options).fit(X, y, sample_weight=count)
    repeated = SparseGPClassifier(**options).fit(np.repeat(X, count, axis=0), np.repeat(y, count))
    np.testing.assert_allclose(weighed.predict_proba(X), repeated.predict_proba(X), atol=1e-6)


def test_probabilities_are_near_shares_and_classes_are_found():
    X, y = overlapping(3, 400)
    new, expected = overlapping(3, 2000, seed=1)
    model = SparseGPClassifier(max_basis=30, **GIVEN).fit(X, y)
    p, corners = model.predict_proba(new), overlapping_probabilities(new)
    assert np.mean(np.abs(p - corners)) < 0.06
    assert np.mean(model.predict(new) == expected) > np.mean(corners.argmax(1) == expected) - 0.02


def overlapping_probabilities(X):
    """Return what the classes of ``overlapping(3)`` truly are: (n, 3)."""
    angle = 2.0 * np.pi * np.arange(3) / 3
    corners = np.stack((np.cos(angle), np.sin(angle)), axis=1)
    density = np.prod(norm.pdf(X[:, None, :], corners, 0.7), axis=2)
    return density / density.sum(axis=1, keepdims=True)


def test_a_mapped_file_gives_the_model_of_the_array(tmp_path, monkeypatch):
    monkeypatch.setattr("sparsegp.tables.memory.ROWS_OF_BLOCK", 97)
    X, y = overlapping(3, 300)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    here, far = (SparseGPClassifier(max_basis=20, **GIVEN).fit(rows, y) for rows in (X, mapped))
    np.testing.assert_array_equal(far.basis_indices_, here.basis_indices_)
    np.testing.assert_allclose(far.predict_proba(X), here.predict_proba(X), atol=1e-8)


def test_a_slope_that_is_fixed_stays():
    X, y = overlapping(2)
    model = SparseGPClassifier(max_basis=10, slope=1.7, slope_bounds="fixed", **GIVEN).fit(X, y)
    assert model.slope_ == 1.7


def test_an_active_set_has_no_least_squares():
    X, y = overlapping(2)
    with pytest.raises(ValueError, match="inference='least_squares' takes in the labels of all"):
        SparseGPClassifier(posterior="active", **GIVEN).fit(X, y)
