"""Names of columns and categories, made safe for figures and pages; numbers along axes."""

import math
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

__all__ = ["printable", "shorten", "tick_labels"]

#: Characters that change the writing direction and could hide text.
BIDIRECTIONAL = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def printable(name: str) -> str:
    r"""Return a name on one line, with unprintable characters replaced.

    >>> printable("a\nb\x00")
    'a b�'
    """
    text = " ".join(str(name).split())
    return "".join(
        "�" if unicodedata.category(c) in _UNPRINTABLE or c in BIDIRECTIONAL else c for c in text
    )


_UNPRINTABLE = ("Cc", "Cs", "Cn")  # control, surrogate, unassigned


def shorten(name: str, max_length: int = 18) -> str:
    r"""Return a name that fits beside a figure, with $ escaped (it would begin a formula).

    >>> shorten("median income of the block group"), shorten("US$")
    ('median income of …', 'US\\$')
    """
    text = printable(name)
    text = text if len(text) <= max_length else text[: max_length - 1] + "…"
    return text.replace("$", r"\$")


#: Suffixes of large numbers along an axis.
_SUFFIXES = ((1e12, " T"), (1e9, " G"), (1e6, " M"))
#: Axes that end below this have powers of ten; decimals would be too long.
_SMALLEST_DECIMAL = 1e-3


def tick_labels(values: Sequence[float]) -> list[str]:
    """Return numbers along an axis as one writes them: no offset, no common power of ten.

    >>> tick_labels([10.25, 10.5, 10.75]), tick_labels([0, 20000]), tick_labels([0, 1.5e6, 3e6])
    (['10.25', '10.50', '10.75'], ['0', '20,000'], ['0', '1.5 M', '3.0 M'])
    >>> tick_labels([0, 2e-5, 4e-5]), tick_labels([1980, 1985])
    (['0', '2e-5', '4e-5'], ['1980', '1985'])
    """
    largest = max((abs(value) for value in values), default=0.0)
    if 0.0 < largest < _SMALLEST_DECIMAL:
        return ["0" if v == 0 else f"{v:.3g}".replace("e-0", "e-") for v in values]
    scale, suffix = next((s for s in _SUFFIXES if largest >= s[0]), (1.0, ""))
    scaled = sorted({value / scale for value in values})
    step = min((b - a for a, b in pairwise(scaled)), default=0.0)
    decimals = _decimals(step if step > 0.0 else (abs(scaled[0]) if scaled else 0.0))
    return [_tick(value / scale, decimals, suffix) for value in values]


def _decimals(step: float) -> int:
    """Return the decimals that tell numbers apart that differ by a step."""
    for decimals in range(9):
        if step == 0.0 or math.isclose(round(step, decimals), step, rel_tol=1e-3):
            return decimals
    return 9


def _tick(value: float, decimals: int, suffix: str) -> str:
    comma = "," if abs(value) >= 10_000 else ""  # four digits may be a year
    text = f"{value:{comma}.{decimals}f}".replace("-", "−")
    zero = not float(f"{value:.{decimals}f}")
    return "0" if zero else text + suffix
