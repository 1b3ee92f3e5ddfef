"""How numbers and input values are printed."""

import numpy as np

from sparsegp.plot.labels import printable
from sparsegp.report.metadata import About

__all__ = ["format_number", "format_percent", "format_value"]

#: Day numbers beyond this are no dates that a calendar can show.
LARGEST_DAY = 1e6


def format_number(value: float) -> str:
    """Return a number with four significant digits.

    >>> format_number(1234567.0), format_number(0.00012345), format_number(float("nan"))
    ('1,235,000', '0.0001234', 'not defined')
    """
    if not np.isfinite(value):
        return "not defined"
    rounded = float(f"{value:.4g}")
    return f"{rounded:,.0f}" if 1000 <= abs(rounded) < 1e9 else f"{rounded:.4g}"


def format_percent(share: float) -> str:
    """Return a fraction in percent.

    >>> format_percent(0.9537)
    '95.4 %'
    """
    return f"{100.0 * share:.1f} %" if np.isfinite(share) else "not defined"


def format_value(value: float, name: str, about: About) -> str:
    """Return the value of an input as its table has it: a category, a date or a number."""
    if name in about.levels:
        return printable(about.levels[name].get(round(value), "another"))
    if name in about.dates and abs(value) < LARGEST_DAY:
        return str(np.datetime64(0, "D") + np.timedelta64(int(np.floor(value)), "D"))
    return format_number(value)
