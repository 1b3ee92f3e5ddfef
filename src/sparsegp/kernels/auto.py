"""A placeholder in a kernel expression, for the kernel that a fit chooses."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from sparsegp.arrays import Array
from sparsegp.kernels.base import Kernel
from sparsegp.kernels.columns import OnColumns
from sparsegp.kernels.composite import Product, Sum
from sparsegp.kernels.one_hot import OneHot

__all__ = [
    "Auto",
    "fill_placeholder",
    "placeholder_part",
    "placeholders",
    "with_placeholder_part",
]


@dataclass(frozen=True, repr=False)
class Auto(Kernel):
    """Placeholder for a kernel that a fit chooses by marginal likelihood.

    An expression may hold it once. ``kernel="auto"`` is this for all columns; combined with other
    kernels, e.g. for a table whose third column holds category codes,

    >>> from sparsegp.kernels import Auto, Categorical, OnColumns
    >>> kernel = OnColumns(Auto(), [0, 1]) * OnColumns(Categorical(), [2])
    """

    n_columns: int | None = None  # set when it is bound to a table

    def __repr__(self) -> str:
        return "Auto()"

    @property
    def moves_inputs(self) -> bool:
        """All kernels that may take its place are differentiable in their inputs."""
        return True

    def bind(self, feature_names: Sequence[str] | None, n_features: int) -> Kernel:
        """Record how many columns it stands for."""
        return Auto(n_features)

    def __call__(self, X: Array, Z: Array) -> Array:
        """Raise a ValueError: there is no kernel yet."""
        self._refuse()

    def diagonal(self, X: Array) -> Array:
        """Raise a ValueError: there is no kernel yet."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise ValueError(
            "Auto is a placeholder for the kernel that an estimator chooses in fit: it has no "
            "values of its own"
        )


def placeholders(kernel: Kernel) -> list[Auto]:
    """Return the placeholders of an expression.

    >>> placeholders(2.0 * Auto())
    [Auto()]
    """
    if isinstance(kernel, Auto):
        return [kernel]
    if isinstance(kernel, OnColumns | OneHot):
        return placeholders(kernel.kernel)
    if isinstance(kernel, Sum | Product):
        return placeholders(kernel.left) + placeholders(kernel.right)
    return []


def fill_placeholder(template: Kernel, part: Kernel) -> Kernel:
    """Return an expression with its placeholder replaced.

    >>> from sparsegp.kernels import RBF
    >>> fill_placeholder(2.0 * Auto(), RBF(3.0)) == 2.0 * RBF(3.0)
    True
    """
    if isinstance(template, Auto):
        return part
    if isinstance(template, OnColumns | OneHot):
        return replace(template, kernel=fill_placeholder(template.kernel, part))
    if isinstance(template, Sum | Product):
        return type(template)(
            fill_placeholder(template.left, part), fill_placeholder(template.right, part)
        )
    return template


def with_placeholder_part(template: Kernel, kernel: Kernel, part: Kernel) -> Kernel:
    """Return a kernel of a template with another part in its placeholder, all else as it is.

    >>> from sparsegp.kernels import RBF
    >>> with_placeholder_part(2.0 * Auto(), 3.0 * RBF(4.0), RBF(5.0)) == 3.0 * RBF(5.0)
    True
    """
    if isinstance(template, OnColumns | OneHot) and isinstance(kernel, OnColumns | OneHot):
        inner = with_placeholder_part(template.kernel, kernel.kernel, part)
        return replace(kernel, kernel=inner)
    if isinstance(template, Sum | Product) and isinstance(kernel, Sum | Product):
        left, right = (
            with_placeholder_part(*both, part) if placeholders(both[0]) else both[1]
            for both in ((template.left, kernel.left), (template.right, kernel.right))
        )
        return type(kernel)(left, right)
    return part


def placeholder_part(template: Kernel, kernel: Kernel) -> Kernel:
    """Return the part of a kernel that stands where its template has the placeholder.

    >>> from sparsegp.kernels import RBF
    >>> placeholder_part(2.0 * Auto(), 3.0 * RBF(4.0)) == RBF(4.0)
    True
    """
    if isinstance(template, OnColumns | OneHot) and isinstance(kernel, OnColumns | OneHot):
        return placeholder_part(template.kernel, kernel.kernel)
    if isinstance(template, Sum | Product) and isinstance(kernel, Sum | Product):
        if placeholders(template.left):
            return placeholder_part(template.left, kernel.left)
        return placeholder_part(template.right, kernel.right)
    return kernel
