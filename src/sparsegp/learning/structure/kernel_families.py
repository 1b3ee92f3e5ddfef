"""Kernels that a choice by evidence considers: families, and what may be added to one.

The simplest kernel of D columns is v·k with k an RBF and one length scale a column. A family takes
its place with the same length scales; a linear term, or a second part of shorter range, is added to
it. Added parameters start where they change little: a search continues from the simpler kernel.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from sparsegp.kernels import RBF, Constant, Kernel, Linear, Matern, Product, RationalQuadratic, Sum
from sparsegp.learning.structure import policy

__all__ = [
    "ADDITIONS",
    "FAMILIES",
    "PLAIN",
    "ROUGH_FAMILIES",
    "SHORT_RANGE",
    "initial_length_scale",
    "plain_kernel",
    "thrifty_kernel",
    "with_first_part",
    "with_short_range",
]

PLAIN = "RBF"
SHORT_RANGE = "short-range Matern 3/2"


def plain_kernel(n_columns: int) -> Kernel:
    """Return v·RBF with one length scale a column.

    Two typical rows of a standardised table are √(2D) apart; half of √D starts rather too short
    than too long: from a long one a search may take everything for noise.
    """
    return Constant(1.0) * RBF((0.5 * n_columns**0.5,) * n_columns)


def thrifty_kernel(n_columns: int) -> Kernel:
    """Return the plain kernel, for very many columns with one length scale for all.

    >>> thrifty_kernel(100).right.length_scale
    5.0
    """
    return Constant(1.0) * RBF(initial_length_scale(n_columns))


def initial_length_scale(n_columns: int) -> float | tuple[float, ...]:
    """Return a length scale for each column, or one for all of very many columns."""
    each = 0.5 * n_columns**0.5
    return each if n_columns > policy.MAX_LENGTH_SCALES else (each,) * n_columns


def _family(make: Callable[..., Kernel]) -> Callable[[Kernel], Product]:
    def of(kernel: Any) -> Product:
        return Product(kernel.left, make(length_scale=kernel.right.length_scale))

    return of


#: Kernels of one part, from v·k of another family.
FAMILIES: dict[str, Callable[[Kernel], Product]] = {
    PLAIN: _family(RBF),
    "RationalQuadratic": _family(RationalQuadratic),  # seldom stopped early: it runs first
    "Matern 5/2": _family(lambda length_scale: Matern(length_scale, nu=2.5)),
    "Matern 3/2": _family(lambda length_scale: Matern(length_scale, nu=1.5)),
}


#: The families that all rows compare once more: rows close together show how rough a function is.
ROUGH_FAMILIES: dict[str, Callable[[Kernel], Product]] = {
    "Matern 1/2": _family(lambda length_scale: Matern(length_scale, nu=0.5)),
    **{name: FAMILIES[name] for name in ("Matern 3/2", "Matern 5/2")},
}


def with_first_part(kernel: Kernel, family: Callable[[Kernel], Product]) -> Kernel:
    """Return the kernel with its first part of another family.

    >>> kernel = Constant(2.0) * RBF(3.0) + Linear()
    >>> with_first_part(kernel, FAMILIES["Matern 3/2"]).left.right == Matern(3.0, nu=1.5)
    True
    """
    if isinstance(kernel, Sum):
        return with_first_part(kernel.left, family) + kernel.right
    return family(kernel)


def _first_part(kernel: Kernel) -> Product:
    while isinstance(kernel, Sum):
        kernel = kernel.left
    assert isinstance(kernel, Product)
    return kernel


def _with_linear(kernel: Kernel) -> Kernel:
    """Add a linear term; the part that explained the trend so far gets smaller and shorter."""
    share, times = policy.VARIANCE_BESIDE_LINEAR, policy.LENGTH_SCALE_BESIDE_LINEAR
    return _first_part_changed(kernel, share, times) + Linear(policy.LINEAR_VARIANCE)


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


def with_short_range(kernel: Kernel, variance: float, times: float) -> Kernel:
    """Add a Matern 3/2 whose length scales are those of the first part, times a factor.

    >>> with_short_range(Constant(2.0) * RBF(3.0), 0.5, 0.1)
    2.0 * RBF(3.0) + 0.5 * Matern(0.3, nu=1.5)
    """
    first: Any = _first_part(kernel)
    short = _stretched(FAMILIES["Matern 3/2"](first).right, times)
    return kernel + _scaled(first.left, variance / first.left.value) * short


def _usual_short_range(kernel: Kernel) -> Kernel:
    first: Any = _first_part(kernel).left
    variance = policy.SHORT_RANGE_VARIANCE * first.value
    return with_short_range(kernel, variance, policy.SHORT_RANGE_LENGTH_SCALE)


#: What may be added, from a kernel without it.
ADDITIONS: dict[str, Callable[[Kernel], Kernel]] = {
    "Linear": _with_linear,
    SHORT_RANGE: _usual_short_range,
}
