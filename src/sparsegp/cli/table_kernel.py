"""The kernel for a table with numerical and categorical columns."""

from collections.abc import Sequence

from sparsegp.estimators.options.online import FIRST_SLOPES
from sparsegp.kernels import RBF, Auto, Categorical, Constant, Kernel, Linear, OnColumns
from sparsegp.learning.structure.policy import MAX_LENGTH_SCALES

__all__ = ["table_kernel"]


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
    OnColumns(kernel=Auto(n_columns=None), columns=(0,))
    """
    categories = [i for i, categorical in enumerate(is_categorical) if categorical]
    numbers = [i for i, categorical in enumerate(is_categorical) if not categorical]
    if not categories:
        return Auto() if choose else None
    kernel: Kernel = Constant(1.0)
    if numbers and choose:
        kernel = OnColumns(Auto(), numbers)
    elif numbers:
        scales = _length_scales(0.5 * len(numbers) ** 0.5, len(numbers))
        kernel = kernel * OnColumns(RBF(scales), numbers)
    # a mismatch in a third of the columns, or in the only one, about halves the covariance
    start = max(2.0, len(categories) / 3.0)
    scales = _length_scales(start, len(categories))
    kernel = kernel * OnColumns(Categorical(scales), categories)
    if linear and numbers:
        kernel = kernel + OnColumns(Linear(FIRST_SLOPES), numbers)
    return kernel


def _length_scales(start: float, count: int) -> float | tuple[float, ...]:
    """Return one length scale per column, or a common one for very many columns."""
    return start if count > MAX_LENGTH_SCALES else (start,) * count
