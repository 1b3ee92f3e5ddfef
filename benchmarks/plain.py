"""Options of the plain model: an RBF kernel, columns and target standardised, nothing chosen."""

from typing import Any

__all__ = ["PLAIN"]

PLAIN: dict[str, Any] = {"kernel": None, "transform_X": "standard", "transform_y": "standard"}
