"""Selection by brute force: every measure from its definition, dense, without any update.

A row of weight s is written s times; leaving one out really takes a line out of the data.
"""

import numpy as np
from numpy.linalg import inv, slogdet

from sparsegp.kernels.base import Kernel
from sparsegp.tables.rows import Rows


def written_out(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """Inputs and targets with a row of weight s written s times."""
    if rows.weight is None:
        return rows.X, rows.y
    counts = rows.weight.astype(int)
    assert np.array_equal(counts, rows.weight)
    return np.repeat(rows.X, counts, axis=0), np.repeat(rows.y, counts, axis=0)


def cross(kernel: Kernel, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """K(X, Z), also where nothing is chosen yet."""
    return kernel(X, Z) if len(X) and len(Z) else np.zeros((len(X), len(Z)))


def log_posterior(kernel: Kernel, rows: Rows, Z: np.ndarray, variance: float) -> float:
    """π̃ of KC eq. 5 at its minimum, found by solving for the weights."""
    X, y = written_out(rows)
    K_zx, K_zz = kernel(Z, X), kernel(Z, Z)
    S = variance * K_zz + K_zx @ K_zx.T
    alpha = inv(S) @ K_zx @ y
    return float(np.sum(0.5 * alpha * (S @ alpha) - alpha * (K_zx @ y)))


def matching_pursuit_score(
    kernel: Kernel, rows: Rows, Z: np.ndarray, z: np.ndarray, variance: float
) -> float:
    """Minus the decrease of π when only the weight of the new z moves (KC eq. 7-8)."""
    X, y = written_out(rows)
    K_zx, K_zz = cross(kernel, Z, X), cross(kernel, Z, Z)
    alpha = inv(variance * K_zz + K_zx @ K_zx.T) @ K_zx @ y
    k_x, k_z, k = kernel(z[None], X), cross(kernel, z[None], Z), kernel.diagonal(z[None])
    curvature = variance * k + k_x @ k_x.T
    new = (k_x @ (y - K_zx.T @ alpha) - variance * k_z @ alpha) / curvature
    return -float(np.sum(0.5 * new**2 * curvature))


def negative_log_evidence(kernel: Kernel, rows: Rows, Z: np.ndarray, variance: float) -> float:
    """−log N(y | 0, Q + σ²I)."""
    X, y = written_out(rows)
    K_xz = kernel(X, Z)
    C = K_xz @ inv(kernel(Z, Z)) @ K_xz.T + variance * np.eye(len(X))
    log_det = len(X) * np.log(2 * np.pi) + slogdet(C)[1]
    return 0.5 * float(y.shape[1] * log_det + np.sum(y * (inv(C) @ y)))


def left_out(
    kernel: Kernel, rows: Rows, Z: np.ndarray, variance: float, part: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Targets, and mean and noisy variance that DTC predicts for each line without that line.

    ``part``: the weight taken off each row, for weights that are not written out.
    """
    X, y = written_out(rows) if part is None else (rows.X, rows.y)
    weight = np.ones(len(X)) if part is None else rows.weight
    others = np.tile(weight, (len(X), 1)) - np.diag(np.ones(len(X)) if part is None else part)
    K_zx, K_zz = kernel(Z, X), kernel(Z, Z)
    A = K_zz + np.einsum("ui,vi,ji->juv", K_zx, K_zx, others) / variance  # (n, m, m)
    Sigma = inv(A)
    v = np.einsum("ui,ip,ji->jup", K_zx, y, others) / variance  # (n, m, p)
    mean = np.einsum("uj,juv,jvp->jp", K_zx, Sigma, v)
    q = np.einsum("uj,uv,vj->j", K_zx, inv(K_zz), K_zx)
    variances = kernel.diagonal(X) - q + np.einsum("uj,juv,vj->j", K_zx, Sigma, K_zx) + variance
    return y, mean, variances


def loo_error(kernel: Kernel, rows: Rows, Z: np.ndarray, variance: float) -> float:
    y, mean, _ = left_out(kernel, rows, Z, variance)
    return float(np.mean((y - mean) ** 2))


def loo_density(kernel: Kernel, rows: Rows, Z: np.ndarray, variance: float) -> float:
    y, mean, variances = left_out(kernel, rows, Z, variance)
    v = variances[:, None]
    return float(np.mean(0.5 * np.log(2 * np.pi * v) + 0.5 * (y - mean) ** 2 / v))


def loo_squared_error(kernel: Kernel, rows: Rows, Z: np.ndarray, variance: float) -> float:
    y, mean, variances = left_out(kernel, rows, Z, variance)
    return float(np.mean((y - mean) ** 2 + variances[:, None]))


def divergence(
    mean: np.ndarray, cov: np.ndarray, other_mean: np.ndarray, other_cov: np.ndarray
) -> float:
    """KL(N(mean, cov) ‖ N(other_mean, other_cov))."""
    d = other_mean - mean
    P = inv(other_cov)
    return 0.5 * float(
        np.trace(P @ cov) - len(d) + d @ P @ d + slogdet(other_cov)[1] - slogdet(cov)[1]
    )


def information_gain(y: float, mu: float, v: float, l_square: float, noise: float) -> float:
    """KL(new ‖ old) of (g, f): g ~ N(mu, v), f = g + N(0, l²), N(y|g, noise) → N(y|f, noise)."""
    if v == 0.0:  # nothing chosen yet: g is 0, only f is left
        new_v = 1.0 / (1.0 / l_square + 1.0 / noise)
        new = np.array([new_v * y / noise]), np.array([[new_v]])
        return divergence(*new, np.zeros(1), np.array([[l_square]]))
    old = np.full(2, mu), np.array([[v, v], [v, v + l_square]])
    precision = inv(old[1])
    shift = precision @ old[0]
    swap = np.diag([-1.0, 1.0]) / noise
    new_cov = inv(precision + swap)
    return divergence(new_cov @ (shift + swap @ np.full(2, y)), new_cov, *old)


def information_gain_score(
    kernel: Kernel, rows: Rows, Z: np.ndarray, i: int, variance: float
) -> float:
    """Minus the information gain of training row i, summed over the outputs."""
    X, y = written_out(rows)
    x, K_zx, K_zz = rows.X[i : i + 1], cross(kernel, Z, X), cross(kernel, Z, Z)
    k_z = cross(kernel, Z, x)
    Sigma = inv(K_zz + K_zx @ K_zx.T / variance)
    mean = (k_z.T @ Sigma @ K_zx @ y / variance)[0]
    v = float((k_z.T @ Sigma @ k_z)[0, 0])
    l_square = float(kernel.diagonal(x)[0] - (k_z.T @ inv(K_zz) @ k_z)[0, 0])
    noise = variance / (1.0 if rows.weight is None else rows.weight[i])
    return -sum(
        information_gain(y_p, mu_p, v, l_square, noise)
        for y_p, mu_p in zip(rows.y[i], mean, strict=True)
    )


MEASURES = {
    "matching_pursuit": log_posterior,
    "log_posterior": log_posterior,
    "marginal_likelihood": negative_log_evidence,
    "loo_error": loo_error,
    "loo_density": loo_density,
    "loo_squared_error": loo_squared_error,
}


def score(
    criterion: str,
    kernel: Kernel,
    rows: Rows,
    candidates: np.ndarray,
    chosen: list[int],
    j: int,
    variance: float,
) -> float:
    """What a criterion says of candidate j when ``chosen`` are in; lower is better."""
    Z = candidates[chosen]
    if criterion == "matching_pursuit":
        return matching_pursuit_score(kernel, rows, Z, candidates[j], variance)
    if criterion == "information_gain":
        return information_gain_score(kernel, rows, Z, j, variance)
    return MEASURES[criterion](kernel, rows, candidates[[*chosen, j]], variance)


def path_value(
    criterion: str,
    kernel: Kernel,
    rows: Rows,
    candidates: np.ndarray,
    chosen: list[int],
    variance: float,
) -> float:
    """The value on the path after the last of ``chosen``."""
    if criterion == "information_gain":
        return score(criterion, kernel, rows, candidates, chosen[:-1], chosen[-1], variance)
    return MEASURES[criterion](kernel, rows, candidates[chosen], variance)
