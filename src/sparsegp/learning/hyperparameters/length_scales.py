"""Where a kernel has its length scales, one a column."""

from functools import lru_cache

from sparsegp.kernels.base import Kernel

__all__ = ["length_scales_in"]


def length_scales_in(kernel: Kernel) -> tuple[tuple[int, ...], ...]:
    """Return, for each part of a kernel with one length scale a column, where they are in theta.

    >>> from sparsegp.kernels import RBF, Constant
    >>> length_scales_in(Constant(2.0) * RBF((1.0, 3.0)) + RBF(4.0))
    ((1, 2),)
    """
    names = tuple(kernel.parameter_names)
    return _by_part(names) if len(names) == len(kernel.theta) else ()


@lru_cache(maxsize=64)
def _by_part(names: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    parts: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        part, column, _ = name.partition("length_scale[")
        if column:
            parts.setdefault(part, []).append(place)
    return tuple(map(tuple, parts.values()))
