"""Kernels that a choice by evidence may end at: families, and what may be added to one.

The simplest kernel of D columns is v·k with k an RBF and one length scale a column. A family takes
its place with the same length scales; a linear term, or a second part of shorter range,
is added to it. What a kernel has of its own begins where it does no harm: a search goes on from the
parameters of the simpler kernel.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from sparsegp.kernels import RBF, Constant, Kernel, Linear, Matern, Product, RationalQuadratic, Sum

__all__ = [
    "ADDITIONS",
    "FAMILIES",
    "MOST_LENGTH_SCALES",
    "PLAIN",
    "plain_kernel",
    "thrifty_kernel",
]

PLAIN = "RBF"

#: More length scales than this are learned neither from labels, which say less than numbers do, nor
#: from the first rows of a stream.
MOST_LENGTH_SCALES = 64

# Where a search begins that has slopes: their variance, and what becomes of the other part.
SLOPES, SHARE_BESIDE_SLOPES, TIMES_SHORTER_BESIDE = 0.3, 0.3, 0.6


def plain_kernel(n_columns: int) -> Kernel:
    """Return v·RBF with one length scale a column.

    Two typical rows of a standardised table are √(2D) apart; half of √D starts rather too
    short than too long, from where a search may take everything for noise.
    """
    return Constant(1.0) * RBF((0.5 * n_columns**0.5,) * n_columns)


def thrifty_kernel(n_columns: int) -> Kernel:
    """Return the plain kernel, for very many columns with one length scale for all.

    >>> thrifty_kernel(100).right.length_scale
    5.0
    """
    if n_columns > MOST_LENGTH_SCALES:
        return Constant(1.0) * RBF(0.5 * n_columns**0.5)
    return plain_kernel(n_columns)


def _family(make: Callable[..., Kernel]) -> Callable[[Kernel], Product]:
    def of(kernel: Any) -> Product:
        return Product(kernel.left, make(length_scale=kernel.right.length_scale))

    return of


#: Kernels of one part, from v·k of another family.
FAMILIES: dict[str, Callable[[Kernel], Product]] = {
    PLAIN: _family(RBF),
    "RationalQuadratic": _family(RationalQuadratic),  # seldom given up: early, that none waits
    "Matern 5/2": _family(lambda length_scale: Matern(length_scale, nu=2.5)),
    "Matern 3/2": _family(lambda length_scale: Matern(length_scale, nu=1.5)),
}


def _first_part(kernel: Kernel) -> Product:
    while isinstance(kernel, Sum):
        kernel = kernel.left
    assert isinstance(kernel, Product)
    return kernel


def _with_slopes(kernel: Kernel) -> Kernel:
    """Add slopes; what had to explain a trend as well becomes smaller and shorter.

    From where it was, with slopes near zero, no search leaves.
    """
    return _first_part_changed(kernel, SHARE_BESIDE_SLOPES, TIMES_SHORTER_BESIDE) + Linear(SLOPES)


def _first_part_changed(kernel: Kernel, share: float, times: float) -> Kernel:
    if isinstance(kernel, Sum):
        return _first_part_changed(kernel.left, share, times) + kernel.right
    assert isinstance(kernel, Product)
    return _scaled(kernel.left, share) * _stretched(kernel.right, times)


def _scaled(variance: Any, share: float) -> Kernel:
    low, high = variance.value_bounds
    return replace(variance, value=float(np.clip(share * variance.value, low, high)))


def _stretched(kernel: Any, times: float) -> Kernel:
    low, high = kernel.length_scale_bounds
    ranges = np.clip(times * np.asarray(kernel.length_scale), low, high)
    scale = tuple(map(float, ranges)) if ranges.ndim else float(ranges)
    return replace(kernel, length_scale=scale)


def _second_part(kernel: Kernel, family: str, share: float, times: float) -> Kernel:
    first = _first_part(kernel)
    return kernel + _scaled(first.left, share) * _stretched(FAMILIES[family](first).right, times)


#: What may be added, from a kernel without it.
ADDITIONS: dict[str, Callable[[Kernel], Kernel]] = {
    "Linear": _with_slopes,
    "short-range Matern 3/2": lambda kernel: _second_part(kernel, "Matern 3/2", 0.1, 0.3),
}
