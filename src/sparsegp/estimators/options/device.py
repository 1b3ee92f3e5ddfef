"""Options that arrays on a device allow; a model on a device that only the host can use."""

from collections.abc import Mapping, Sequence
from typing import Any

from sparsegp.learning.structure.transform_options import TransformOptions
from sparsegp.tables.sources.device import on_device
from sparsegp.tables.table import Table

__all__ = ["check_class_options_on_device", "check_model_on_host"]

# What is implemented in operations of the array API alone.
COLUMNS = ("auto", "standard", "common", "none", "quantile", "log")


def check_class_options_on_device(estimator: Any, table: Table, options: TransformOptions) -> None:
    """Refuse options of a classifier that need NumPy: on a device inference is by least squares."""
    allowed = {
        "transform_X": (options.columns, COLUMNS),
        "inference": ((estimator.inference,), ("auto", "least_squares")),
        "posterior": ((estimator.posterior,), ("projected",)),
        "bias": ((estimator.bias,), ("auto",)),
    }
    _refuse_others(allowed, table)


def _refuse_others(
    allowed: Mapping[str, tuple[Sequence[Any], Sequence[Any]]], table: Table
) -> None:
    """Refuse values of options that are not among those that a device allows."""
    if table.on_host:
        return
    for name, (values, options) in allowed.items():
        refused = next((value for value in values if value not in options), None)
        if refused is not None:
            raise ValueError(
                f"{name}={refused!r} needs rows in the host's memory, but X is on a device: use "
                f"{', '.join(map(repr, options))}, or move X to the host"
            )


def check_model_on_host(name: str, model: Any) -> None:
    """Refuse a model that was fitted on a device; those of streams are always on the host."""
    posteriors = getattr(getattr(model, "_fitted", None), "posteriors", (None,))
    posterior = getattr(model, "_posterior", posteriors[0])
    if on_device(getattr(posterior, "Z", None)):
        raise ValueError(
            f"{name} needs a model on the host, and this one was fitted on a device: save it and "
            "load it, which brings it to the host"
        )
