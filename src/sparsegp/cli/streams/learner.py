"""Predict a row, then learn it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.cli.errors import BadInputError, one_line
from sparsegp.cli.predictions import is_classifier, predicted
from sparsegp.cli.streams.rows import Row, is_missing
from sparsegp.cli.tables.cells import as_text
from sparsegp.estimators.online_classifier import OnlineGPClassifier
from sparsegp.estimators.online_regressor import OnlineGPRegressor
from sparsegp.exceptions import SparseGPError

__all__ = ["Learner"]

Floats = npt.NDArray[np.float64]


@dataclass
class Learner:
    """A model of a stream and what it needs to be asked."""

    model: OnlineGPRegressor | OnlineGPClassifier
    target: str
    classes: Sequence[Any]  # empty for numbers
    level: float
    forget: float

    def __post_init__(self) -> None:
        # rows come as arrays, and scikit-learn would warn that they have no names
        self.model.__dict__.pop("feature_names_in_", None)
        self._labels = {as_text(label): label for label in self.classes}

    @property
    def begun(self) -> bool:
        """Tell whether a row has been learned."""
        return self.model.__sklearn_is_fitted__()

    @property
    def n_basis(self) -> int:
        """How many basis vectors there are."""
        return self.model.n_basis_ if self.begun else 0

    @property
    def names(self) -> list[str]:
        """What a prediction consists of."""
        if self.classes:
            return ["class", *(f"p_{as_text(label)}" for label in self.classes)]
        return ["mean", "std", "lower", "upper"]

    def predict(self, x: Floats) -> dict[str, Any]:
        """Return the prediction for a row (1, D); nothing but None before the first was learned."""
        if not self.begun:
            return dict.fromkeys(self.names)
        found = predicted(self.model, x, level=self.level).values()
        plain = (value.item() for (value,) in found)
        return {
            name: as_text(value) if name == "class" else value
            for name, value in zip(self.names, plain, strict=True)
        }

    def check(self, row: Row) -> Any:
        """Return the target of a row, None if it is missing."""
        value: Any = row.cells.get(self.target)
        if is_missing(value):
            return None
        if self.classes:
            if as_text(value) not in self._labels:
                raise BadInputError(
                    f"row {row.number}: the label {value!r} is not among the classes "
                    f"{', '.join(self._labels)}: correct it, or start anew with it in --classes"
                )
            return self._labels[as_text(value)]
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = np.nan
        if not np.isfinite(number):
            raise BadInputError(
                f"row {row.number}: the target {self.target!r} is {value!r}, which is no number: "
                "correct it, or start anew with --classes"
            )
        return number

    def learn(self, x: Floats, y: Any) -> None:
        """Learn a row (1, D)."""
        try:
            if is_classifier(self.model) or self.classes:
                known = {} if self.begun else {"classes": list(self.classes)}
                self.model.partial_fit(x, [y], **known)
            else:
                self.model.partial_fit(x, [y])
            if self.forget:
                self.model.forget(self.forget)
        except (ValueError, SparseGPError) as error:
            raise BadInputError(f"the model cannot learn on: {one_line(error)}") from error
