"""Small streams for the tests of the recursion."""

import numpy as np

from sparsegp.kernels import RBF
from sparsegp.likelihoods import Gaussian
from sparsegp.online.learn import Rule, learn
from sparsegp.online.recursion import new_state

KERNEL = 1.5 * RBF((0.6, 0.4))
NOISE = Gaussian(0.1)


def stream(n, n_outputs=1, seed=0):
    """Return inputs (n, 2) and noisy targets (n, K)."""
    rng = np.random.default_rng(seed)
    X = 2.0 * rng.standard_normal((n, 2))
    y = np.sin(X @ rng.standard_normal((2, n_outputs)))
    return X, y + 0.3 * rng.standard_normal((n, n_outputs))


def learned(X, Y, likelihood=NOISE, max_basis=1000, tolerance=1e-6, deletion="mean"):
    state = new_state(KERNEL, X.shape[1], Y.shape[1])
    learn(state, X, Y, likelihood, Rule(max_basis, tolerance, deletion))
    return state


def same_posterior(one, other, X, tolerance=1e-8):
    found, expected = one.mean_and_variance(X), other.mean_and_variance(X)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
