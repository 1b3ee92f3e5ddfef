"""The kernel that a table asks for."""

from collections.abc import Sequence

from sparsegp.estimators.options.online import FIRST_SLOPES
from sparsegp.kernels import RBF, Auto, Categorical, Constant, Kernel, Linear, OnColumns
from sparsegp.learning.structure.policy import MAX_LENGTH_SCALES

__all__ = ["kernel_for"]


def kernel_for(
    coded: Sequence[bool], *, linear: bool = False, chosen: bool = False
) -> Kernel | None:
    """Return the kernel of a table of which some columns hold codes; None is the default one.

    Numbers and categories multiply: v · RBF(numbers) · Categorical(categories). A stream of
    numbers has a linear part besides, as its default kernel has. That of the numbers is left open
    if it is to be ``chosen`` by evidence.

    >>> kernel_for([False, False]) is None
    True
    >>> kernel_for([False, True], chosen=True).left
    OnColumns(kernel=Auto(n_columns=None), columns=(0,))
    """
    categories = [i for i, code in enumerate(coded) if code]
    others = [i for i, code in enumerate(coded) if not code]
    if not categories:
        return Auto() if chosen else None
    kernel: Kernel = Constant(1.0)
    if others and chosen:
        kernel = OnColumns(Auto(), others)
    elif others:
        kernel = kernel * OnColumns(RBF(_scales(0.5 * len(others) ** 0.5, len(others))), others)
    # a mismatch in a third of the columns, or in the only one, halves the covariance or so
    start = max(2.0, len(categories) / 3.0)
    kernel = kernel * OnColumns(Categorical(_scales(start, len(categories))), categories)
    if linear and others:
        kernel = kernel + OnColumns(Linear(FIRST_SLOPES), others)
    return kernel


def _scales(start: float, count: int) -> float | tuple[float, ...]:
    """Return a length scale for each column, or for very many columns one."""
    return start if count > MAX_LENGTH_SCALES else (start,) * count
