"""The inputs that the page speaks of: columns of the model, a periodic part of a date as one.

Sine and cosine of the hour of day are two columns to the model, but one input to the reader: its
effect is drawn from 0 to 24 hours, and both columns change together where its share is measured.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparsegp.report.report_data import ReportData
from sparsegp.tables.encoding.dates import PERIODS, periodic_part

__all__ = ["Clock", "Input", "inputs_of", "shares_of_columns"]

Floats = npt.NDArray[np.float64]

WAVES = ("sin", "cos")
DAYS_OF_WEEK = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
#: Days from the beginning of 1970, a Thursday, to its first Monday.
FIRST_MONDAY = 4.0


@dataclass(frozen=True)
class Clock:
    """How the phase of a period is told to a reader."""

    part: str  # a key of PERIODS
    origin: float  # in days since 1970, where the axis begins
    n_ticks: int
    label: Callable[[float], str]  # of a share of the period

    def values(self, phases: Floats) -> Floats:
        """Return sine and cosine (g, 2) of shares of the period (g,)."""
        days = self.origin + phases * PERIODS[self.part]
        return np.column_stack([periodic_part(days, self.part, wave) for wave in WAVES])

    @property
    def ticks(self) -> Floats:
        """Where the axis has labels, as shares of the period."""
        return np.arange(self.n_ticks) / self.n_ticks


def _month_and_day(phase: float) -> str:
    day = np.datetime64("1970-01-01") + int(phase % 1.0 * PERIODS["day of year"])
    return f"{int(str(day)[8:])} {MONTHS[int(str(day)[5:7]) - 1]}"


CLOCKS = {
    clock.part: clock
    for clock in (
        Clock("hour of day", 0.0, 4, lambda phase: f"{24 * phase:02.0f}:00"),
        Clock(
            "day of week", FIRST_MONDAY, 7, lambda phase: DAYS_OF_WEEK[int(7 * phase + 1e-9) % 7]
        ),
        Clock("day of year", 0.0, 4, _month_and_day),
    )
}


@dataclass(frozen=True)
class Input:
    """A column of the model, or the two of a periodic part."""

    name: str
    columns: tuple[int, ...]  # of a periodic part the sine, then the cosine
    clock: Clock | None = None


def inputs_of(data: ReportData) -> list[Input]:
    """Return the inputs in the order of their columns; the metadata tell periodic parts."""
    columns: dict[tuple[str, str], list[int]] = {}
    for j, feature in enumerate(data.names):
        columns.setdefault(data.about.periodic.get(feature, (feature, "")), []).append(j)
    return [
        Input(name, tuple(places), CLOCKS.get(part)) for (name, part), places in columns.items()
    ]


def shares_of_columns(inputs: Sequence[Input], shares: Floats) -> Floats:
    """Return for each column of the model the share of its input: (D,)."""
    found = np.zeros(sum(len(each.columns) for each in inputs))
    for each, share in zip(inputs, shares, strict=True):
        found[list(each.columns)] = share
    return found
