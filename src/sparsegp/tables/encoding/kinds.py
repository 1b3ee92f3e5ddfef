"""What a column may be, and what an input of the model may be."""

from typing import Final

__all__ = [
    "BOOLEAN",
    "CATEGORY",
    "DATE",
    "KINDS",
    "MISSING_INDICATOR",
    "NESTED",
    "NUMBER",
    "ORDERED",
    "PERIODIC",
]

NUMBER, BOOLEAN, DATE, CATEGORY, ORDERED = "number", "boolean", "date", "category", "ordered"
#: Lists and structures, which no input is made of.
NESTED = "nested"
#: Whether another column is missing; sine or cosine of a date in a period.
MISSING_INDICATOR, PERIODIC = "missing", "periodic"
#: Kinds of inputs.
KINDS: Final = (NUMBER, BOOLEAN, DATE, CATEGORY, ORDERED, MISSING_INDICATOR, PERIODIC)
