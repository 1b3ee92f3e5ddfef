"""Kernels by name, for tables of a given number of columns."""

from collections.abc import Callable

from sparsegp.kernels.base import Kernel
from sparsegp.kernels.constant import Constant
from sparsegp.kernels.linear import Linear
from sparsegp.kernels.stationary import RBF, Matern, RationalQuadratic

__all__ = ["KERNEL_NAMES", "named_kernel"]

LengthScale = float | tuple[float, ...]

_STATIONARY: dict[str, Callable[[LengthScale], Kernel]] = {
    "rbf": RBF,
    "matern12": lambda scale: Matern(scale, nu=0.5),
    "matern32": lambda scale: Matern(scale, nu=1.5),
    "matern52": lambda scale: Matern(scale, nu=2.5),
    "rational_quadratic": RationalQuadratic,
}

#: The names that estimators accept for ``kernel``, beside "auto".
KERNEL_NAMES = (*_STATIONARY, "linear")


def named_kernel(name: str, length_scale: LengthScale, n_columns: int) -> Kernel:
    """Return the kernel of this name, with initial parameters.

    A stationary kernel is multiplied by a signal variance. "linear" has a slope for each column and
    an intercept; its initial variance is one at a typical row of standardised columns.

    Raises
    ------
    ValueError
        For an unknown name; the message lists the known ones.

    >>> named_kernel("matern32", (0.7, 0.7), 2)
    1.0 * Matern([0.7, 0.7], nu=1.5)
    >>> named_kernel("linear", (0.7, 0.7), 2)
    Linear([0.5, 0.5]) + 1.0
    """
    if name == "linear":
        slopes = 1.0 / n_columns
        one_each = isinstance(length_scale, tuple)
        return Linear((slopes,) * n_columns if one_each else slopes) + Constant(1.0)
    if name not in _STATIONARY:
        known = ", ".join(repr(each) for each in ("auto", *KERNEL_NAMES))
        raise ValueError(
            f"kernel must be one of {known}, None, or a kernel of sparsegp.kernels or "
            f"sklearn.gaussian_process.kernels, got {name!r}"
        )
    return Constant(1.0) * _STATIONARY[name](length_scale)
