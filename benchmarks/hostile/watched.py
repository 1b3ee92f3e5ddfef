"""Runs one case at a time, and prints what should not happen: errors, hangs, memory, NaN."""

import signal
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import Any

import numpy as np

__all__ = ["Finding", "Trial", "is_finite"]

#: A case that takes longer has hung; small tables and files take a second at most. On a machine
#: that others use, too, it may take several times as long by the clock.
SECONDS_PER_CASE = 30
PATIENCE = 10
#: Memory that one case may take beyond what the process had.
BYTES_PER_CASE = 600 * 2**20
#: Linux resets the peak of a process on request.
RESET_OF_PEAK, PEAK = Path("/proc/self/clear_refs"), Path("/proc/self/status")


class _TooLongError(BaseException):
    """Raised by the alarm; no ``except Exception`` swallows it."""


@dataclass(frozen=True)
class Finding:
    """What went wrong in a case."""

    part: str  # of the trial
    number: int  # of the case
    case: str  # in words
    problem: str

    def __str__(self) -> str:
        return f"{self.part} {self.number} ({self.case}): {self.problem}"


@dataclass
class Trial:
    """The cases of one part of the trial, counted, with their findings."""

    part: str
    seconds_per_case: float = SECONDS_PER_CASE
    findings: list[Finding] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    _peak: int | None = None  # of memory, when it was last reset

    def run(self, number: int, case: str, check: Callable[[], str]) -> None:
        """Run a case: ``check`` returns the outcome in a word, or raises."""
        start = perf_counter()
        if self._peak is None:
            self._peak = _reset_peak()
        try:
            with _alarm(self.seconds_per_case), _silence():
                outcome = check()
        except _TooLongError:
            outcome = self._find(number, case, f"longer than {self.seconds_per_case:g} s")
        except Exception as error:  # any error that the check does not expect is a finding
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(where.filename).name}:{where.lineno}"
            message = " ".join(str(error).split())[:200]
            outcome = self._find(number, case, f"{type(error).__name__} at {place}: {message}")
        if self._peak is not None and (taken := _peak() - self._peak) > BYTES_PER_CASE:
            self._find(number, case, f"took {taken / 2**20:,.0f} MiB")
            self._peak = None
        self.outcomes[outcome] += 1
        self.seconds += perf_counter() - start

    def _find(self, number: int, case: str, problem: str) -> str:
        self.findings.append(Finding(self.part, number, case, problem))
        print(self.findings[-1], flush=True)
        return "finding"

    def __str__(self) -> str:
        counts = ", ".join(f"{count:,} {name}" for name, count in sorted(self.outcomes.items()))
        return f"{self.part}: {counts or 'no cases'}; {self.seconds:.0f} s"


def is_finite(values: Any) -> bool:
    """Tell whether predictions are finite numbers, or labels."""
    array = np.asarray(values)
    return array.dtype.kind not in "fc" or bool(np.all(np.isfinite(array)))


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raise in the main thread when the time is over."""

    def ring(_: int, __: FrameType | None) -> None:
        raise _TooLongError

    if not hasattr(signal, "setitimer"):
        yield
        return
    # seconds of the processor, as others may use it, too; and of the clock, for what only waits
    timers = {signal.ITIMER_PROF: signal.SIGPROF, signal.ITIMER_REAL: signal.SIGALRM}
    previous = {number: signal.signal(number, ring) for number in timers.values()}
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE * seconds)
    try:
        yield
    finally:
        for timer, number in timers.items():
            signal.setitimer(timer, 0.0)
            signal.signal(number, previous[number])


@contextmanager
def _silence() -> Iterator[None]:
    """Warnings are advice, not findings."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def _reset_peak() -> int | None:
    """Return the memory of the process in bytes, and let its peak begin there; None if unknown."""
    try:
        RESET_OF_PEAK.write_text("5")
        return _peak()
    except OSError:
        return None


def _peak() -> int:
    line = next(line for line in PEAK.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024
