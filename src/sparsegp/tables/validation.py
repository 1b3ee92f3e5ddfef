"""Checks of inputs, targets and weights; every message names the argument and what to do.

These are for arrays in memory. ``sources.device`` has the same for arrays on a device, and tables
out of core are checked part by part in their first pass.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_consistent_length

from sparsegp.arrays import Array

__all__ = [
    "LARGEST",
    "LARGEST_DIFFERENT",
    "LARGEST_INPUT",
    "check_finite",
    "check_readable",
    "check_same_rows",
    "check_sample_weight",
    "check_size",
    "check_target",
    "dtype_name",
    "naming",
    "within_reach",
    "without_overflow",
]

Floats = npt.NDArray[np.float64]

#: Larger targets overflow when they are centred or extrapolated; larger weights, and rows that all
#: weigh less than the inverse, when they are multiplied.
LARGEST, LARGEST_WEIGHT = 1e305, 1e100
#: Inputs must have differences that do not overflow; those that stay as they are squares, and these
#: products; rows to predict, in standard deviations from the training rows, squares.
LARGEST_DIFFERENT, LARGEST_INPUT, FURTHEST = 8e307, 1e100, 1e152

#: Floating-point types of too low a precision, even to be read: no device computes a model in them.
HALF_PRECISION = ("float16", "bfloat16")


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Let errors of other libraries' checks begin with the argument, unless they name it.

    >>> with naming("X"):
    ...     raise ValueError("expected 2 dimensions")
    Traceback (most recent call last):
    ...
    ValueError: X: expected 2 dimensions
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        if re.search(rf"\b{name}\b|\bcolumn '|\bno column\b", str(error).partition("\n")[0]):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name}: {error}") from error


def check_same_rows(X: Any, y: Any) -> None:
    """Refuse a target that has more rows than the inputs, or fewer."""
    with naming("X and y"):
        check_consistent_length(X, y)


def check_readable(name: str, x: Array) -> None:
    """Refuse arrays that no model can be made of."""
    if getattr(x, "requires_grad", False):
        raise ValueError(
            f"{name} requires grad, but a fit is not part of its graph: pass {name}.detach()"
        )
    if dtype_name(x) in HALF_PRECISION:
        raise ValueError(
            f"{name} is {dtype_name(x)}, whose precision is too low: pass float32 or float64"
        )


def dtype_name(x: Array) -> str:
    """Return the name of the dtype of an array, without that of its library."""
    return str(x.dtype).rsplit(".", maxsplit=1)[-1]


def check_finite(
    name: str,
    values: Floats,
    columns: Collection[str] | None = None,
    numbers: Sequence[int] | None = None,
) -> None:
    """Refuse NaN and infinity, naming the first row and all columns that hold one.

    ``numbers`` are those of the rows in the user's table, if they differ from their positions.
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


def within_reach(name: str, scaled: Array) -> Array:
    """Return scaled values, but refuse those so far from the training rows that squares overflow.

    Arrays of other libraries are returned as they are.
    """
    if isinstance(scaled, np.ndarray) and scaled.size:
        furthest = float(np.abs(scaled).max())
        if not furthest <= FURTHEST:
            row = int(np.argwhere(~(np.abs(scaled) <= FURTHEST))[0][0])
            raise ValueError(
                f"{name} has a value too far from the training rows to compute with (row {row}): "
                "correct it"
            )
    return scaled


def without_overflow(name: str, targets: Array) -> Array:
    """Return predictions, but refuse those too large to be doubles in the units of the target.

    A linear kernel extrapolates large targets to rows far away. Arrays of other libraries are
    returned as they are.
    """
    if isinstance(targets, np.ndarray) and not np.isfinite(targets).all():
        row = int(np.argwhere(~np.isfinite(targets))[0][0])
        raise ValueError(
            f"{name} has a row so far from the training rows that its prediction overflows "
            f"(row {row}): correct it"
        )
    return targets


def check_target(y: Any) -> tuple[Floats, bool]:
    """Return y as (n, p) doubles, and whether it was given as a vector."""
    array = np.asarray(y)
    plain = array.dtype == np.float64 and array.ndim == 1 and array.size
    if plain and np.abs(array).max() <= LARGEST:  # no number is NaN, infinite or too large
        return array[:, None], True
    if array.ndim not in (1, 2) or array.dtype.kind in "mM" or 0 in array.shape[1:]:
        raise ValueError(
            "y must hold one number per row, or one per output: shape (n_samples,) or "
            f"(n_samples, n_outputs), got shape {array.shape} of {array.dtype}"
        )
    if array.dtype.kind in "OUS":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            offender = next((v for v in array.ravel() if not _is_number(v)), array.ravel()[0])
            raise ValueError(
                f"y must be numeric for regression, got {str(offender)!r}: encode the target as "
                "numbers, or use a classifier for labels"
            ) from error
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: y must be real")
    array = array.astype(np.float64, copy=False)
    check_finite("y", array)
    check_size("y", array)
    return (array[:, None], True) if array.ndim == 1 else (array, False)


def check_size(name: str, values: Any, largest: float = LARGEST) -> None:
    """Refuse numbers so large that differences, or squares, of them overflow."""
    if not isinstance(values, np.ndarray) or not values.size:
        return
    if max(values.max(), -values.min()) > largest:
        large = np.abs(values) > largest
        row = int(np.argwhere(large)[0][0])
        raise ValueError(
            f"{name} contains {values[large][0]:g} (first in row {row}), too large to compute "
            f"with: divide {name} by a constant"
        )


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def check_sample_weight(sample_weight: Any, n_samples: int) -> Floats | None:
    """Return the weights as (n,) doubles; None stays None."""
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
            f"sample_weight must have one number per row: shape ({n_samples},), got {weight.shape}"
        )
    check_finite("sample_weight", weight)
    negative = np.flatnonzero(weight < 0)
    if len(negative):
        first = negative[0]
        raise ValueError(
            f"sample_weight must not be negative, got {weight[first]} for row {first}: a weight "
            "counts how often a row was seen"
        )
    largest = float(np.max(weight, initial=0.0))
    if largest > LARGEST_WEIGHT or 0.0 < largest < 1.0 / LARGEST_WEIGHT:
        raise ValueError(
            f"sample_weight is up to {largest:g}, but a weight counts how often a row was seen: "
            "multiply all weights by a constant"
        )
    if not weight.any():
        raise ValueError("sample_weight is zero for every row: there is no row to learn from")
    return weight
