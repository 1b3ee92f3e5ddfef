"""Small arrays beside large ones: parameters of a transform or a noise beside rows on a device."""

from typing import Any

import numpy as np

from sparsegp.arrays.namespace import is_of_other_library, moved, namespace

__all__ = ["beside", "library_of"]


def beside(x: Any, like: Any) -> Any:
    """Return x in the library and on the device of ``like``; on the host x as it is.

    >>> x = np.zeros(3)
    >>> beside(x, like=np.ones(2)) is x
    True
    """
    if is_of_other_library(like) or is_of_other_library(x):
        return moved(x, like=like)
    return x


def library_of(x: Any) -> Any:
    """Return NumPy itself for whatever the host holds, else the array API namespace of x.

    NumPy's own ``clip`` and ``where`` make fewer copies than those of a namespace.
    """
    return namespace(x) if is_of_other_library(x) else np
