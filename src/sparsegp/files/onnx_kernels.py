"""Kernels as ONNX operators: k(x, z) for the input rows of the graph and a constant basis."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import LOWEST_EXPONENT
from sparsegp.exceptions import CannotSaveError
from sparsegp.files.onnx_graph import Graph
from sparsegp.kernels import (
    RBF,
    Constant,
    Kernel,
    Linear,
    Matern,
    OnColumns,
    Product,
    RationalQuadratic,
    Sum,
)

__all__ = ["kernel_block", "kernel_diagonal"]

Floats = npt.NDArray[np.float64]


def kernel_block(g: Graph, kernel: Kernel, X: str, Z: Floats) -> str:
    """Return k(x_i, z_j): (n, m)."""
    if isinstance(kernel, (Sum, Product)):
        sides = (kernel_block(g, side, X, Z) for side in (kernel.left, kernel.right))
        return g.op("Add" if isinstance(kernel, Sum) else "Mul", *sides)
    if isinstance(kernel, Constant):  # zeros (n, 1) give the result one row per input row
        zeros = g.op("Mul", g.row_sums(X, keep=True), 0.0)
        return g.op("Add", zeros, g.constant(np.full((1, len(Z)), kernel.value)))
    if isinstance(kernel, OnColumns):
        columns = list(kernel.columns)
        return kernel_block(g, kernel.kernel, g.columns(X, columns), Z[:, columns])
    if isinstance(kernel, Linear):
        return g.op("MatMul", X, g.constant((Z * np.atleast_1d(kernel.variance)).T))
    if isinstance(kernel, RBF):
        exponents = g.op("Max", _exponents(g, kernel.length_scale, X, Z), LOWEST_EXPONENT)
        return g.op("Exp", exponents)
    if isinstance(kernel, Matern):
        return _matern(g, kernel, X, Z)
    if isinstance(kernel, RationalQuadratic):
        share = g.op("Div", _exponents(g, kernel.length_scale, X, Z), -kernel.alpha)
        return g.op("Pow", g.op("Add", share, 1.0), -kernel.alpha)
    raise CannotSaveError(f"to_onnx has no operators for the kernel {kernel!r}")


def kernel_diagonal(g: Graph, kernel: Kernel, X: str) -> str:
    """Return k(x_i, x_i): (n,), or one number if it is the same for all rows."""
    if isinstance(kernel, (Sum, Product)):
        sides = (kernel_diagonal(g, side, X) for side in (kernel.left, kernel.right))
        return g.op("Add" if isinstance(kernel, Sum) else "Mul", *sides)
    if isinstance(kernel, OnColumns):
        return kernel_diagonal(g, kernel.kernel, g.columns(X, kernel.columns))
    if isinstance(kernel, Linear):
        variance = g.constant(np.atleast_1d(kernel.variance))
        return g.row_sums(g.op("Mul", g.op("Mul", X, X), variance))
    return g.constant(kernel.value if isinstance(kernel, Constant) else 1.0)


def _exponents(g: Graph, length_scale: Any, X: str, Z: Floats) -> str:
    """Return −½‖(x_i − z_j)/ℓ‖², never positive: (n, m)."""
    scale = np.atleast_1d(length_scale)
    centre = np.mean(Z / scale, axis=0, keepdims=True)  # (1, D)
    scaled = Z / scale - centre
    rows = g.op("Sub", g.op("Div", X, g.constant(scale)), g.constant(centre))
    product = g.op("MatMul", rows, g.constant(scaled.T))
    x_half = g.op("Mul", g.row_sums(g.op("Mul", rows, rows), keep=True), -0.5)  # (n, 1)
    z_half = g.constant(-0.5 * np.sum(scaled**2, axis=1)[None, :])  # (1, m)
    return g.op("Min", g.op("Add", g.op("Add", product, x_half), z_half), 0.0)


def _matern(g: Graph, kernel: Matern, X: str, Z: Floats) -> str:
    squares = g.op("Mul", _exponents(g, kernel.length_scale, X, Z), -4.0 * kernel.nu)
    s = g.op("Min", g.op("Sqrt", squares), -LOWEST_EXPONENT)  # √(2ν) r
    decay = g.op("Exp", g.op("Neg", s))
    if kernel.nu == 0.5:
        return decay
    polynomial = g.op("Add", s, 1.0)
    if kernel.nu == 2.5:
        polynomial = g.op("Add", polynomial, g.op("Div", g.op("Mul", s, s), 3.0))
    return g.op("Mul", polynomial, decay)
