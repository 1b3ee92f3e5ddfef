"""Arrays of other libraries than NumPy: torch, CuPy, JAX, whatever follows the array API.

What the host holds is looked at as a NumPy array, without a copy. What lives on another device
stays there: the model is fitted in its library and on its device; rows to predict go there,
and answers come back to where these rows came from.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar

import array_api_compat
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_feature_names, _check_n_features

from sparsegp.arrays import Array, is_of_other_library, moved, namespace, on_host, take, to_numpy
from sparsegp.kernels import Kernel
from sparsegp.learning.structure.transform_options import TransformOptions

__all__ = [
    "answers_in_kind",
    "as_host_array",
    "check_class_options_on_device",
    "check_model_on_host",
    "check_options_on_device",
    "check_together",
    "counted_rows",
    "device_inputs",
    "device_target",
    "device_weight",
    "on_device",
]

Method = TypeVar("Method", bound=Callable[..., Any])

# Too few digits even to be read; no device computes a model in them.
TOO_SHORT = ("float16", "bfloat16")
# What is made of the data in operations of the array API alone.
COLUMNS, TARGETS = ("auto", "standard", "common", "none"), ("auto", "standard", "none")
SELECTIONS = ("log_posterior", "marginal_likelihood", "matching_pursuit", "random")


def as_host_array(name: str, x: Any) -> Any:
    """Return an array of another library as a NumPy array if the host holds its values.

    Nothing is copied, and all that works on NumPy arrays works on it, with the same results to the
    last bit. What lives on another device comes back as it is; so does everything else.
    """
    if isinstance(x, np.ndarray) or is_of_other_library(x):
        check_readable(name, x)
    return np.asarray(x) if is_of_other_library(x) and on_host(x) else x


def on_device(x: Any) -> bool:
    """Tell whether x is an array that the host does not hold.

    >>> import numpy as np
    >>> on_device(np.zeros(3)), on_device([0.0])
    (False, False)
    """
    return is_of_other_library(x) and not on_host(x)


def _place_of(x: Any) -> str:
    """Return in words where an array lives."""
    if not on_device(x):
        return "the host"
    library = namespace(x).__name__.removeprefix("array_api_compat.").split(".")[0]
    return f"{library} on {array_api_compat.device(x)}"


def check_together(X: Any, **others: Any) -> None:
    """Refuse arguments that live elsewhere than X does; None and numbers live everywhere."""
    for name, other in others.items():
        number = isinstance(other, int | float | np.generic)
        if other is not None and not number and _place_of(other) != _place_of(X):
            raise ValueError(
                f"X lives in {_place_of(X)}, but {name} in {_place_of(other)}: bring them to one "
                "library and device"
            )


def device_inputs(estimator: Any, name: str, X: Array, *, reset: bool) -> Array:
    """Return a table (n, D) of another library as float64, checked as scikit-learn would."""
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


def device_target(y: Array, n_samples: int) -> tuple[Array, bool]:
    """Return y as (n, p) floats, and whether it was given as one column."""
    y = _numbers("y", y)
    if y.ndim not in (1, 2) or 0 in y.shape[1:]:
        raise ValueError(
            "y must hold one number a row, or one for each output: shape (n_samples,) or "
            f"(n_samples, n_outputs), got shape {tuple(y.shape)}"
        )
    _check_length("y", y, n_samples)
    return (y[:, None], True) if y.ndim == 1 else (y, False)


def device_weight(sample_weight: Any, X: Array) -> Array | None:
    """Return weights beside X as (n,) floats; None stays None."""
    if sample_weight is None:
        return None
    xp = namespace(X)
    if not on_device(sample_weight):  # a number
        sample_weight = xp.full((X.shape[0],), float(sample_weight), dtype=X.dtype, device=X.device)
    weight = _numbers("sample_weight", sample_weight)
    if weight.ndim != 1:
        raise ValueError(
            f"sample_weight must have one number a row: shape ({X.shape[0]},), got "
            f"{tuple(weight.shape)}"
        )
    _check_length("sample_weight", weight, int(X.shape[0]))
    if bool(xp.any(weight < 0.0)):
        raise ValueError(
            "sample_weight must not be negative: a weight counts how often a row was seen"
        )
    if not bool(xp.any(weight > 0.0)):
        raise ValueError("sample_weight is zero for every row: no row is left to learn from")
    return weight


def counted_rows(
    X: Array, y: Array, weight: Array | None
) -> tuple[Array, Array, Array | None, NDArray[np.intp]]:
    """Return the rows of X, y and weight that have a weight, and where they stand."""
    if weight is None:
        counted = np.arange(X.shape[0])
        if on_device(X):
            return X, y, None, counted
        return X[counted], y[counted], None, counted
    counted = np.flatnonzero(to_numpy(weight))
    return take(X, counted), take(y, counted), take(weight, counted), counted


def check_options_on_device(
    estimator: Any, X: Array, wanted: TransformOptions, kernel: Kernel
) -> None:
    """Refuse what is made of the data by NumPy alone."""
    allowed = {
        "transform_X": (wanted.columns, COLUMNS),
        "transform_y": ((wanted.target,), TARGETS),
        "selection": ((estimator.selection,), SELECTIONS),
        "n_candidates": ((estimator.n_candidates,), (0,)),
        "noise": ((estimator.noise,), (None, "gaussian")),
    }
    _refuse_others(allowed, X)


def check_class_options_on_device(estimator: Any, X: Array, wanted: TransformOptions) -> None:
    """Refuse what a classifier makes of the data by NumPy alone: all but least squares."""
    allowed = {
        "transform_X": (wanted.columns, COLUMNS),
        "inference": ((estimator.inference,), ("auto", "least_squares")),
        "posterior": ((estimator.posterior,), ("projected",)),
    }
    _refuse_others(allowed, X)


def _refuse_others(allowed: Mapping[str, tuple[Sequence[Any], Sequence[Any]]], X: Array) -> None:
    """Refuse values of options that are not among those that a device can do."""
    device = array_api_compat.device(X)
    for name, (values, options) in allowed.items():
        refused = next((value for value in values if value not in options), None)
        if refused is not None:
            raise ValueError(
                f"{name}={refused!r} needs rows that the host holds, but X is on {device}: "
                f"use {', '.join(map(repr, options))}, or bring X to the host"
            )


def check_model_on_host(name: str, model: Any) -> None:
    """Refuse a model that was fitted on a device; those of streams are always on the host."""
    posteriors = getattr(getattr(model, "_fitted", None), "posteriors", (None,))
    posterior = getattr(model, "_posterior", posteriors[0])
    if on_device(getattr(posterior, "Z", None)):
        raise ValueError(
            f"{name} takes models on the host, and this one was fitted on a device: save it and "
            "load it, which brings it to the host"
        )


def answers_in_kind(method: Method) -> Method:
    """Let a method whose first argument is X answer in the library and on the device of X."""

    @wraps(method)
    def answering(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        answer = method(self, X, *args, **kwargs)
        if isinstance(answer, tuple):
            return tuple(_brought(part, X) for part in answer)
        return _brought(answer, X)

    return answering  # type: ignore[return-value]


def _brought(answer: Array, X: Any) -> Array:
    """Return an answer where the question came from."""
    if is_of_other_library(X):
        return moved(answer, like=_as_floats(X))
    return to_numpy(answer) if is_of_other_library(answer) else answer


def check_readable(name: str, x: Array) -> None:
    """Refuse what a model cannot be made of."""
    if getattr(x, "requires_grad", False):
        raise ValueError(
            f"{name} requires grad, and a model is not part of its graph: hand in {name}.detach()"
        )
    kind = _kind(x)
    if kind in TOO_SHORT:
        raise ValueError(
            f"{name} is {kind}, which has too few digits: hand it in as float32 or float64"
        )


def _numbers(name: str, x: Array) -> Array:
    """Return an array on a device as floats without NaN and infinity."""
    xp = namespace(x)
    if _kind(x).startswith("complex"):
        raise ValueError(f"Complex data not supported: {name} must be real")
    x = _as_floats(x)
    if not bool(xp.all(xp.isfinite(x))):
        _refuse_infinite(name, x)
    return x


def _kind(x: Array) -> str:
    return str(x.dtype).rsplit(".", maxsplit=1)[-1]


def _as_floats(x: Array) -> Array:
    """Return x in float64, or as it is if its device has none."""
    xp = namespace(x)
    try:
        return xp.astype(x, xp.float64, copy=False)
    except (TypeError, RuntimeError):
        return xp.astype(x, xp.float32, copy=False)


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
