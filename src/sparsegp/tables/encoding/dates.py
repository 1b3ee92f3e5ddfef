"""Periodic parts of dates: hour of day, day of week, day of year.

A part is two inputs, sine and cosine of the phase: a stationary kernel on both is a periodic
kernel of the date, and ordinary in all else. It exists only if the rows support it: they cover the
period twice and hold several of its phases, which daily dates do not for the hours of a day.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from sparsegp.tables.encoding.policy import MIN_PERIODS, MIN_PHASES

__all__ = ["PERIODS", "periodic_part", "supported_periods"]

Floats = npt.NDArray[np.float64]

#: Periods in days, and the number of phases that are told apart.
PERIODS: Final = {"hour of day": 1.0, "day of week": 7.0, "day of year": 365.2425}
_PHASES: Final = {"hour of day": 24, "day of week": 7, "day of year": 12}


def supported_periods(days: Floats) -> list[str]:
    """Return the periods that dates (n,) in days since 1970 cover; NaN is a missing date.

    >>> supported_periods(np.arange(0.0, 900.0, 1.0))
    ['day of week', 'day of year']
    >>> supported_periods(np.arange(0.0, 10.0, 0.25))
    ['hour of day']
    """
    known = days[~np.isnan(days)]
    if not len(known):
        return []
    return [
        part
        for part, period in PERIODS.items()
        if np.ptp(known) >= MIN_PERIODS * period and _n_phases(known, part) >= MIN_PHASES
    ]


def _n_phases(days: Floats, part: str) -> int:
    share = days / PERIODS[part] % 1.0
    return len(np.unique(np.floor(share * _PHASES[part] + 1e-9) % _PHASES[part]))


def periodic_part(days: Floats, part: str, wave: str) -> Floats:
    """Return sine or cosine of dates in a period (n,); 0 where a date is missing.

    >>> periodic_part(np.array([0.25, np.nan]), "hour of day", "sin").round(3)
    array([1., 0.])
    """
    angle = 2.0 * np.pi * (days / PERIODS[part] % 1.0)
    values = np.sin(angle) if wave == "sin" else np.cos(angle)
    return np.where(np.isnan(values), 0.0, values)
