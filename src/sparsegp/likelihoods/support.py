"""Checks of targets: real numbers, counts, labels."""

import numpy as np

from sparsegp.arrays import Array

__all__ = ["check_counts", "check_labels", "check_real"]


def _raise_if(y: Array, bad: Array, expected: str) -> None:
    if np.any(bad):
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(f"y must hold {expected}, got {np.ravel(y)[row]} in row {row}")


def check_real(y: Array, expected: str = "finite numbers") -> None:
    """Raise a ValueError for a target that is not a finite number.

    >>> check_real(np.array([1.0, np.inf]))
    Traceback (most recent call last):
        ...
    ValueError: y must hold finite numbers, got inf in row 1
    """
    finite = np.isfinite(y)
    if not finite.all():
        _raise_if(y, ~np.ravel(finite), expected)


def check_counts(y: Array) -> None:
    """Raise a ValueError for a target that is not a natural number or zero.

    >>> check_counts(np.array([3.0, 1.5]))
    Traceback (most recent call last):
        ...
    ValueError: y must hold counts 0, 1, 2, …, got 1.5 in row 1
    """
    values = np.ravel(y)
    check_real(y, "counts 0, 1, 2, …")
    _raise_if(y, (values < 0.0) | (values != np.floor(values)), "counts 0, 1, 2, …")


def check_labels(y: Array) -> None:
    """Raise a ValueError for a target that is not −1 or 1."""
    _raise_if(y, np.abs(np.ravel(y)) != 1.0, "labels −1 and 1")
