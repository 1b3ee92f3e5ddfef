"""Leave-one-out measures of SoR, DTC and FITC by brute force: each row out, the model refitted."""

import numpy as np
from numpy.linalg import inv

from sparsegp.kernels.base import Kernel
from sparsegp.tables.rows import Rows
from tests.oracles.selection import written_out


def measure(
    name: str, rule: str, kernel: Kernel, rows: Rows, Z: np.ndarray, variance: float
) -> float:
    """SKS eq. 2-4 of the model with basis Z: their equation 1 without each row in turn."""
    X, y = written_out(rows)
    K, K_zz = kernel(Z, X), kernel(Z, Z)
    d = kernel.diagonal(X) - np.einsum("ui,uv,vi->i", K, inv(K_zz), K)
    noise = variance + (d if rule == "fitc" else 0.0 * d)
    terms = []
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        scaled = K[:, others] / noise[others]
        Sigma = inv(K_zz + scaled @ K[:, others].T)
        error = y[i] - K[:, i] @ Sigma @ scaled @ y[others]
        v = variance + (0.0 if rule == "sor" else d[i]) + K[:, i] @ Sigma @ K[:, i]
        density = 0.5 * (np.log(2 * np.pi * v) + error**2 / v)
        values = {"loo_error": error**2, "loo_density": density, "loo_squared_error": error**2 + v}
        terms.append(values[name])
    return float(np.mean(terms))
