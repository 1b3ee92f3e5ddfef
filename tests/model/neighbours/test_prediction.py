"""Predictions with neighbours against dense formulas and at their limits."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.model.approximation import FITC
from sparsegp.model.features import make_basis
from sparsegp.model.moments import collect_moments
from sparsegp.model.neighbours import prediction
from sparsegp.model.neighbours.leave_one_out import leave_one_out_of_neighbours
from sparsegp.model.neighbours.prediction import NeighbourPosterior
from sparsegp.model.posterior import solve_posterior
from tests.model.neighbours.test_conditionals import KERNELS, table

VARIANCE = 0.1


def fitted(kernel, rows, m, k):
    basis = make_basis(kernel, rows.X[:m])
    posterior = solve_posterior(basis, collect_moments(basis, rows, VARIANCE, FITC), FITC)
    return NeighbourPosterior(posterior, rows, VARIANCE, k)


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
    model = NeighbourPosterior(posterior, rows, VARIANCE, 15)
    mean, variance = model.mean_and_variance(X)
    C, K = kernel(rows.X, rows.X) + VARIANCE * np.eye(15), kernel(X, rows.X)
    np.testing.assert_allclose(mean, K @ np.linalg.solve(C, rows.y), rtol=1e-9)
    exact = kernel.diagonal(X) - np.sum(K * np.linalg.solve(C, K.T).T, axis=1)
    np.testing.assert_allclose(variance, exact, rtol=1e-9)


def test_many_rows_are_predicted_in_the_memory_of_a_few(monkeypatch):
    """What the neighbours of all rows need at once would not fit into a GPU."""
    monkeypatch.setattr(prediction, "FEATURE_VALUES", 2**13)
    monkeypatch.setattr(prediction, "BATCH_VALUES", 2**13)
    model = fitted(KERNELS[0], table(3, n=60), 40, 20)

    def peak(n):
        X = new_inputs(n)
        near = model.search.nearest(X, 20)
        tracemalloc.start()
        for _ in model.corrections(X, near):
            pass
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(2_000) < 2 * peak(200)


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


@given(seed=st.integers(0, 100), k=st.integers(1, 8), weighted=st.booleans())
def test_covariances_are_those_of_the_errors_of_the_corrections(seed, k, weighted):
    rows = table(seed, n=14, weighted=weighted)
    kernel = KERNELS[0]
    model = fitted(kernel, rows, 4, k)
    X = np.concatenate((new_inputs(3), new_inputs(1)))  # two rows are equal
    mean, covariance = model.mean_and_covariance(X)
    Z, K_inv = model.Z, np.linalg.inv(kernel(model.Z, model.Z))
    everything = np.concatenate((rows.X, X))
    R = kernel(everything, everything)
    R = R - kernel(everything, Z) @ K_inv @ kernel(Z, everything)
    n, noise = len(rows), VARIANCE / (np.ones(len(rows)) if rows.weight is None else rows.weight)
    R[:n, :n] += np.diag(noise)
    M = np.zeros((len(X), len(everything)))  # rows: r(x) − aᵀ(r_N + ε_N)
    for i, x in enumerate(X):
        N = np.argsort(-kernel(x[None], rows.X)[0])[:k]
        M[i, N] = -np.linalg.solve(R[np.ix_(N, N)], R[N, n + i])
        M[i, n + i] = 1.0
    rest = model.posterior.basis.features(X) + M[:, :n] @ model.posterior.basis.features(rows.X)
    rest = model.posterior.precision.divide(rest)
    np.testing.assert_allclose(covariance, M @ R @ M.T + rest @ rest.T, atol=1e-8)
    by_row = model.mean_and_variance(X)
    np.testing.assert_allclose(mean, by_row[0], atol=1e-10)
    np.testing.assert_allclose(np.diag(covariance), by_row[1], atol=1e-8)
    assert covariance[0, -1] == pytest.approx(covariance[0, 0])  # equal inputs, equal functions


@given(seed=st.integers(0, 100), k=st.integers(0, 8), n_outputs=st.integers(1, 2))
def test_leave_one_out_predictions_are_those_of_a_model_without_the_row(seed, k, n_outputs):
    rows = table(seed, n=16, n_outputs=n_outputs)
    model, m = fitted(KERNELS[0], rows, 4, k), 4
    positions = np.arange(m, len(rows))  # a basis vector stays one
    found = leave_one_out_of_neighbours(model, positions)
    for place, i in enumerate(positions):
        others = rows.take(np.delete(np.arange(len(rows)), i))
        moments = collect_moments(model.basis, others, VARIANCE, FITC)
        without = NeighbourPosterior(
            solve_posterior(model.basis, moments, FITC), others, VARIANCE, k
        )
        mean, variance = without.mean_and_variance(rows.X[i : i + 1])
        np.testing.assert_allclose(found.mean[place], mean[0], atol=1e-8)
        np.testing.assert_allclose(found.error[place], rows.y[i] - mean[0], atol=1e-8)
        assert found.residual[place] + found.weights[place] == pytest.approx(variance[0], abs=1e-8)
