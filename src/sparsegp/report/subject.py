"""The model and the rows it is judged by."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from sparsegp.estimators.classifier import SparseGPClassifier
from sparsegp.estimators.options.device import check_model_on_host
from sparsegp.estimators.regressor import SparseGPRegressor
from sparsegp.report.about import About

__all__ = ["Subject", "make_subject"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Subject:
    """A fitted model, rows with their targets, and what is known of both."""

    model: Any
    table: Any  # the rows as they were given: array or DataFrame
    X: Floats  # (n, D)
    y: npt.NDArray[Any]  # (n,)
    names: list[str]  # of the inputs
    about: About
    basis_target: npt.NDArray[Any] | None  # (m,) of the rows in the basis

    @property
    def classifies(self) -> bool:
        """Whether targets are labels."""
        return isinstance(self.model, SparseGPClassifier)

    @property
    def kernel(self) -> Any:
        """The kernel with its learned parameters."""
        return self.model.kernel_

    def like_table(self, X: Floats) -> Any:
        """Return rows of our own as the model knows rows: with names if it has them."""
        if hasattr(self.table, "columns"):
            return type(self.table)(X, columns=self.table.columns)
        return X

    def latent(self, X: Floats) -> tuple[Floats, Floats]:
        """Return mean and variance of the functions without noise: (n, 1 or C) each."""
        mean, variance = self.model.predict_latent(self.like_table(X))
        return mean.reshape(len(X), -1), variance.reshape(len(X), -1)


def make_subject(model: Any, X: Any, y: Any, about: About, y_training: Any = None) -> Subject:
    """Check what is given."""
    if not isinstance(model, SparseGPRegressor | SparseGPClassifier):
        raise TypeError(
            "a report needs a SparseGPRegressor or a SparseGPClassifier, got "
            f"{type(model).__name__}: score a learner of streams by its own predictions"
        )
    check_is_fitted(model)
    check_model_on_host("a report", model)
    rows = np.asarray(X, dtype=np.float64)
    target = np.asarray(y)
    if rows.ndim != 2 or target.ndim != 1 or len(rows) != len(target) or not len(rows):
        raise ValueError(
            "X must be a table and y its target, one number or label a row, for one row at least: "
            f"got shapes {rows.shape} and {target.shape}"
        )
    if isinstance(model, SparseGPClassifier):
        strange = np.setdiff1d(target, model.classes_)
        if len(strange):
            raise ValueError(
                f"y has the label {str(strange[0])!r}, which the model does not know: leave such "
                "rows out"
            )
    elif not np.all(np.isfinite(target.astype(np.float64))):
        raise ValueError("y must be finite: leave rows without a target out")
    names = getattr(model, "feature_names_in_", [f"x{i}" for i in range(rows.shape[1])])
    basis_target = None if y_training is None else np.asarray(y_training)[model.basis_indices_]
    return Subject(model, X, rows, target, list(map(str, names)), about, basis_target)
