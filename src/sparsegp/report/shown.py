"""Numbers, values of columns and parts of the page, as they are shown."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sparsegp.plot.names import readable
from sparsegp.report.about import About

__all__ = ["Section", "Table", "cell", "number", "percent"]


@dataclass(frozen=True)
class Table:
    """Rows of texts under a head; ``more`` rows can be unfolded."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    more: Sequence[Sequence[str]] = ()


@dataclass(frozen=True)
class Section:
    """One part of the page; figures are SVG, all else is text that the template escapes."""

    title: str
    paragraphs: Sequence[str] = ()
    figures: Sequence[str] = ()
    small_figures: Sequence[str] = ()
    tables: Sequence[Table] = ()
    code: Sequence[str] = field(default=())


def number(value: float) -> str:
    """Return a number with four digits.

    >>> number(1234567.0), number(0.00012345), number(float("nan"))
    ('1,235,000', '0.0001234', 'not defined')
    """
    if not np.isfinite(value):
        return "not defined"
    rounded = float(f"{value:.4g}")
    return f"{rounded:,.0f}" if 1000 <= abs(rounded) < 1e9 else f"{rounded:.4g}"


def percent(share: float) -> str:
    """Return a share in percent.

    >>> percent(0.9537)
    '95.4 %'
    """
    return f"{100.0 * share:.1f} %" if np.isfinite(share) else "not defined"


def cell(value: float, name: str, about: About) -> str:
    """Return the value of an input as its table has it: a level, a date, a number."""
    if name in about.levels:
        return readable(about.levels[name].get(round(value), "another"))
    if name in about.dates and abs(value) < 1e6:
        return str(np.datetime64(0, "D") + np.timedelta64(int(np.floor(value)), "D"))
    return number(value)
