"""A gap in a kernel expression, for the kernel that a fit will choose."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from sparsegp.arrays import Array
from sparsegp.kernels.base import Kernel
from sparsegp.kernels.columns import OnColumns
from sparsegp.kernels.composite import Product, Sum

__all__ = ["Auto", "fill", "filling", "gaps"]


@dataclass(frozen=True)
class Auto(Kernel):
    """Stands for the kernel of some columns that a fit chooses by evidence.

    An expression may hold it once. ``kernel="auto"`` is this for all columns; with others beside
    it, e.g. for a table whose third column holds codes of categories,

    >>> from sparsegp.kernels import Auto, Categorical, OnColumns
    >>> kernel = OnColumns(Auto(), [0, 1]) * OnColumns(Categorical(), [2])
    """

    n_columns: int | None = None  # known once it is bound to a table

    @property
    def moves_inputs(self) -> bool:
        """All that may take its place is differentiable in its inputs."""
        return True

    def bind(self, feature_names: Sequence[str] | None, n_features: int) -> Kernel:
        """Note how many columns it stands for."""
        return Auto(n_features)

    def __call__(self, X: Array, Z: Array) -> Array:
        """Refuse: there is no kernel yet."""
        self._refuse()

    def diagonal(self, X: Array) -> Array:
        """Refuse: there is no kernel yet."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise ValueError(
            "Auto stands for a kernel that an estimator chooses in its fit; it has no values"
        )


def gaps(kernel: Kernel) -> list[Auto]:
    """Return the gaps of an expression.

    >>> gaps(2.0 * Auto())
    [Auto(n_columns=None)]
    """
    if isinstance(kernel, Auto):
        return [kernel]
    if isinstance(kernel, OnColumns):
        return gaps(kernel.kernel)
    if isinstance(kernel, Sum | Product):
        return gaps(kernel.left) + gaps(kernel.right)
    return []


def fill(template: Kernel, part: Kernel) -> Kernel:
    """Return an expression with its gap filled.

    >>> from sparsegp.kernels import RBF
    >>> fill(2.0 * Auto(), RBF(3.0)) == 2.0 * RBF(3.0)
    True
    """
    if isinstance(template, Auto):
        return part
    if isinstance(template, OnColumns):
        return OnColumns(fill(template.kernel, part), template.columns)
    if isinstance(template, Sum | Product):
        return type(template)(fill(template.left, part), fill(template.right, part))
    return template


def filling(template: Kernel, kernel: Kernel) -> Kernel:
    """Return what stands in a kernel where its template has the gap.

    >>> from sparsegp.kernels import RBF
    >>> filling(2.0 * Auto(), 3.0 * RBF(4.0)) == RBF(4.0)
    True
    """
    if isinstance(template, OnColumns) and isinstance(kernel, OnColumns):
        return filling(template.kernel, kernel.kernel)
    if isinstance(template, Sum | Product) and isinstance(kernel, Sum | Product):
        if gaps(template.left):
            return filling(template.left, kernel.left)
        return filling(template.right, kernel.right)
    return kernel
