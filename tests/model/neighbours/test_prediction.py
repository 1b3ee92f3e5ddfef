"""Predictions with neighbours against dense formulas and at their limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.model.approximation import FITC
from sparsegp.model.features import make_basis
from sparsegp.model.moments import collect_moments
from sparsegp.model.neighbours import prediction
from sparsegp.model.neighbours.prediction import NeighbourPosterior
from sparsegp.model.neighbours.search import NeighbourSearch
from sparsegp.model.posterior import solve_posterior
from tests.model.neighbours.test_conditionals import KERNELS, table

VARIANCE = 0.1


def fitted(kernel, rows, m, k):
    basis = make_basis(kernel, rows.X[:m])
    posterior = solve_posterior(basis, collect_moments(basis, rows, VARIANCE, FITC), FITC)
    return NeighbourPosterior(posterior, rows, VARIANCE, NeighbourSearch(kernel, rows.X), k)


def new_inputs(n=6):
    return np.random.default_rng(9).uniform(-2.5, 2.5, (n, 2))


def dense(model, X):
    """Return mean and variance by the formulas of the module, with K_zz⁻¹ and loops."""
    kernel, rows, k = model.posterior.basis.kernel, model.rows, model.k
    Z, alpha = model.posterior.Z, model.posterior.alpha
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight
    factor = np.ones(len(rows)) if rows.noise_factor is None else rows.noise_factor
    K_inv = np.linalg.inv(kernel(Z, Z))
    d = kernel.diagonal(rows.X) - np.sum((kernel(rows.X, Z) @ K_inv) * kernel(rows.X, Z), axis=1)
    W = weight / (VARIANCE * factor + d)
    K_zx = kernel(Z, rows.X)
    covariance = np.linalg.inv(kernel(Z, Z) + (K_zx * W) @ K_zx.T)  # of the weights of columns
    means, variances = [], []
    for x in X:
        N = np.argsort(-kernel(x[None], rows.X)[0])[:k]
        A = np.concatenate((rows.X[N], x[None]))
        R = kernel(A, A) - kernel(A, Z) @ K_inv @ kernel(Z, A)
        S = R[:k, :k] + np.diag(VARIANCE * factor[N] / weight[N])
        a = np.linalg.solve(S, R[:k, k])
        means.append(kernel(x[None], Z)[0] @ alpha + a @ (rows.y[N] - kernel(rows.X[N], Z) @ alpha))
        c = kernel(x[None], Z)[0] - a @ kernel(rows.X[N], Z)
        variances.append(R[k, k] - a @ R[:k, k] + c @ covariance @ c)
    return np.array(means), np.array(variances)


@given(
    seed=st.integers(0, 200),
    m=st.integers(1, 8),
    k=st.integers(1, 10),
    n_outputs=st.integers(1, 2),
    weighted=st.booleans(),
    noisy=st.booleans(),
)
def test_against_the_dense_formula(seed, m, k, n_outputs, weighted, noisy):
    rows = table(seed, n_outputs=n_outputs, weighted=weighted, noisy=noisy)
    model, X = fitted(KERNELS[0], rows, m, k), new_inputs()
    mean, variance = model.mean_and_variance(X)
    expected_mean, expected_variance = dense(model, X)
    np.testing.assert_allclose(mean, expected_mean, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(variance, expected_variance, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_no_neighbours_is_fitc(kernel):
    model, X = fitted(kernel, table(1), 6, 0), new_inputs()
    for found, expected in zip(
        model.mean_and_variance(X), model.posterior.mean_and_variance(X), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("k", [0, 5, 15])
def test_every_row_in_the_basis_is_the_exact_process(k):
    kernel, rows, X = KERNELS[0], table(4, n=15), new_inputs()
    mean, variance = fitted(kernel, rows, 15, k).mean_and_variance(X)
    C, K = kernel(rows.X, rows.X) + VARIANCE * np.eye(15), kernel(X, rows.X)
    np.testing.assert_allclose(mean, K @ np.linalg.solve(C, rows.y), rtol=1e-6, atol=1e-7)
    exact = kernel.diagonal(X) - np.sum(K * np.linalg.solve(C, K.T).T, axis=1)
    np.testing.assert_allclose(variance, exact, rtol=1e-6, atol=1e-7)


def test_all_rows_as_neighbours_without_a_useful_basis_is_the_exact_process():
    kernel, rows, X = KERNELS[0], table(4, n=15), new_inputs()
    far = np.full((1, 2), 50.0)  # explains nothing
    basis = make_basis(kernel, far)
    posterior = solve_posterior(basis, collect_moments(basis, rows, VARIANCE, FITC), FITC)
    model = NeighbourPosterior(posterior, rows, VARIANCE, NeighbourSearch(kernel, rows.X), 15)
    mean, variance = model.mean_and_variance(X)
    C, K = kernel(rows.X, rows.X) + VARIANCE * np.eye(15), kernel(X, rows.X)
    np.testing.assert_allclose(mean, K @ np.linalg.solve(C, rows.y), rtol=1e-9)
    exact = kernel.diagonal(X) - np.sum(K * np.linalg.solve(C, K.T).T, axis=1)
    np.testing.assert_allclose(variance, exact, rtol=1e-9)


def test_blocks_and_threads_give_the_same_predictions(monkeypatch):
    model, X = fitted(KERNELS[1], table(1), 6, 7), new_inputs(30)
    mean, variance = model.mean_and_variance(X)
    monkeypatch.setattr(prediction, "BATCH_VALUES", 400)
    monkeypatch.setattr(prediction, "FEATURE_VALUES", 60)
    for threads in (1, 3):
        monkeypatch.setattr(prediction, "n_threads", lambda threads=threads: threads)
        found = model.mean_and_variance(X)
        np.testing.assert_allclose(found[0], mean, rtol=1e-9)
        np.testing.assert_allclose(found[1], variance, rtol=1e-9)
