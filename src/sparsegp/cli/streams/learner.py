"""Predicts a row, then learns it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.cli.errors import BadInputError, one_line
from sparsegp.cli.prediction_columns import is_classifier, prediction_columns
from sparsegp.cli.streams.row_reader import Row, is_missing
from sparsegp.estimators.online_classifier import OnlineGPClassifier
from sparsegp.estimators.online_regressor import OnlineGPRegressor
from sparsegp.exceptions import SparseGPError
from sparsegp.tables.encoding.cell_parsing import category_name

__all__ = ["Learner"]

Floats = npt.NDArray[np.float64]


@dataclass
class Learner:
    """An online model with the options of its predictions."""

    model: OnlineGPRegressor | OnlineGPClassifier
    target: str
    classes: Sequence[Any]  # empty for regression
    level: float

    def __post_init__(self) -> None:
        # rows are arrays, and scikit-learn would warn that they have no column names
        self.model.__dict__.pop("feature_names_in_", None)
        self._labels = {category_name(label): label for label in self.classes}

    @property
    def has_learned(self) -> bool:
        """Tell whether a row has been learned."""
        return self.model.__sklearn_is_fitted__()

    @property
    def n_basis(self) -> int:
        """The number of basis vectors."""
        return self.model.n_basis_ if self.has_learned else 0

    @property
    def names(self) -> list[str]:
        """The names of the parts of a prediction."""
        if self.classes:
            return ["class", *(f"p_{category_name(label)}" for label in self.classes)]
        return ["mean", "std", "lower", "upper"]

    def predict(self, x: Floats) -> dict[str, Any]:
        """Return the prediction of a row (1, D); all None before a first row was learned."""
        if not self.has_learned:
            return dict.fromkeys(self.names)
        columns = prediction_columns(self.model, x, level=self.level).values()
        values = (value.item() for (value,) in columns)
        return {
            name: category_name(value) if name == "class" else value
            for name, value in zip(self.names, values, strict=True)
        }

    def parse_target(self, row: Row) -> Any:
        """Return the target of a row, None if it is missing."""
        value: Any = row.cells.get(self.target)
        if is_missing(value):
            return None
        if self.classes:
            if category_name(value) not in self._labels:
                raise BadInputError(
                    f"row {row.number}: the label {value!r} is not among the classes "
                    f"{', '.join(self._labels)}: correct it, or start again with it in --classes"
                )
            return self._labels[category_name(value)]
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = np.nan
        if not np.isfinite(number):
            raise BadInputError(
                f"row {row.number}: the target {self.target!r} is {value!r}, which is not a "
                "number: correct it, or start again with --classes"
            )
        return number

    def learn(self, x: Floats, y: Any) -> None:
        """Learn a row (1, D)."""
        try:
            if is_classifier(self.model) or self.classes:
                classes = {} if self.has_learned else {"classes": list(self.classes)}
                self.model.partial_fit(x, [y], **classes)
            else:
                self.model.partial_fit(x, [y])
        except (ValueError, SparseGPError) as error:
            raise BadInputError(f"the model cannot learn this row: {one_line(error)}") from error
