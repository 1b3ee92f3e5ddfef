"""Attributes that a fit sets before it succeeds, restored if it fails."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["dtypes_of", "rollback_on_error"]

#: Attributes of the inputs, set by scikit-learn's validation before all rows are checked.
INPUT_ATTRIBUTES = ("n_features_in_", "feature_names_in_", "_feature_dtypes", "encoding_")


def dtypes_of(X: Any) -> tuple[str, ...] | None:
    """Return the dtypes of a table by column, or that of an array; None of anything else.

    >>> import numpy as np
    >>> dtypes_of(np.zeros((3, 2), dtype=np.float32))
    ('float32',)
    """
    found = getattr(X, "dtypes", getattr(X, "dtype", ()))
    each = found if hasattr(found, "__iter__") else [found]  # a single column has one dtype
    return tuple(str(dtype) for dtype in each) or None


@contextmanager
def rollback_on_error(estimator: Any) -> Iterator[None]:
    """Let a fit that fails leave the estimator as it was before."""
    own = vars(estimator)
    known = {name: own[name] for name in INPUT_ATTRIBUTES if name in own}
    try:
        yield
    except BaseException:  # also when a user interrupts it
        for name in INPUT_ATTRIBUTES:
            own.pop(name, None)
        own.update(known)
        raise
