"""The input of every section: the model, the rows it is evaluated on, and the metadata."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from sparsegp.estimators.classifier import SparseGPClassifier
from sparsegp.estimators.mixins.encoding import of_inputs
from sparsegp.estimators.options.device import check_model_on_host
from sparsegp.estimators.regressor import SparseGPRegressor
from sparsegp.plot.labels import printable
from sparsegp.plot.partial_dependence import expected_mean, expected_moments
from sparsegp.report.metadata import About
from sparsegp.tables.encoding.describe import describe_columns, level_names
from sparsegp.tables.encoding.kinds import DATE, PERIODIC

__all__ = ["ReportData", "make_report_data"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ReportData:
    """A fitted model, evaluation rows with their targets, and metadata."""

    model: Any
    table: Any  # the rows as they were given: array or DataFrame
    X: Floats  # (n, D)
    y: npt.NDArray[Any]  # (n,)
    names: list[str]  # of the inputs
    about: About
    basis_target: npt.NDArray[Any] | None  # (m,), targets of the basis vectors
    given: Any = None  # the rows as the user of the report gave them, perhaps not yet encoded

    @property
    def is_classification(self) -> bool:
        """Whether the targets are labels."""
        return isinstance(self.model, SparseGPClassifier)

    @property
    def n_neighbors(self) -> int:
        """The number of training rows that correct a prediction; 0 without neighbours."""
        return int(getattr(self.model, "n_neighbors_", 0))

    @property
    def kernel(self) -> Any:
        """The kernel with its fitted hyperparameters."""
        return self.model.kernel_

    @property
    def row_names(self) -> list[str]:
        """What the rows are called: by the index of their table, or by their position."""
        index = getattr(self.given, "index", None)
        if index is None or callable(index) or len(index) != len(self.y):
            index = range(len(self.y))
        return [printable(str(one)) for one in index]

    def like_table(self, X: Floats) -> Any:
        """Return rows in the type the model was given: a DataFrame with names, or an array."""
        if hasattr(self.table, "columns"):
            return type(self.table)(X, columns=self.table.columns)
        return X

    def take(self, rows: npt.NDArray[np.intp]) -> "ReportData":
        """Return the report's input with some of the rows."""
        X = self.X[rows]
        return replace(self, table=self.like_table(X), X=X, y=self.y[rows])

    def expected_mean(self, X: Floats) -> Floats:
        """Return the mean of the expected target or latent functions: (n, 1 or C)."""
        return expected_mean(self.model, self.like_table(X))

    def expected(self, X: Floats) -> tuple[Floats, Floats]:
        """Return mean and variance of the expected target or latent functions: (n, 1 or C) each."""
        return expected_moments(self.model, self.like_table(X))


def make_report_data(
    model: Any, X: Any, y: Any, about: About, y_training: Any = None
) -> ReportData:
    """Validate the model and the rows."""
    if not isinstance(model, SparseGPRegressor | SparseGPClassifier):
        raise TypeError(
            "a report needs a SparseGPRegressor or a SparseGPClassifier, got "
            f"{type(model).__name__}: evaluate an online model by predicting each row before "
            "learning it"
        )
    check_is_fitted(model)
    check_model_on_host("a report", model)
    given = X
    model, X, about = _encoded(model, X, about)
    rows = np.asarray(X, dtype=np.float64)
    target = np.asarray(y)
    if rows.ndim != 2 or target.ndim != 1 or len(rows) != len(target) or not len(rows):
        raise ValueError(
            "X must be two-dimensional and y one-dimensional, with the same number of rows and at "
            f"least one: got shapes {rows.shape} and {target.shape}"
        )
    if isinstance(model, SparseGPClassifier):
        unknown = np.setdiff1d(target, model.classes_)
        if len(unknown):
            raise ValueError(
                f"y has the label {str(unknown[0])!r}, which the model does not know: leave such "
                "rows out"
            )
    elif not np.all(np.isfinite(target.astype(np.float64))):
        raise ValueError("y must be finite: leave out rows without a target")
    names = getattr(model, "feature_names_in_", [f"x{i}" for i in range(rows.shape[1])])
    basis_target = None if y_training is None else np.asarray(y_training)[model.basis_indices_]
    return ReportData(model, X, rows, target, list(map(str, names)), about, basis_target, given)


def _encoded(model: Any, X: Any, about: About) -> tuple[Any, Any, About]:
    """Return a model of encoded columns, these columns, and how the metadata describes them."""
    encoding = getattr(model, "encoding_", None)
    if encoding is None:
        return model, X, about
    from pandas import DataFrame  # noqa: PLC0415  (only encoded tables need it)

    inputs = DataFrame(encoding.encode(X), columns=encoding.input_names)
    about = replace(
        about,
        levels={c.feature: level_names(c) for c in encoding.columns if c.is_categorical},
        dates=[c.feature for c in encoding.columns if c.kind == DATE],
        periodic={
            c.feature: (f"{c.name}, {c.part}", c.part)
            for c in encoding.columns
            if c.kind == PERIODIC
        },
        columns=describe_columns(encoding),
        left_out=encoding.left_out,
        notes=encoding.notes,
    )
    return of_inputs(model), inputs, about
