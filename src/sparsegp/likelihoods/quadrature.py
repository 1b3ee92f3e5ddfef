"""Expectations under Gaussian beliefs by Gauss–Hermite quadrature."""

from collections.abc import Callable
from functools import cache

import numpy as np

from sparsegp.arrays import Array

__all__ = ["N_NODES", "gauss_hermite", "gaussian_means"]

N_NODES = 20


@cache
def gauss_hermite(n_nodes: int = N_NODES) -> tuple[Array, Array]:
    """Return nodes and weights for means under N(0, 1).

    >>> nodes, weights = gauss_hermite(3)
    >>> float(round(weights @ nodes**2, 12))
    1.0
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(n_nodes)
    return nodes, weights / weights.sum()


def gaussian_means(
    functions: Callable[[Array], tuple[Array, ...]], mean: Array, variance: Array
) -> tuple[Array, ...]:
    """Return the means of functions of f ~ N(mean, variance): (n,) each.

    ``functions`` takes values f (n, nodes) and returns arrays of that shape.
    """
    nodes, weights = gauss_hermite()
    f = mean[:, None] + np.sqrt(variance)[:, None] * nodes  # (n, nodes)
    return tuple(values @ weights for values in functions(f))
