"""Arrays of other libraries than NumPy: torch, CuPy, JAX, all that follow the array API.

An array in the host's memory is viewed as a NumPy array, without a copy. An array on another device
stays there: the model is fitted in its library and on its device. The checks are those of
``tables.validation``, in operations of the array API.
"""

from typing import Any

import array_api_compat
import numpy as np
from sklearn.utils.validation import _check_feature_names, _check_n_features

from sparsegp.arrays import Array, is_of_other_library, moved, namespace, on_host, to_host
from sparsegp.tables.targets import Labels, Targets, label_targets
from sparsegp.tables.validation import check_readable, dtype_name

__all__ = [
    "as_floats",
    "as_host_array",
    "check_device_inputs",
    "check_same_device",
    "device_targets",
    "has_missing",
    "on_device",
]


def as_host_array(name: str, x: Any) -> Any:
    """Return an array of another library as a NumPy array if the host holds its values.

    Nothing is copied. An array on another device is returned as it is, and so is everything else.
    """
    if isinstance(x, np.ndarray) or is_of_other_library(x):
        check_readable(name, x)
    return np.asarray(x) if is_of_other_library(x) and on_host(x) else x


def on_device(x: Any) -> bool:
    """Return whether x is an array that the host does not hold.

    >>> import numpy as np
    >>> on_device(np.zeros(3)), on_device([0.0])
    (False, False)
    """
    return is_of_other_library(x) and not on_host(x)


def check_same_device(X: Any, **others: Any) -> None:
    """Refuse arguments on another device than X; None and numbers are on every device."""
    for name, other in others.items():
        number = isinstance(other, int | float | np.generic)
        if other is not None and not number and _device_of(other) != _device_of(X):
            raise ValueError(
                f"X is in {_device_of(X)}, but {name} in {_device_of(other)}: move them to one "
                "library and device"
            )


def _device_of(x: Any) -> str:
    """Return library and device of an array in words."""
    if not on_device(x):
        return "the host's memory"
    library = namespace(x).__name__.removeprefix("array_api_compat.").split(".")[0]
    return f"{library} on {array_api_compat.device(x)}"


def check_device_inputs(estimator: Any, name: str, X: Array, *, reset: bool) -> Array:
    """Return inputs (n, D) on a device as floats, checked as scikit-learn would."""
    X = _numbers(name, X)
    if X.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {X.ndim}D array instead: {name} must have the shape "
            f"(n_samples, n_features), got {tuple(X.shape)}"
        )
    for size, what in zip(X.shape, ("sample(s)", "feature(s)"), strict=True):
        if not size:
            raise ValueError(
                f"Found array with 0 {what} (shape={tuple(X.shape)}) while a minimum of 1 is "
                f"required: {name} is empty"
            )
    _check_feature_names(estimator, X, reset=reset)
    _check_n_features(estimator, X, reset=reset)
    return X


def device_targets(X: Array, y: Any, sample_weight: Any, labels: Labels | None) -> Targets:
    """Check targets and weights beside X on a device; labels, which may be strings, on the host."""
    if labels is not None:
        y, weight = (np.asarray(to_host(x)) if on_device(x) else x for x in (y, sample_weight))
        found = label_targets(X, y, weight, labels)
        weight = None if found.weight is None else moved(found.weight, like=X)
        return Targets(moved(found.values, like=X), weight, classes=found.classes)
    values, one_target = _check_target(y, int(X.shape[0]))
    return Targets(values, _check_weight(sample_weight, X), one_target)


def _check_target(y: Array, n_samples: int) -> tuple[Array, bool]:
    """Return y as (n, p) floats, and whether it was given as a vector."""
    y = _numbers("y", y)
    if y.ndim not in (1, 2) or 0 in y.shape[1:]:
        raise ValueError(
            "y must hold one number per row, or one per output: shape (n_samples,) or "
            f"(n_samples, n_outputs), got shape {tuple(y.shape)}"
        )
    _check_length("y", y, n_samples)
    return (y[:, None], True) if y.ndim == 1 else (y, False)


def _check_weight(sample_weight: Any, X: Array) -> Array | None:
    """Return weights beside X as (n,) floats; None stays None."""
    if sample_weight is None:
        return None
    xp = namespace(X)
    if not on_device(sample_weight):  # a number
        sample_weight = xp.full((X.shape[0],), float(sample_weight), dtype=X.dtype, device=X.device)
    weight = _numbers("sample_weight", sample_weight)
    if weight.ndim != 1:
        raise ValueError(
            f"sample_weight must have one number per row: shape ({X.shape[0]},), got "
            f"{tuple(weight.shape)}"
        )
    _check_length("sample_weight", weight, int(X.shape[0]))
    if bool(xp.any(weight < 0.0)):
        raise ValueError(
            "sample_weight must not be negative: a weight counts how often a row was seen"
        )
    if not bool(xp.any(weight > 0.0)):
        raise ValueError("sample_weight is zero for every row: there is no row to learn from")
    return weight


def _numbers(name: str, x: Array) -> Array:
    """Return an array on a device as floats without NaN and infinity."""
    xp = namespace(x)
    if dtype_name(x).startswith("complex"):
        raise ValueError(f"Complex data not supported: {name} must be real")
    x = as_floats(x)
    if not bool(xp.all(xp.isfinite(x))):
        _refuse_infinite(name, x)
    return x


def as_floats(x: Array) -> Array:
    """Return x in double precision, or in single precision if its device has no other."""
    xp = namespace(x)
    try:
        return xp.astype(x, xp.float64, copy=False)
    except (TypeError, RuntimeError):
        return xp.astype(x, xp.float32, copy=False)


def has_missing(X: Array) -> bool:
    """Tell whether an array on a device has NaN, which stands for missing values."""
    xp = namespace(X)
    return bool(xp.isdtype(X.dtype, "real floating")) and bool(xp.any(xp.isnan(X)))


def _refuse_infinite(name: str, x: Array) -> None:
    xp = namespace(x)
    kind = "NaN" if bool(xp.any(xp.isnan(x))) else "inf"
    bad = ~xp.isfinite(xp.reshape(x, (x.shape[0], -1)))
    row = int(xp.argmax(xp.astype(xp.any(bad, axis=1), xp.int8)))
    raise ValueError(
        f"{name} contains {kind} (first in row {row}): remove these rows or fill them in"
    )


def _check_length(name: str, x: Array, n_samples: int) -> None:
    if x.shape[0] != n_samples:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"X has {n_samples} rows, {name} {x.shape[0]}"
        )
