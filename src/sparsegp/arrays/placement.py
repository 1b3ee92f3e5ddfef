"""Small arrays beside large ones: parameters of a transform or a noise beside rows on a device."""

from typing import Any

from sparsegp.arrays.namespace import is_of_other_library, moved, namespace

__all__ = ["beside", "in_single_precision"]


def beside(x: Any, like: Any) -> Any:
    """Return x in the library and on the device of ``like``; on the host x as it is.

    >>> import numpy as np
    >>> x = np.zeros(3)
    >>> beside(x, like=np.ones(2)) is x
    True
    """
    if is_of_other_library(like) or is_of_other_library(x):
        return moved(x, like=like)
    return x


def in_single_precision(x: Any) -> Any:
    """Return values rounded to single precision, in the dtype that they have.

    >>> import numpy as np
    >>> float(in_single_precision(np.array(0.1)))
    0.10000000149011612
    """
    xp = namespace(x)
    return xp.astype(xp.astype(x, xp.float32), x.dtype)
