"""A fit on a device that is out of memory: again, on the host."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from sparsegp.arrays import or_on_host, to_host
from sparsegp.tables.sources.device import on_device

__all__ = ["fit_or_on_host"]

Fitted = TypeVar("Fitted")


def fit_or_on_host(fit: Callable[..., Fitted], X: Any, *others: Any) -> Fitted:
    """Return ``fit(X, *others)``; with all arrays on the host if their device has no room.

    Blocks of rows have become smaller before: what does not fit are the matrices of the model. The
    model is then one of the host, as if it had been fitted there.
    """

    def on_host() -> Fitted:
        return fit(*(np.asarray(to_host(x)) if on_device(x) else x for x in (X, *others)))

    return or_on_host(lambda: fit(X, *others), on_host, "the fit", may=on_device(X))
