"""Blocks of a batch are the blocks one by one; embeddings order rows by their correlation."""

import numpy as np
import pytest

from sparsegp.kernels import RBF, Categorical, Constant, Linear, Matern, OnColumns, Periodic
from tests.oracles.kernel_examples import EXAMPLES


def blocks(example, b=3, p=4, q=3):
    rows = example.inputs(b * (p + q), seed=1)
    return rows[: b * p].reshape(b, p, -1), rows[b * p :].reshape(b, q, -1)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_batch_is_its_blocks(name):
    kernel = EXAMPLES[name].kernel
    X, Z = blocks(EXAMPLES[name])
    K, pullback = kernel.batched_vjp(X, Z)
    one_by_one = [kernel.vjp(x, z) for x, z in zip(X, Z, strict=True)]
    np.testing.assert_allclose(K, [k for k, _ in one_by_one], rtol=1e-10, atol=1e-12)
    K_bar = np.random.default_rng(2).standard_normal(K.shape)
    expected = sum(
        pull(k_bar.copy())[0] for (_, pull), k_bar in zip(one_by_one, K_bar, strict=True)
    )
    np.testing.assert_allclose(pullback(K_bar.copy()), expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(
    "kernel",
    [
        2.0 * RBF((0.5, 1.0, 3.0)),
        Matern(0.7, nu=1.5) + 0.3,
        RBF((0.5, 2.0, 1.0)) * Periodic(1.0, 3.0),
        OnColumns(RBF(0.3), [1]) * Constant(2.0),
        1.0 * RBF(0.4) + 2.0 * RBF((1.0, 2.0, 3.0)),
    ],
    ids=str,
)
def test_close_rows_in_the_embedding_are_the_correlated_ones(kernel):
    rng = np.random.default_rng(0)
    x, Z = rng.standard_normal((1, 3)), None
    Z = x + 1e-3 * rng.standard_normal((30, 3))
    u, v = kernel.embedding(x, Z), kernel.embedding(Z, Z)
    square = np.sum((u - v) ** 2, axis=1)
    correlation = kernel(x, Z)[0] / kernel.diagonal(x)[0]
    np.testing.assert_array_equal(np.argsort(square), np.argsort(-correlation))


def test_categories_have_a_metric():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    kernel = Categorical((1.0, 4.0))
    u = kernel.embedding(X, X)
    square = np.sum((u[:1] - u) ** 2, axis=1)
    np.testing.assert_allclose(np.exp(-0.5 * square), kernel(X[:1], X)[0])


@pytest.mark.parametrize("kernel", [Linear(), Constant(2.0), 2.0 * Linear() + 1.0], ids=str)
def test_a_kernel_that_does_not_decay_has_no_metric(kernel):
    assert kernel.embedding(np.ones((2, 3)), np.ones((4, 3))) is None


def test_coordinates_are_those_of_the_rows_that_are_searched():
    among = np.array([[0.0, 0.3], [1.0, 2.0], [2.0, 1.0]])
    kernel = OnColumns(Categorical(1.0), [0]) * OnColumns(RBF(1.0), [1])
    kernel = kernel + 2.0 * OnColumns(Linear() * RBF(2.0), [1])  # its variance depends on the rows
    X = np.array([[1.0, 0.5], [7.0, 0.1]])  # lacks two categories, has an unknown one
    both = kernel.embedding(X, among)
    assert both.shape[1] == kernel.embedding(among, among).shape[1]
    np.testing.assert_allclose(both[:1], kernel.embedding(X[:1], among))
