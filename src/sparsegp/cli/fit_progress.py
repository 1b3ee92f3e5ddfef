"""How far a fit has come, as one share of the whole, and the time that is left.

How many phases a fit will have is not known beforehand: their number depends on what they find. A
fit passes four stages in order, though, each of which takes a typical share of its time. Within a
stage, every phase covers a part of what remains of it.
"""

from collections.abc import Callable
from time import monotonic

from sparsegp.cli.policy import PHASE_SHARE, SECONDS_BEFORE_ESTIMATE, STAGE_SHARES
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.history.progress import Progress

__all__ = ["FitProgress"]

_STRUCTURE = (Phase.STRUCTURE, Phase.TRANSFORMS, Phase.KERNEL)
_HYPERPARAMETERS = (Phase.SUBSET, Phase.CONDITIONALS, Phase.PRELIMINARY_NOISE)
_FINAL = (Phase.FINAL_PASS, Phase.FINAL_SITES, Phase.CALIBRATION, Phase.ACTIVE_POSTERIOR)


class FitProgress:
    """Turns the steps of phases into a share of the fit, which never falls.

    >>> progress = FitProgress()
    >>> progress.update(Progress("final pass", 1, 1, 0.0))
    >>> progress.share < 1.0
    True
    """

    def __init__(
        self, time_limit: float | None = None, clock: Callable[[], float] = monotonic
    ) -> None:
        self._limit, self._clock, self._start = time_limit, clock, clock()
        self._phase: str | None = None
        self._stage, self._first_stage, self._remains = 0, -1, 1.0
        self._share = 0.0

    def update(self, step: Progress) -> None:
        """Take note of a step."""
        stage = _stage_of(step.phase)
        if self._first_stage < 0:
            self._first_stage = self._stage = stage
        if stage > self._stage:
            self._stage, self._remains = stage, 1.0
        elif self._phase is not None and step.phase != self._phase:
            self._remains *= 1.0 - PHASE_SHARE
        self._phase = step.phase
        done = min(step.step / step.total, 1.0) if step.total else 0.0
        within = 1.0 - self._remains * (1.0 - PHASE_SHARE * done)
        before = sum(STAGE_SHARES[: self._stage])
        skipped = sum(STAGE_SHARES[: self._first_stage])  # e.g. no choice of a kernel
        whole = before + STAGE_SHARES[self._stage] * within
        self._share = max(self._share, (whole - skipped) / (1.0 - skipped))

    @property
    def share(self) -> float:
        """The share of the fit that is done, from 0 to 1; by the time, if that is limited."""
        by_time = 0.0 if self._limit is None else self._elapsed / self._limit
        return min(max(self._share, by_time), 1.0)

    @property
    def seconds_left(self) -> float | None:
        """A rough estimate; None as long as nothing is known."""
        known = self._elapsed >= SECONDS_BEFORE_ESTIMATE and self._share > 0.0
        left = self._elapsed * (1.0 - self._share) / self._share if known else None
        if self._limit is None:
            return left
        until_limit = max(self._limit - self._elapsed, 0.0)
        return until_limit if left is None else min(left, until_limit)

    @property
    def _elapsed(self) -> float:
        return self._clock() - self._start


def _stage_of(label: str) -> int:
    phase = Phase.of(label)
    stages = (_STRUCTURE, _HYPERPARAMETERS, (), _FINAL)
    return next((i for i, phases in enumerate(stages) if phase in phases), 2)
