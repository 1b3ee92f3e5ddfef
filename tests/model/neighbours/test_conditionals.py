"""Conditional densities against the dense Gaussian formulas, gradients against differences."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.kernels import RBF, Linear, Matern
from sparsegp.model.neighbours import conditionals
from sparsegp.model.neighbours.conditionals import conditional_density
from sparsegp.model.neighbours.search import NeighbourSearch
from sparsegp.tables.rows import Rows

KERNELS = (1.5 * RBF((0.7, 1.2)), 0.5 * Matern(0.8, nu=1.5) + 0.2 * Linear() + 0.1)


def table(seed, n=40, n_outputs=1, weighted=False, noisy=False):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, 2))
    y = np.sin(2.0 * X[:, :1] + np.arange(n_outputs)) + 0.2 * rng.standard_normal((n, n_outputs))
    weight = rng.integers(1, 4, n).astype(float) if weighted else None
    factor = rng.uniform(0.5, 2.0, n) if noisy else None
    return Rows(X, y, weight, factor)


def neighbours_of(kernel, rows, chosen, k):
    return NeighbourSearch(kernel, rows.X).nearest_others(rows.X[chosen], chosen, k)


def dense(kernel, rows, i, near, variance):
    """Return log p(y_i | y_N), summed over outputs, by the joint density of N and i."""
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight
    factor = np.ones(len(rows)) if rows.noise_factor is None else rows.noise_factor
    both = np.append(near, i)
    noise = variance * factor[both] / np.append(weight[near], 1.0)
    C = kernel(rows.X[both], rows.X[both]) + np.diag(noise)

    def log_density(size):
        y, c = rows.y[both][:size], C[:size, :size]
        p = y.shape[1]
        square = np.sum(y * np.linalg.solve(c, y))
        return -0.5 * (p * np.linalg.slogdet(2.0 * np.pi * c)[1] + square)

    return weight[i] * (log_density(len(both)) - log_density(len(near)))


@given(
    seed=st.integers(0, 1000),
    k=st.integers(0, 12),
    n_outputs=st.integers(1, 3),
    weighted=st.booleans(),
    noisy=st.booleans(),
    kernel=st.sampled_from(KERNELS),
)
def test_against_the_dense_formula(seed, k, n_outputs, weighted, noisy, kernel):
    rows = table(seed, n_outputs=n_outputs, weighted=weighted, noisy=noisy)
    chosen = np.array([0, 7, 31])
    near = neighbours_of(kernel, rows, chosen, k)
    expected = sum(dense(kernel, rows, i, n, 0.1) for i, n in zip(chosen, near, strict=True))
    assert conditional_density(kernel, rows, chosen, near, 0.1).value == pytest.approx(
        expected, rel=1e-8
    )


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_gradient_against_central_differences(kernel, weighted):
    rows = table(3, n_outputs=2, weighted=weighted, noisy=weighted)
    chosen = np.arange(0, 40, 3)
    near = neighbours_of(kernel, rows, chosen, 8)
    found = conditional_density(kernel, rows, chosen, near, 0.1)
    at = np.append(kernel.theta, np.log(0.1))

    def value(at):
        own = kernel.with_theta(at[:-1])
        return conditional_density(own, rows, chosen, near, float(np.exp(at[-1]))).value

    step = 1e-5 * np.eye(len(at))
    expected = [(value(at + h) - value(at - h)) / 2e-5 for h in step]
    np.testing.assert_allclose(np.append(found.theta, found.log_noise), expected, rtol=1e-6)


def test_blocks_and_threads_give_the_same_density(monkeypatch):
    rows, chosen, kernel = table(1), np.arange(40), KERNELS[0]
    near = neighbours_of(kernel, rows, chosen, 6)
    whole = conditional_density(kernel, rows, chosen, near, 0.1)
    monkeypatch.setattr(conditionals, "BATCH_VALUES", 200)
    for threads in (1, 3):
        monkeypatch.setattr(conditionals, "n_threads", lambda threads=threads: threads)
        cut = conditional_density(kernel, rows, chosen, near, 0.1)
        assert cut.value == pytest.approx(whole.value, rel=1e-12)
        np.testing.assert_allclose(cut.theta, whole.theta, rtol=1e-9)
        np.testing.assert_allclose(cut.error, whole.error, rtol=1e-10)


def test_all_earlier_rows_as_neighbours_give_the_exact_evidence():
    rows, kernel = table(2, n=12), KERNELS[1]
    total = sum(
        conditional_density(kernel, rows, np.array([i]), np.arange(i)[None, :], 0.1).value
        for i in range(12)
    )
    C = kernel(rows.X, rows.X) + 0.1 * np.eye(12)
    y = rows.y[:, 0]
    exact = -0.5 * (np.linalg.slogdet(2.0 * np.pi * C)[1] + y @ np.linalg.solve(C, y))
    assert total == pytest.approx(exact, rel=1e-10)


def test_a_weight_is_a_number_of_copies_among_the_neighbours():
    rows = table(5, n=10)
    weighted = replace(rows, weight=np.array([1.0] * 9 + [3.0]))
    repeated = Rows(*(np.concatenate((a, a[-1:], a[-1:])) for a in (rows.X, rows.y)))
    chosen = np.array([0])
    once = conditional_density(KERNELS[0], weighted, chosen, np.arange(1, 10)[None, :], 0.1)
    thrice = conditional_density(KERNELS[0], repeated, chosen, np.arange(1, 12)[None, :], 0.1)
    np.testing.assert_allclose(once.variance, thrice.variance, rtol=1e-10)
    np.testing.assert_allclose(once.error, thrice.error, rtol=1e-10)
