"""The plain model, an RBF of standardised columns and target: nothing is left to the evidence."""

from typing import Any

__all__ = ["PLAIN"]

PLAIN: dict[str, Any] = {"kernel": None, "transform_X": "standard", "transform_y": "standard"}
