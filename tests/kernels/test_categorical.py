"""Categories of few codes are counted by a product, of many compared: the same kernel."""

import numpy as np
import pytest

from sparsegp.kernels import Categorical
from sparsegp.kernels.policy import MOST_CODES_APART, MOST_CODES_COUNTED


def drawn(n_codes, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(n_codes, size=(150, 2)).astype(float)


@pytest.mark.parametrize("n_codes", [5, 3 * MOST_CODES_COUNTED])
def test_values_and_derivatives_follow_the_formula(n_codes):
    kernel, X, Z = Categorical((1.5, 4.0)), drawn(n_codes), drawn(n_codes, 1)[:140]
    differs = X[:, None, :] != Z[None, :, :]  # (n, m, D)
    expected = np.exp(-np.sum(differs / np.array([1.5, 4.0]), axis=2))
    K, pull = kernel.vjp(X, Z)
    assert np.allclose(K, expected, rtol=1e-13, atol=0.0)
    K_bar = np.random.default_rng(2).normal(size=K.shape)
    theta_bar = np.einsum("ij,ijd->d", K_bar * expected, differs / np.array([1.5, 4.0]))
    assert np.allclose(pull(K_bar.copy())[0], theta_bar, rtol=1e-10)


@pytest.mark.parametrize("n_codes", [5, 4 * MOST_CODES_APART])
def test_coordinates_tell_equal_codes_from_different_ones(n_codes):
    X = drawn(n_codes)[:, :1]
    own = Categorical(0.5).embedding(X, X)
    assert own.shape[1] <= MOST_CODES_APART
    squares = np.sum((own[:, None, :] - own[None, :, :]) ** 2, axis=2)
    same = X == X.T
    assert np.all(squares[same] < 1e-20)
    assert np.all(np.abs(squares[~same] - 4.0) < 0.55 * 4.0)  # 2/ℓ, of which 1/√64 is chance


def test_an_unseen_code_is_near_none():
    among = np.arange(4.0 * MOST_CODES_APART)[:, None]
    kernel = Categorical(0.5)
    own, others = kernel.embedding(np.array([[-1.0]]), among), kernel.embedding(among, among)
    assert np.min(np.sum((own - others) ** 2, axis=1)) > 1.5
