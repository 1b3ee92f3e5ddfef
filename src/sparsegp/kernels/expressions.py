"""Kernels as people write them: ``9.0 * RBF([8.4, 1.2]) + 0.3 * Linear(1.0)``, in one line.

Numbers have three significant figures and bounds are left out, as in scikit-learn; an expression of
plain parameters evaluates to the same kernel. Long lists of parameters are abbreviated.
"""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from sparsegp.kernels.policy import MOST_NUMBERS_SHOWN

__all__ = ["format_call", "format_number", "format_numbers"]

SIGNIFICANT_FIGURES = 3


def format_number(value: float) -> str:
    """Return a number with three significant figures, as Python writes it.

    >>> format_number(8.43721), format_number(9.0), format_number(12345.6)
    ('8.44', '9.0', '12300.0')
    """
    return repr(float(f"{value:.{SIGNIFICANT_FIGURES}g}"))


def format_numbers(value: float | Sequence[float]) -> str:
    """Return one number, or a list of them; long lists are abbreviated.

    >>> format_numbers((1.0, 2.5))
    '[1.0, 2.5]'
    >>> format_numbers((0.5,) * 20)
    '[0.5] * 20'
    >>> format_numbers(tuple(range(1, 31)))
    '[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, ..., 30.0]'
    """
    if not isinstance(value, tuple):
        return format_number(value)  # type: ignore[arg-type]
    shown = [format_number(number) for number in value]
    if len(shown) <= MOST_NUMBERS_SHOWN:
        return f"[{', '.join(shown)}]"
    if len(set(value)) == 1:
        return f"[{shown[0]}] * {len(shown)}"
    return f"[{', '.join(shown[: MOST_NUMBERS_SHOWN - 1])}, ..., {shown[-1]}]"


def format_call(kernel: Any) -> str:
    """Return a kernel as a call with its parameters, the first by position; without bounds."""
    listed = [field.name for field in fields(kernel) if field.repr]
    shown = [name for name in listed if not name.endswith("_bounds")]
    first, *others = (format_numbers(getattr(kernel, name)) for name in shown)
    named = (f"{name}={value}" for name, value in zip(shown[1:], others, strict=True))
    return f"{type(kernel).__name__}({', '.join((first, *named))})"
