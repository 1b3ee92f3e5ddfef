"""Checks of options; every message names the option and what it may be."""

from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.kernels import Kernel

__all__ = [
    "check_bias",
    "check_integer",
    "check_moves_inputs",
    "check_option",
    "check_positive",
    "check_probabilities",
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


def check_bias(value: Any) -> float | None:
    """Return the prior mean of latent functions, None for "auto"; refuse anything else."""
    if isinstance(value, str) and value == "auto":
        return None
    number = isinstance(value, Real) and not isinstance(value, _BOOLEANS)
    if not number or not np.isfinite(float(value)):
        raise ValueError(f"bias must be 'auto' or a finite number, got {value!r}")
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


def check_moves_inputs(kernel: Kernel) -> None:
    """Refuse to optimise the inducing inputs of a kernel that has no gradient by its inputs."""
    if not kernel.moves_inputs:
        raise ValueError(
            f"refine_basis optimises inducing inputs by a gradient, which {kernel} does not have: "
            "set refine_basis=False, or use a kernel without categories"
        )
