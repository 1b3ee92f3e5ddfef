"""Labels of any type: checked, weighted and encoded as columns of ±1."""

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from array_api_compat import device
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from sparsegp.arrays import is_of_other_library, namespace
from sparsegp.tables.validation import check_finite, naming

__all__ = [
    "check_class_weight",
    "check_labels",
    "classes_in",
    "label_columns",
    "labels_beside",
]

Floats = npt.NDArray[np.float64]

#: Kinds of dtypes of which scikit-learn's check returns every vector as it is.
PLAIN = "biufU"


def check_labels(y: Any, *, announced: bool = False) -> npt.NDArray[Any]:
    """Return one label per row (n,), none of them missing, all of them comparable.

    If classes were ``announced``, the caller compares labels with those, and a few rows may hold
    any number of distinct ones; else they must look like classes.

    >>> check_labels(np.array([True, False], dtype=object))
    array([ True, False])
    """
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in PLAIN:
        labels = y
    else:
        with naming("y"):
            labels = column_or_1d(y, warn=True)
    if labels.dtype == object:
        labels = _unwrapped(labels)
    if labels.dtype.kind == "f":
        check_finite("y", labels)
    if labels.dtype != object and not announced:
        with naming("y"):
            check_classification_targets(labels)
    return labels


def _unwrapped(labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Check objects; numbers among objects, e.g. a nullable column of pandas, become numbers."""
    missing = np.flatnonzero([_is_missing(label) for label in labels])
    if len(missing):
        raise ValueError(f"y has no label in row {missing[0]}: remove such rows")
    if all(isinstance(label, (Real, np.bool_)) for label in labels):
        return np.array(labels.tolist())
    try:
        np.unique(labels)
    except TypeError as error:
        kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
        raise ValueError(
            f"y mixes labels that have no order ({kinds}): convert them to strings"
        ) from error
    return labels


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)  # noqa: PLR0124  (NaN is not itself)
    except TypeError:  # pandas.NA has no truth value
        return True


def check_class_weight(
    class_weight: Any, labels: npt.NDArray[Any], weight: Floats | None
) -> Floats | None:
    """Return the weights of the rows (n,) times those of their classes.

    "balanced" gives every class the same total, in which a row of weight s counts s times.
    """
    if class_weight is None:
        return weight
    count = np.ones(len(labels)) if weight is None else weight
    if isinstance(class_weight, Mapping):
        for label, value in class_weight.items():
            if not isinstance(value, Real) or not 0.0 <= float(value) < np.inf:
                raise ValueError(
                    "class_weight must hold finite numbers that are not negative, got "
                    f"{value!r} for class {label!r}"
                )
        factor = compute_sample_weight(dict(class_weight), labels)  # (n,)
    elif isinstance(class_weight, str) and class_weight == "balanced":
        factor = _balance(labels, count)
    else:
        raise ValueError(
            "class_weight must be None, 'balanced' or a dict with a weight for each class, got "
            f"{class_weight!r}"
        )
    if not np.any(count * factor):
        raise ValueError("class_weight is zero for every row that has a weight: none is left")
    return count * factor


def _balance(labels: npt.NDArray[Any], count: Floats) -> Floats:
    """Return factors on the weights of rows that give the classes equal totals: (n,)."""
    codes = np.unique(labels, return_inverse=True)[1]
    totals = np.bincount(codes, count)  # (C,)
    equal = np.sum(count) / np.count_nonzero(totals)
    return (equal / np.where(totals > 0.0, totals, 1.0))[codes]


def classes_in(labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the sorted classes (C,) of rows of positive weight; there must be at least two."""
    classes = np.unique(labels)
    if len(classes) < 2:
        raise ValueError(
            f"y holds only one class ({classes.tolist()[0]!r}), counting rows of positive weight: "
            "a classifier needs at least two"
        )
    return classes


def label_columns(labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> Floats:
    """Return labels ±1: (n, 1) for two classes, (n, C) for more; another label is −1 everywhere.

    >>> label_columns(np.array(["no", "yes", "no"]), np.array(["no", "yes"])).T
    array([[-1.,  1., -1.]])
    """
    positive = classes[1:] if len(classes) == 2 else classes
    return np.where(np.asarray(labels)[:, None] == positive, 1.0, -1.0)


def labels_beside(labels: npt.NDArray[Any], X: Any) -> Any:
    """Return labels in the library and on the device of X; strings stay in NumPy."""
    if not is_of_other_library(X) or labels.dtype.kind not in "biuf":
        return labels
    return namespace(X).asarray(labels, device=device(X))
