"""Dense expectation propagation and a dense variational bound, row by row, for small problems."""

import numpy as np
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import norm


def dense_ep(K, d, y, slope, bias, weight=None, sweeps=400):
    """Sequential EP for g ~ N(0, K), f = g + N(0, d): mean and covariance of g, log evidence.

    A row of weight s holds s equal sites, of which one is renewed at a time (GPML algorithm 3.5,
    written for natural parameters).
    """
    n = len(y)
    s = np.ones(n) if weight is None else weight
    w, tau = np.zeros(n), np.zeros(n)
    for _ in range(sweeps):
        before = np.concatenate((w, tau))
        for i in range(n):
            S = np.linalg.inv(np.eye(n) + K @ np.diag(s * w)) @ K
            mu = S @ (s * tau)
            v_c = 1.0 / (1.0 / S[i, i] - w[i])
            mu_c = v_c * (mu[i] / S[i, i] - tau[i])
            _, m1, v1 = tilted_moments(mu_c, v_c, d[i], y[i], slope, bias)
            w[i], tau[i] = 1.0 / v1 - 1.0 / v_c, m1 / v1 - mu_c / v_c
        if np.max(np.abs(np.concatenate((w, tau)) - before)) < 1e-12:
            break
    S = np.linalg.inv(np.eye(n) + K @ np.diag(s * w)) @ K
    mu = S @ (s * tau)
    value = -0.5 * np.linalg.slogdet(np.eye(n) + K @ np.diag(s * w))[1] + 0.5 * (s * tau) @ mu
    for i in range(n):
        v_c = 1.0 / (1.0 / S[i, i] - w[i])
        mu_c = v_c * (mu[i] / S[i, i] - tau[i])
        log_z = tilted_moments(mu_c, v_c, d[i], y[i], slope, bias)[0]
        b = tau[i] + mu_c / v_c
        a = w[i] + 1.0 / v_c
        overlap = -0.5 * np.log(a * v_c) + 0.5 * (b**2 / a - mu_c**2 / v_c)
        value += s[i] * (log_z - overlap)
    return mu, S, value


def tilted_moments(mu, v, d, y, slope, bias):
    """Return log Z, mean and variance of N(g; mu, v) ⟨p(y | g + N(0, d))⟩, in closed form."""
    spread = np.sqrt(slope**-2 + v + d)
    z = y * (mu + bias) / spread
    ratio = np.exp(norm.logpdf(z) - norm.logcdf(z))
    mean = mu + y * v * ratio / spread
    variance = v - v**2 * ratio * (z + ratio) / spread**2
    return norm.logcdf(z), mean, variance


def dense_bound(K, d, y, slope, bias, n_nodes=60):
    """Return mean and covariance of g that maximise the variational bound, and the bound."""
    n = len(y)
    nodes, weights = np.polynomial.hermite_e.hermegauss(n_nodes)
    weights = weights / weights.sum()
    K_inverse = np.linalg.inv(K)
    lower = np.tril_indices(n)

    def unpack(x):
        L = np.zeros((n, n))
        L[lower] = x[n:]
        return x[:n], L

    def minus_bound(x):
        mu, L = unpack(x)
        S = L @ L.T
        f = mu[:, None] + np.sqrt(np.diag(S) + d)[:, None] * nodes
        fit = np.sum(norm.logcdf(slope * y[:, None] * (f + bias)) @ weights)
        log_det = np.sum(np.log(np.diag(L) ** 2))
        kl = 0.5 * (
            np.trace(K_inverse @ S) + mu @ K_inverse @ mu - n + np.linalg.slogdet(K)[1] - log_det
        )
        return kl - fit

    start = np.concatenate((np.zeros(n), np.linalg.cholesky(K)[lower]))
    found = minimize(minus_bound, start, method="BFGS", options={"gtol": 1e-7, "maxiter": 3000})
    mu, L = unpack(found.x)
    return mu, L @ L.T, -found.fun


def numerical_tilted_moments(mu, v, d, y, slope, bias):
    """The same as ``tilted_moments`` by integration."""

    def density(g):
        p = norm.cdf(y * (g + bias) / np.sqrt(slope**-2 + d))
        return norm.pdf(g, mu, np.sqrt(v)) * p

    ends = mu - 12 * np.sqrt(v), mu + 12 * np.sqrt(v)
    z = quad(density, *ends, epsabs=1e-14, limit=200)[0]
    mean = quad(lambda g: g * density(g), *ends, epsabs=1e-14, limit=200)[0] / z
    variance = quad(lambda g: (g - mean) ** 2 * density(g), *ends, epsabs=1e-14, limit=200)[0] / z
    return np.log(z), mean, variance
