"""Gaussian processes by their definitions, n×n matrices and all: slow, short, and right."""

import numpy as np
from scipy.stats import multivariate_normal


def repeated(X, y, weight):
    """Write a row of weight s out as s rows."""
    times = np.ones(len(X), dtype=int) if weight is None else np.asarray(weight).astype(int)
    return np.repeat(X, times, axis=0), np.repeat(y, times, axis=0)


def explained(kernel, X, Z, X_other):
    """Return Q = K_xz K_zz⁻¹ K_zx′."""
    return kernel(X, Z) @ np.linalg.solve(kernel(Z, Z), kernel(Z, X_other))


def log_density(y, C):
    """Return Σ over outputs of log N(y | 0, C)."""
    return sum(multivariate_normal.logpdf(column, np.zeros(len(C)), C) for column in y.T)


def covariance_of_targets(name, kernel, X, Z, variance):
    """Return Q + Λ, and the residual variances d = k − q."""
    Q = explained(kernel, X, Z, X)
    d = kernel.diagonal(X) - np.diagonal(Q)
    noise = variance + (d if name == "fitc" else 0.0 * d)
    return Q + np.diag(noise), d


def log_evidence(name, kernel, X, y, Z, variance):
    """Return log N(y | 0, Q + Λ), with the trace term of VFE."""
    C, d = covariance_of_targets(name, kernel, X, Z, variance)
    trace_term = 0.5 * y.shape[1] * d.sum() / variance if name == "vfe" else 0.0
    return log_density(y, C) - trace_term


def posterior(name, kernel, X, y, Z, variance, X_new):
    """Return the mean (k, p) and covariance (k, k) of f at new inputs."""
    C, _ = covariance_of_targets(name, kernel, X, Z, variance)
    Q_new, Q_nn = explained(kernel, X_new, Z, X), explained(kernel, X_new, Z, X_new)
    mean = Q_new @ np.linalg.solve(C, y)
    covariance = Q_nn - Q_new @ np.linalg.solve(C, Q_new.T)
    residual = 0.0 if name == "sor" else kernel(X_new, X_new) - Q_nn
    return mean, covariance + residual


def exact_log_evidence(kernel, X, y, variance):
    """Return log N(y | 0, K + σ²I)."""
    return log_density(y, kernel(X, X) + variance * np.eye(len(X)))


def exact_posterior(kernel, X, y, variance, X_new):
    """Return the mean (k, p) and covariance (k, k) of f at new inputs, without a basis."""
    C, K_new = kernel(X, X) + variance * np.eye(len(X)), kernel(X_new, X)
    return K_new @ np.linalg.solve(C, y), kernel(X_new, X_new) - K_new @ np.linalg.solve(C, K_new.T)


def central_differences(scalar, at, step=1e-4):
    """Return the derivatives of a scalar function, of fourth order in the step."""
    derivative = np.empty(np.shape(at))
    for index in np.ndindex(derivative.shape):
        h = np.zeros(derivative.shape)
        h[index] = step
        near, far = (scalar(at + k * h) - scalar(at - k * h) for k in (1, 2))
        derivative[index] = (8.0 * near - far) / (12.0 * step)
    return derivative
