"""Clocks that tell the time a test wants."""


class Clock:
    """Stands still but for the steps of a phase, of which it is told as a fit's callback."""

    def __init__(self, phase=None, seconds=0.0):
        self.now, self._phase, self._seconds = 0.0, phase, seconds

    def __call__(self):
        return self.now

    def listen(self, progress):
        if self._phase is not None and progress.phase.startswith(self._phase):
            self.now += self._seconds


class Rushing:
    """Every look at it takes a second."""

    now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


def forbidden():
    """Must not be looked at."""
    raise AssertionError("somebody looked at the clock")
