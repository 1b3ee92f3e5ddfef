"""Translation of scikit-learn kernel expressions.

Sums, products, ConstantKernel, RBF, Matern, RationalQuadratic, DotProduct and
ExpSineSquared have counterparts. A WhiteKernel in a sum becomes the noise variance.
"""

from typing import Any, NamedTuple

from sklearn.gaussian_process import kernels as sk

from sparsegp.exceptions import KernelTranslationError
from sparsegp.kernels.base import FIXED, Bounds, Kernel
from sparsegp.kernels.composite import Product, Sum
from sparsegp.kernels.constant import Constant
from sparsegp.kernels.linear import Linear
from sparsegp.kernels.periodic import Periodic
from sparsegp.kernels.stationary import RBF, Matern, RationalQuadratic

__all__ = ["Translation", "from_sklearn"]


class Translation(NamedTuple):
    """A kernel and, if the expression had WhiteKernels, their noise variance."""

    kernel: Kernel
    noise_variance: float | None
    noise_bounds: Bounds | None


def from_sklearn(expression: Any) -> Translation:
    """Translate a scikit-learn kernel.

    ExpSineSquared becomes Periodic, which is the same on one column, its periodicity in the units
    of the column too; on several, scikit-learn takes the sine of the whole distance and Periodic
    those of the columns. Other parameters refer to the transformed columns and target.

    Raises
    ------
    KernelTranslationError
        For a part without a counterpart; the message names it.

    >>> from sklearn.gaussian_process import kernels as sk
    >>> from_sklearn(2.0 * sk.RBF(3.0) + sk.WhiteKernel(0.1)).noise_variance
    0.1
    """
    noises: list[sk.WhiteKernel] = []
    kernel = _without_noise(expression, noises)
    if kernel is None:
        raise KernelTranslationError(
            f"{expression} is noise only: add a kernel for the function, e.g. RBF()"
        )
    if not noises:
        return Translation(kernel, None, None)
    if len(noises) == 1:
        return Translation(kernel, float(noises[0].noise_level), noises[0].noise_level_bounds)
    all_fixed = all(white.hyperparameter_noise_level.fixed for white in noises)
    total = float(sum(white.noise_level for white in noises))
    return Translation(kernel, total, FIXED if all_fixed else None)


def _without_noise(expression: Any, noises: list[Any]) -> Kernel | None:
    """Translate a sum, collecting its WhiteKernels; None if nothing else is in it."""
    if isinstance(expression, sk.WhiteKernel):
        noises.append(expression)
        return None
    if type(expression) is sk.Sum:
        parts = [_without_noise(side, noises) for side in (expression.k1, expression.k2)]
        kept = [part for part in parts if part is not None]
        return Sum(*kept) if len(kept) == 2 else (kept[0] if kept else None)
    return _translate(expression)


def _translate(k: Any) -> Kernel:
    kind = type(k)
    if kind is sk.Sum:
        return Sum(_translate(k.k1), _translate(k.k2))
    if kind is sk.Product:
        return Product(_translate(k.k1), _translate(k.k2))
    if kind is sk.ConstantKernel:
        return Constant(k.constant_value, k.constant_value_bounds)
    if kind is sk.RBF:
        return RBF(k.length_scale, k.length_scale_bounds)
    if kind is sk.Matern:
        return _matern(k)
    if kind is sk.RationalQuadratic:
        return RationalQuadratic(k.length_scale, k.length_scale_bounds, k.alpha, k.alpha_bounds)
    if kind is sk.DotProduct:
        return _dot_product(k)
    if kind is sk.ExpSineSquared:
        return Periodic(k.length_scale, k.periodicity, k.length_scale_bounds, k.periodicity_bounds)
    if kind is sk.WhiteKernel:
        raise KernelTranslationError(
            f"{k} stands inside a product: write the noise as a summand of the whole expression"
        )
    raise KernelTranslationError(
        f"no counterpart for {kind.__name__} (in {k}): build the kernel from sparsegp.kernels, or "
        "subclass sparsegp.kernels.Kernel"
    )


def _matern(k: Any) -> Kernel:
    if k.nu == float("inf"):
        return RBF(k.length_scale, k.length_scale_bounds)
    if k.nu not in (0.5, 1.5, 2.5):
        raise KernelTranslationError(f"{k}: nu must be 0.5, 1.5, 2.5 or inf, got {k.nu}")
    return Matern(k.length_scale, k.length_scale_bounds, k.nu)


def _dot_product(k: Any) -> Kernel:
    # σ₀² + x·z; the square of a parameter has bounds that are squares
    if k.sigma_0 == 0.0:
        return Linear(1.0, FIXED)
    bounds = k.sigma_0_bounds
    squared = FIXED if isinstance(bounds, str) else (bounds[0] ** 2, bounds[1] ** 2)
    return Sum(Constant(k.sigma_0**2, squared), Linear(1.0, FIXED))
