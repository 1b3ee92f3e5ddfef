"""Partial dependence: the prediction as one input varies, averaged over rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.model.classes import class_probabilities, label_log_probabilities
from sparsegp.tables.transforms.warps import Warps

__all__ = [
    "Curve",
    "averaged_curves",
    "expected_mean",
    "expected_moments",
    "input_values",
    "partial_dependence",
]

Floats = npt.NDArray[np.float64]

Z_95 = 1.959963984540054  # two-sided 95 % quantile of the standard normal distribution
MISSING = ("None", "nan", "NaT", "<NA>")  # how missing values are printed
CENTRAL_RANGE = (0.02, 0.98)  # quantiles of an input between which its effect is drawn


@dataclass(frozen=True)
class Curve:
    """The mean prediction at each value of the input, with its band: (g,) each."""

    label: str | None  # the class, if there are classes
    mean: Floats
    lower: Floats
    upper: Floats


def partial_dependence(
    model: Any, X: Any, column: Any, n_rows: int, n_values: int
) -> tuple[npt.NDArray[Any], list[Curve]]:
    """Return values of an input (g,) and the curves of a model along them.

    ``X`` is an array or a DataFrame as the model takes it, ``column`` a position or a name.
    """
    frame = hasattr(X, "iloc")
    name = X.columns[column] if frame and column not in X.columns else column
    cells = X[name] if frame else np.asarray(X)[:, name]
    values = input_values(np.asarray(cells), n_values)
    rows = np.random.default_rng(0).permutation(len(X))[:n_rows]
    every = np.tile(rows, len(values))
    table = X.iloc[every].copy() if frame else np.asarray(X)[every]
    if frame:
        repeated = np.repeat(values, len(rows))
        table[name] = repeated.astype(cells.dtype) if values.dtype == object else repeated
    else:
        table[:, name] = np.repeat(values, len(rows))
    classes = range(len(getattr(model, "classes_", ())))
    shown = [1] if len(classes) == 2 else list(classes)
    moments = expected_moments(model, table)
    return values, averaged_curves(model, *moments, len(values), shown)


def expected_mean(model: Any, table: Any) -> Floats:
    """Return what is expected of rows: (n, 1 or C).

    Of a regression it is the predicted target E[y], as ``predict`` gives it; of a classifier the
    means of the latent functions. Unless a target is warped, it is the latent function.
    """
    if _is_warped(model):
        mean = model.predict(table)
    else:
        mean = model.predict_latent(table, return_std=False)
    return np.reshape(mean, (len(table), -1))


def expected_moments(model: Any, table: Any) -> tuple[Floats, Floats]:
    """Return what is expected of rows, and how uncertain that is: (n, 1 or C) each.

    The variance of ``expected_mean`` is the epistemic one, Var_f E[y | f].
    """
    if _is_warped(model):
        mean, std = model.predict(table), model.predict_uncertainty(table).epistemic
    else:
        mean, std = model.predict_latent(table, return_std=True)
    shape = len(table), -1
    return np.reshape(mean, shape), np.reshape(std, shape) ** 2


def _is_warped(model: Any) -> bool:
    return isinstance(getattr(model, "_scaling_y", None), Warps)


def averaged_curves(
    model: Any, mean: Floats, variance: Floats, n_values: int, classes: list[int]
) -> list[Curve]:
    """Return the average predictions of rows at each value, a curve for each of ``classes``.

    ``mean`` and ``variance`` (g·b, 1 or C) are ``expected_moments``, all rows at the first value
    first. The band is the average of the 95 % intervals, which is never narrower than the
    interval of the average. For a class its ends are the probabilities with the latent function of
    the class at the ends of its interval and those of the other classes at their means.
    """
    half = Z_95 * np.sqrt(variance)
    if not hasattr(model, "classes_"):
        three = _averaged(np.concatenate((mean, mean - half, mean + half), axis=1), n_values)
        return [Curve(None, *three.T)]
    probits = model._fitted.parameters.probits
    centre = class_probabilities(probits, mean, variance)  # (g·b, C)
    curves = []
    for c in classes:
        labels = _labels_of(c, mean.shape[1])
        own = np.arange(mean.shape[1]) == c % mean.shape[1]  # two classes share one function
        ends = [
            np.exp(
                label_log_probabilities(
                    probits,
                    np.broadcast_to(labels, mean.shape),
                    mean + sign * own * half,
                    np.where(own, 0.0, variance),
                )
            )
            for sign in (-1.0, 1.0)
        ]
        middle = centre[:, c]  # averages over the tails too, so it can lie outside the ends
        lower, upper = np.minimum(ends[0], middle), np.maximum(ends[1], middle)
        three = _averaged(np.stack([middle, lower, upper], axis=1), n_values)
        curves.append(Curve(str(model.classes_[c]), *three.T))
    return curves


def _labels_of(c: int, n_functions: int) -> Floats:
    """Return the labels ±1 of a row of class c: (C,)."""
    if n_functions == 1:
        return np.array([2.0 * c - 1.0])
    return np.where(np.arange(n_functions) == c, 1.0, -1.0)


def input_values(column: npt.NDArray[Any], n_values: int) -> npt.NDArray[Any]:
    """Return the values of the x axis: the frequent ones of a few, or a range of numbers.

    >>> input_values(np.array(["b", "a", "b"], dtype=object), 5).tolist()
    ['a', 'b']
    """
    is_number = column.dtype.kind in "fiu"
    if not is_number:
        known = [value for value in column.tolist() if str(value) not in MISSING]
        distinct, counts = np.unique(np.array(known, dtype=object), return_counts=True)
        return np.sort(distinct[np.argsort(-counts, kind="stable")[:n_values]])
    distinct = np.unique(column[np.isfinite(column)])
    if len(distinct) <= n_values:
        return distinct
    low, high = np.quantile(column[np.isfinite(column)], CENTRAL_RANGE)
    return np.linspace(low, high, n_values) if high > low else distinct[[0, -1]]


def _averaged(values: Floats, n_values: int) -> Floats:
    """Return the averages over rows for each value of the input: (g, k)."""
    return values.reshape(n_values, -1, values.shape[1]).mean(axis=1)
