"""Targets of training rows: numbers of a regression, or labels as columns of ±1."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array, to_numpy
from sparsegp.tables.labels import check_class_weight, check_labels, classes_in, label_columns
from sparsegp.tables.validation import check_same_rows, check_sample_weight, check_target

__all__ = ["Labels", "Targets", "label_targets", "numeric_targets"]

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Labels:
    """Says that y holds labels, and how their classes are weighted (``class_weight``)."""

    class_weight: Any = None


@dataclass(frozen=True)
class Targets:
    """Checked targets and weights of all rows of X."""

    values: Array | None  # (n, p); None: they are read together with the inputs
    weight: Array | None = None  # (n,), times that of the class; rows of weight zero do not count
    one_target: bool = True  # whether y was given as a vector
    classes: npt.NDArray[Any] | None = None  # if y holds labels: values are ±1

    @property
    def n_outputs(self) -> int:
        """The number of target columns, if they are known."""
        return 0 if self.values is None else int(self.values.shape[1])

    @cached_property
    def counted(self) -> Indices | None:
        """The numbers of the rows of positive weight; None if all rows have one."""
        if self.weight is None:
            return None
        weight = to_numpy(self.weight)
        return None if weight.all() else np.flatnonzero(weight)


def numeric_targets(X: Any, y: Any, sample_weight: Any) -> Targets:
    """Check targets of a regression, and weights, beside X."""
    values, one_target = check_target(y)
    check_same_rows(X, values)
    return Targets(values, check_sample_weight(sample_weight, len(values)), one_target)


def label_targets(X: Any, y: Any, sample_weight: Any, labels: Labels) -> Targets:
    """Check labels and weights beside X; two classes make one column of ±1, more one each."""
    y = check_labels(y)
    check_same_rows(X, y)
    weight = check_sample_weight(sample_weight, len(y))
    weight = check_class_weight(labels.class_weight, y, weight)
    classes = classes_in(y if weight is None else y[np.flatnonzero(weight)])
    return Targets(label_columns(y, classes), weight, classes=classes)
