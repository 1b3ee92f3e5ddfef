"""Runs one case at a time, and prints what should not happen: errors, hangs, memory, NaN.

What was done so far can be kept in a file: a trial that is started again goes on from there, the
cases with findings first.
"""

import json
import signal
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import Any

import numpy as np

from sparsegp.files.atomic import write_atomically

__all__ = ["PARTS", "Finding", "Trial", "is_finite"]

#: The second number that the cases of a part are drawn from, after the seed.
PARTS = {"file": 1, "table": 2, "command": 3, "threads": 4, "stream": 5}
#: A case that takes longer has hung; small tables and files take a second at most. On a machine
#: that others use, too, it may take several times as long by the clock.
SECONDS_PER_CASE = 30
PATIENCE = 10
#: How often the file about what was done is written.
SECONDS_PER_RECORD = 5.0
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
    n_cases: int
    seed: int = 0
    only: int | None = None  # the number of one case
    record: Path | None = None  # the file that knows what was done
    seconds_per_case: float = SECONDS_PER_CASE
    findings: list[Finding] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    n_done: int = 0
    _peak: int | None = None  # of memory, when it was last reset
    _written: float = 0.0  # when the record was

    def numbers(self) -> Iterator[int]:
        """Yield the numbers of the cases to run."""
        if self.only is not None:
            yield self.only
            return
        self._read()
        again, self.findings = self.findings, []
        self.outcomes -= Counter(finding=len(again))
        for number in sorted({finding.number for finding in again}):
            yield number
        for number in range(self.n_done, self.n_cases):
            yield number
            self.n_done = number + 1
            if perf_counter() - self._written > SECONDS_PER_RECORD:
                self._write()
        self._write()

    def rng(self, number: int) -> np.random.Generator:
        """Return the random numbers of a case, which depend on seed, part and number alone."""
        return np.random.default_rng((self.seed, PARTS[self.part], number))

    def _read(self) -> None:
        if self.record is None or not self.record.exists():
            return
        known = json.loads(self.record.read_text())
        if known["seed"] != self.seed:
            raise ValueError(f"{self.record} is a record of seed {known['seed']}")
        self.findings = [Finding(**finding) for finding in known["findings"]]
        self.outcomes = Counter(known["outcomes"])
        self.seconds, self.n_done = known["seconds"], known["n_done"]

    def _write(self) -> None:
        self._written = perf_counter()
        if self.record is None:
            return
        known = {
            "seed": self.seed,
            "n_done": self.n_done,
            "seconds": self.seconds,
            "outcomes": dict(self.outcomes),
            "findings": [asdict(finding) for finding in self.findings],
        }
        write_atomically(self.record, json.dumps(known, indent=1).encode())

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
