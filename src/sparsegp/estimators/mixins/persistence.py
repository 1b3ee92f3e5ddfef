"""The method ``save`` of all estimators."""

import os
from collections.abc import Callable
from typing import Any, ClassVar

__all__ = ["PersistenceMixin"]


class PersistenceMixin:
    """An estimator that can be written to a file; abstract."""

    # Set by the package `files`, which knows all estimators.
    _write: ClassVar[Callable[..., Any]]

    def save(self, path: str | os.PathLike[str], *, variance: bool = True) -> None:
        """Write the fitted model to one file, which ``sparsegp.load`` reads.

        The file is written as a whole or not at all. It holds arrays and JSON (safetensors): what
        predictions need, including the basis vectors, which are rows of the training data. A
        callback is not saved.

        Parameters
        ----------
        path : path-like
        variance : bool, default=True
            False saves the mean alone, in a hundredth of the space; only for
            ``SparseGPRegressor``. The loaded model then has no standard deviations.
        """
        PersistenceMixin._write(self, path, variance=variance)
