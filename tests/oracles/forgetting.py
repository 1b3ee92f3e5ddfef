"""Forgetting by its definition: a Gaussian process in time and space, with dense matrices.

Back-to-the-prior forgetting with a rate ρ a step is the exact posterior of the kernel
k(x, x′) (1 − ρ)^(|t − t′|/2) (Van Vaerenbergh et al. 2012).
"""

import numpy as np


def forgetful_posterior(kernel, X, y, steps, now, rate, noise_variance, new):
    """Return mean (n,) and variance (n,) of f(new) at the time ``now``; rows came at ``steps``."""
    ages = np.abs(steps[:, None] - steps[None, :])
    K = kernel(X, X) * (1.0 - rate) ** (0.5 * ages) + noise_variance * np.eye(len(X))
    k = kernel(new, X) * (1.0 - rate) ** (0.5 * (now - steps))
    mean = k @ np.linalg.solve(K, y)
    return mean, kernel.diagonal(new) - np.einsum("ij,ji->i", k, np.linalg.solve(K, k.T))
