"""How much memory the process has used."""

import sys
from importlib.util import find_spec
from pathlib import Path

__all__ = ["peak_memory"]

if find_spec("resource") is not None:
    from resource import RUSAGE_SELF, getrusage

STATUS = Path("/proc/self/status")


def peak_memory() -> int | None:
    """Return the most bytes that the process held at a time; None where nobody counts them."""
    if STATUS.exists():  # Linux; its getrusage also counts what a parent held before the start
        for line in STATUS.read_text().splitlines():
            name, _, value = line.partition(":")
            if name == "VmHWM":
                return 1024 * int(value.split()[0])
    if find_spec("resource") is None:
        return None
    largest = getrusage(RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else 1024 * largest
