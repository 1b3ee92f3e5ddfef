"""A model on a device that only the host can use."""

from typing import Any

from sparsegp.tables.sources.device import on_device

__all__ = ["check_model_on_host"]


def check_model_on_host(name: str, model: Any) -> None:
    """Refuse a model that was fitted on a device; those of streams are always on the host."""
    posteriors = getattr(getattr(model, "_fitted", None), "posteriors", (None,))
    posterior = getattr(model, "_posterior", posteriors[0])
    if on_device(getattr(posterior, "Z", None)):
        raise ValueError(
            f"{name} needs a model on the host, and this one was fitted on a device: save it and "
            "load it, which brings it to the host"
        )
