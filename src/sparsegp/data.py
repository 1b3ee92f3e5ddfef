"""Deprecated: ``open_table`` is now in ``sparsegp.tables``."""

from typing import Any
from warnings import warn

from sparsegp import tables

__all__ = ["open_table"]  # noqa: F822 - provided by __getattr__


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn(
        f"sparsegp.data.{name} is deprecated: import it from sparsegp.tables",
        DeprecationWarning,
        stacklevel=2,
    )
    return getattr(tables, name)
