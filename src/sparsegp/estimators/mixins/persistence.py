"""The method ``save`` of all estimators."""

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any, ClassVar

__all__ = ["PersistenceMixin"]


class PersistenceMixin:
    """An estimator that can be written to a file; abstract."""

    # Set by the package `files`, which knows all estimators.
    _write: ClassVar[Callable[..., Any]]

    def save(
        self, path: str | os.PathLike[str], *, variance: bool = True, compact: bool = False
    ) -> None:
        """Write the fitted model to one file, which ``sparsegp.load`` reads.

        The file is written as a whole or not at all. It holds arrays and JSON (safetensors): what
        predictions need, including the basis vectors, which are rows of the training data. With
        neighbours (``n_neighbors_`` > 0) predictions need all training rows and targets, and the
        file holds them. A callback is not saved.

        Parameters
        ----------
        path : path-like
        variance : bool, default=True
            False saves the mean alone, in a hundredth of the space; only for
            ``SparseGPRegressor``. The loaded model then has no standard deviations. A model with
            neighbours needs ``compact=True`` in addition.
        compact : bool, default=False
            True leaves the training rows of a model with neighbours out of the file. In the loaded
            model the basis alone predicts, with its own calibrated noise, and ``n_neighbors_`` is
            0. Models without neighbours are saved as they are.
        """
        import_module("sparsegp.files")  # sets ``_write``; a name, since it is a higher layer
        PersistenceMixin._write(self, path, variance=variance, compact=compact)
