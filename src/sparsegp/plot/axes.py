"""Axes of their own for figures that are drawn without any, and what can be drawn from a model."""

from typing import Any

__all__ = ["is_model", "or_new_axes"]


def or_new_axes(ax: Any) -> Any:
    """Return the axes that were given, or those of a new figure."""
    if ax is not None:
        return ax
    from sparsegp.plot.figure import new_axes  # noqa: PLC0415  (needs matplotlib)

    return new_axes()


def is_model(given: Any) -> bool:
    """Tell a fitted estimator from arrays."""
    return hasattr(given, "predict")
