"""Checks of what users hand in; every message names the argument and what to do."""

from collections.abc import Collection, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.kernels import Kernel

__all__ = [
    "check_finite",
    "check_integer",
    "check_moves_inputs",
    "check_option",
    "check_positive",
    "check_probabilities",
    "check_sample_weight",
    "check_target",
]

Floats = npt.NDArray[np.float64]

_BOOLEANS: tuple[type, ...] = (bool, np.bool_)


def check_option(name: str, value: Any, allowed: Collection[str]) -> None:
    """Refuse a name that is not among the allowed ones."""
    if not isinstance(value, str) or value not in allowed:
        options = ", ".join(repr(option) for option in allowed)
        raise ValueError(f"{name} must be one of {options}, got {value!r}")


def check_integer(name: str, value: Any, at_least: int) -> int:
    """Refuse what is not an integer of at least this size."""
    whole = isinstance(value, Integral) and not isinstance(value, _BOOLEANS)
    if not whole or value < at_least:
        raise ValueError(f"{name} must be an integer of at least {at_least}, got {value!r}")
    return int(value)


def check_positive(name: str, value: Any) -> float:
    """Refuse what is not a positive finite number."""
    number = isinstance(value, Real) and not isinstance(value, _BOOLEANS)
    if not number or not 0 < float(value) < np.inf:
        raise ValueError(f"{name} must be a positive finite number, got {value!r}")
    return float(value)


def check_probabilities(name: str, value: Any) -> Floats:
    """Refuse what is not a number, or a vector of numbers, between 0 and 1."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty((0, 0))
    if array.ndim > 1 or not array.size or not np.all((array > 0.0) & (array < 1.0)):
        raise ValueError(f"{name} must lie between 0 and 1, without either, got {value!r}")
    return array


def check_finite(
    name: str,
    values: Floats,
    columns: Collection[str] | None = None,
    numbers: Sequence[int] | None = None,
) -> None:
    """Refuse NaN and infinity, naming the first cell and all columns that hold one.

    The rows may have numbers of their own.
    """
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    kind = "NaN" if np.isnan(values).any() else "inf"
    row = int(np.argwhere(bad.reshape(len(values), -1))[0][0])
    where = f"first in row {row if numbers is None else numbers[row]}"
    if values.ndim == 2:
        positions = np.flatnonzero(bad.any(axis=0))
        names = list(columns) if columns is not None else None
        labels = [repr(str(names[i])) if names else str(i) for i in positions[:5]]
        more = f" and {len(positions) - 5} more" if len(positions) > 5 else ""
        where += f", in column {', '.join(labels)}{more}"
    raise ValueError(
        f"{name} contains {kind} ({where}): remove these rows or fill them in, "
        "e.g. with sklearn.impute.SimpleImputer"
    )


def check_target(y: Any) -> tuple[Floats, bool]:
    """Return y as (n, p) floats, and whether it was given as one column without a name."""
    array = np.asarray(y)
    if array.ndim not in (1, 2) or array.dtype.kind in "mM" or 0 in array.shape[1:]:
        raise ValueError(
            "y must hold one number a row, or one for each output: shape (n_samples,) or "
            f"(n_samples, n_outputs), got shape {array.shape} of {array.dtype}"
        )
    if array.dtype.kind in "OUS":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            offender = next((v for v in array.ravel() if not _is_number(v)), array.ravel()[0])
            raise ValueError(
                f"y must be numeric for regression, got {str(offender)!r}: encode the target as "
                "numbers, or use a classifier for labels"
            ) from error
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: y must be real")
    array = array.astype(np.float64, copy=False)
    check_finite("y", array)
    return (array[:, None], True) if array.ndim == 1 else (array, False)


def check_moves_inputs(kernel: Kernel) -> None:
    """Refuse to move the basis of a kernel that has no gradient by its inputs."""
    if not kernel.moves_inputs:
        raise ValueError(
            f"refine_basis moves inputs by a gradient, which {kernel} does not have: set it to "
            "False or use a kernel of numbers only"
        )


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def check_sample_weight(sample_weight: Any, n_samples: int) -> Floats | None:
    """Return the weights as (n,) floats; None stays None."""
    if sample_weight is None:
        return None
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must hold numbers: {error}") from error
    if weight.ndim == 0:
        weight = np.full(n_samples, float(weight))
    if weight.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have one number a row: shape ({n_samples},), got {weight.shape}"
        )
    check_finite("sample_weight", weight)
    negative = np.flatnonzero(weight < 0)
    if len(negative):
        first = negative[0]
        raise ValueError(
            f"sample_weight must not be negative, got {weight[first]} for row {first}: a weight "
            "counts how often a row was seen"
        )
    if not weight.any():
        raise ValueError("sample_weight is zero for every row: no row is left to learn from")
    return weight
