"""The method ``save`` of all estimators."""

import os
from collections.abc import Callable
from typing import Any, ClassVar

__all__ = ["PersistenceMixin"]


class PersistenceMixin:
    """An estimator that can be written to a file; abstract."""

    # The room `files` knows all estimators; it fills this in.
    _write: ClassVar[Callable[..., Any]]

    def save(self, path: str | os.PathLike[str], *, variance: bool = True) -> None:
        """Write the fitted model to one file, which ``sparsegp.load`` reads.

        The file appears as a whole or not at all. It holds arrays and JSON (safetensors), all
        that is needed to predict and no training row. A callback is not kept.

        Parameters
        ----------
        path : path-like
        variance : bool, default=True
            False keeps the mean alone, in a hundredth of the space; only for regression that is
            not on-line. The loaded model then refuses to give standard deviations.
        """
        PersistenceMixin._write(self, path, variance=variance)
