"""The kernel of a table whose columns are not all numbers."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from sklearn.gaussian_process.kernels import Kernel as SklearnKernel

from sparsegp.estimators.options.mixed_kernel import mixed_kernel, of_categories
from sparsegp.estimators.policy import FIRST_SLOPES
from sparsegp.kernels import RBF, Auto, Categorical, Constant, Kernel, Linear, OnColumns
from sparsegp.kernels.composite import Product, Sum
from sparsegp.kernels.named import named_kernel
from sparsegp.learning.structure.policy import MAX_LENGTH_SCALES
from sparsegp.learning.structure.transform_options import AUTO
from sparsegp.tables.encoding import TableEncoding

__all__ = ["columns_in", "encoded_kernel", "table_kernel"]


def table_kernel(
    is_categorical: Sequence[bool], *, linear: bool = False, choose: bool = False
) -> Kernel | None:
    """Return the kernel of a table with some categorical columns; None is the default kernel.

    Numbers and categories multiply: v · RBF(numbers) · Categorical(categories). ``linear`` adds a
    linear term in the numbers, as in the default kernel of online models. With ``choose``, the
    kernel of the numbers is left to the marginal likelihood.

    >>> table_kernel([False, False]) is None
    True
    >>> table_kernel([False, True], choose=True).left
    OnColumns(Auto(), [0])
    """
    categories, numbers = _split(is_categorical)
    if not categories:
        return Auto() if choose else None
    kernel: Kernel = Constant(1.0)
    if numbers and choose:
        kernel = OnColumns(Auto(), numbers)
    elif numbers:
        scales = _length_scales(0.5 * len(numbers) ** 0.5, len(numbers))
        kernel = kernel * OnColumns(RBF(scales), numbers)
    kernel = kernel * of_categories(categories)
    if linear and numbers:
        kernel = kernel + OnColumns(Linear(FIRST_SLOPES), numbers)
    return kernel


def encoded_kernel(
    kernel: Any,
    encoding: TableEncoding | None,
    *,
    linear: bool = False,
    n_lags: int = 0,
    stream: bool = False,
) -> Any:
    """Return the kernel of encoded columns, from the option ``kernel``.

    ``n_lags`` numbers follow the columns of the table: earlier values of a stream, whose later rows
    may bring further levels of categories.

    The default kernel, "auto" and kernels by name become ``mixed_kernel``, those of a stream the
    kernel of the numbers times one of the categories; so does any kernel of all columns. One that
    names its columns is left as it is, but for the positions of columns.
    """
    if encoding is None:
        return kernel
    if isinstance(kernel, Kernel) and columns_in(kernel):
        return _with_inputs(kernel, encoding)
    is_categorical = [*encoding.is_categorical, *[False] * n_lags]
    categories, numbers = _split(is_categorical)
    if kernel is None or (isinstance(kernel, str) and kernel == AUTO):
        if not categories:
            return kernel
        if stream:
            return table_kernel(is_categorical, linear=linear, choose=kernel == AUTO)
        return mixed_kernel(encoding, _auto if kernel == AUTO else _usual)
    if not categories or not numbers:
        return kernel
    if isinstance(kernel, str):
        if not stream:
            return mixed_kernel(encoding, partial(_named, kernel))
        kernel = _named(kernel, len(numbers), len(numbers))
    elif isinstance(kernel, SklearnKernel):
        raise ValueError(
            "a scikit-learn kernel does not know categories, and this table has some: use a kernel "
            "of sparsegp.kernels, on named columns if it should not have all numbers (OnColumns)"
        )
    if not isinstance(kernel, Kernel) or _is_coded(kernel):
        return kernel
    return OnColumns(kernel, numbers) * of_categories(categories)


def _auto(n_coordinates: int, n_columns: int) -> Kernel:
    return Auto()


def _usual(n_coordinates: int, n_columns: int) -> Kernel:
    return Constant(1.0) * RBF(_length_scales(0.5 * n_columns**0.5, n_coordinates))


def _named(name: str, n_coordinates: int, n_columns: int) -> Kernel:
    scales = _length_scales(0.5 * n_columns**0.5, n_coordinates)
    return named_kernel(name, scales, n_coordinates)


def columns_in(kernel: Any, within: Callable[[Kernel], bool] = lambda _: True) -> list[str | int]:
    """Return names and positions of columns in an expression, of parts with some property."""
    if isinstance(kernel, OnColumns):
        return list(kernel.columns) if within(kernel.kernel) else []
    if isinstance(kernel, Sum | Product):
        return columns_in(kernel.left, within) + columns_in(kernel.right, within)
    return []


def _is_coded(kernel: Kernel) -> bool:
    """Tell whether a kernel takes all its columns for category codes."""
    return isinstance(kernel, Categorical)


def _with_inputs(kernel: Kernel, encoding: TableEncoding) -> Kernel:
    """Return an expression with positions of inputs for those of columns."""
    if isinstance(kernel, OnColumns):
        columns = [c if isinstance(c, str) else encoding.input_of(c) for c in kernel.columns]
        return OnColumns(kernel.kernel, columns)
    if isinstance(kernel, Sum | Product):
        return type(kernel)(
            _with_inputs(kernel.left, encoding), _with_inputs(kernel.right, encoding)
        )
    return kernel


def _split(is_categorical: Sequence[bool]) -> tuple[list[int], list[int]]:
    categories = [i for i, categorical in enumerate(is_categorical) if categorical]
    return categories, [i for i, categorical in enumerate(is_categorical) if not categorical]


def _length_scales(start: float, count: int) -> float | tuple[float, ...]:
    """Return one length scale per column, or a common one for very many columns."""
    return start if count > MAX_LENGTH_SCALES else (start,) * count
