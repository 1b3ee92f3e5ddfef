"""How numbers and input values are printed."""

import numpy as np

from sparsegp.plot.labels import printable
from sparsegp.report.metadata import About

__all__ = ["format_number", "format_percent", "format_value"]

#: Day numbers beyond this are no dates that a calendar can show.
LARGEST_DAY = 1e6
#: Numbers outside of this range are written with a power of ten.
PLAIN_RANGE = 1e-4, 1e9
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def format_number(value: float, digits: int = 4) -> str:
    """Return a number with some significant digits.

    >>> format_number(1234567.0), format_number(0.00012345), format_number(float("nan"))
    ('1,235,000', '0.0001234', 'not defined')
    >>> format_number(3.0891e-6, 2), format_number(0.0), format_number(-2.5e12)
    ('3.1 × 10⁻⁶', '0', '-2.5 × 10¹²')
    >>> format_number(1979.0)  # four digits may be a year
    '1979'
    """
    if not np.isfinite(value):
        return "not defined"
    rounded = float(f"{value:.{digits}g}")
    if rounded and not PLAIN_RANGE[0] <= abs(rounded) < PLAIN_RANGE[1]:
        mantissa, exponent = f"{rounded:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return f"{mantissa} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    if abs(rounded) >= 10_000:
        return f"{rounded:,.0f}"
    return f"{rounded:.0f}" if abs(rounded) >= 1000 else f"{rounded:.{digits}g}"


def format_percent(share: float) -> str:
    """Return a fraction in percent.

    >>> format_percent(0.9537), format_percent(1.0)
    ('95.4 %', '100 %')
    """
    if not np.isfinite(share):
        return "not defined"
    return f"{100.0 * share:.0f} %" if share in (0.0, 1.0) else f"{100.0 * share:.1f} %"


def format_value(value: float, name: str, about: About) -> str:
    """Return the value of an input as its table has it: a category, a date or a number."""
    if name in about.levels:
        return printable(about.levels[name].get(round(value), "another"))
    if name in about.dates and abs(value) < LARGEST_DAY:
        return format_date(value)
    return format_number(value)


def format_date(day: float) -> str:
    """Return a number of days since 1970 as a date, with the time unless it is midnight.

    >>> format_date(19000.0), format_date(19000.75)
    ('2022-01-08', '2022-01-08 18:00')
    """
    minutes = round(day * 24 * 60)
    text = str(np.datetime64(minutes, "m")).replace("T", " ")
    return text.removesuffix(" 00:00")
