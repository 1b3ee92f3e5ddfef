"""Deletion from an on-line Gaussian process by its definitions, with dense matrices."""

import numpy as np


def moments(K, alpha, C):
    """Return mean (m,) and covariance (m, m) of the function at all of the basis."""
    return K @ alpha, K + K @ C @ K


def projected_on_others(K, alpha, C, i):
    """Replace feature i by its orthogonal projection on the others': α̂ and Ĉ on the others."""
    others = np.delete(np.arange(len(K)), i)
    P = np.zeros((len(others), len(K)))  # features as combinations of the others
    P[np.arange(len(others)), others] = 1.0
    P[:, i] = np.linalg.solve(K[np.ix_(others, others)], K[others, i])
    return P @ alpha, P @ C @ P.T


def divergence(mean_0, cov_0, mean_1, cov_1):
    """Return KL(N₀ ‖ N₁)."""
    d, precision = mean_1 - mean_0, np.linalg.inv(cov_1)
    log_dets = np.linalg.slogdet(cov_1)[1] - np.linalg.slogdet(cov_0)[1]
    return 0.5 * (np.trace(precision @ cov_0) + d @ precision @ d - len(d) + log_dets)


def extended(K, mean, cov, i):
    """Return moments at all of the basis of a process that is prior given the others at i."""
    others = np.delete(np.arange(len(K)), i)
    e = np.linalg.solve(K[np.ix_(others, others)], K[others, i])
    P = np.zeros((len(K), len(others)))
    P[others, np.arange(len(others))] = 1.0
    P[i] = e
    full = P @ cov @ P.T
    full[i, i] += K[i, i] - e @ K[others, i]
    return P @ mean, full
