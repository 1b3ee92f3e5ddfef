"""The kernel of a table that has categories and is known as a whole (no stream).

A category of few levels becomes one-hot coordinates beside the numbers, with a length scale for
each level: levels that act alike come close to each other, and the kernel of the coordinates, of
any family, has one metric for numbers and categories.

A category of many levels (persons, teams, countries) has too few rows for each. It enters twice,

    k(x, z) · exp(−Σ_c [x_c ≠ z_c]/ℓ_c) + Σ_c v_c [x_c = z_c].

The product lets the function of the other columns differ from level to level. The sum is a random
intercept: with a long ℓ_c all levels share one function and yet each has its own mean.
"""

from collections.abc import Callable, Sequence

from sparsegp.estimators.policy import MOST_ONE_HOT_LEVELS, VARIANCE_OF_LEVELS
from sparsegp.kernels import Categorical, Constant, Kernel, OnColumns, OneHot
from sparsegp.kernels.policy import CATEGORICAL_LENGTH_SCALE_BOUNDS
from sparsegp.learning.structure.policy import MAX_LENGTH_SCALES
from sparsegp.tables.encoding import TableEncoding

__all__ = ["mixed_kernel", "of_categories"]


def mixed_kernel(encoding: TableEncoding, part: Callable[[int, int], Kernel]) -> Kernel:
    """Return the kernel of encoded columns, of which some are categories.

    ``part`` makes the kernel of numbers and one-hot coordinates, from their number and that of the
    columns that they stand for: two levels are as far apart as two numbers, however many there are.
    """
    codes = {i: c.codes for i, c in enumerate(encoding.columns) if c.is_categorical}
    many = [i for i in codes if len(codes[i]) > MOST_ONE_HOT_LEVELS]
    others = [i for i in range(len(encoding.columns)) if i not in many]
    if not others:
        return _with_intercepts(Constant(1.0) * of_categories(many), many)
    levels = {at: codes[i] for at, i in enumerate(others) if i in codes}
    n_coordinates = len(others) - len(levels) + sum(map(len, levels.values()))
    kernel = part(n_coordinates, len(others))
    if levels:
        kernel = OneHot(kernel, levels)
    if not many:
        return kernel
    return _with_intercepts(OnColumns(kernel, others) * of_categories(many), many)


def of_categories(columns: Sequence[int]) -> Kernel:
    """Return the kernel of mismatches in these columns, with a length scale for each of them."""
    # a mismatch in a third of the columns, or in the only one, about halves the covariance
    start, count = max(2.0, len(columns) / 3.0), len(columns)
    scales = start if count > MAX_LENGTH_SCALES else (start,) * count
    return OnColumns(Categorical(scales), columns)


def _with_intercepts(kernel: Kernel, columns: Sequence[int]) -> Kernel:
    """Add a random intercept for the levels of each column."""
    apart = CATEGORICAL_LENGTH_SCALE_BOUNDS[0]  # different levels are uncorrelated
    for column in columns:
        same = OnColumns(Categorical(apart, "fixed"), [column])
        kernel = kernel + Constant(VARIANCE_OF_LEVELS) * same
    return kernel
