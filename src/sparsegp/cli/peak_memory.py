"""Peak memory of the process."""

import sys
from importlib.util import find_spec
from pathlib import Path

__all__ = ["peak_memory"]

if find_spec("resource") is not None:
    from resource import RUSAGE_SELF, getrusage

STATUS = Path("/proc/self/status")


def peak_memory() -> int | None:
    """Return the largest number of bytes the process has used; None if unknown."""
    if STATUS.exists():  # Linux, where getrusage includes the memory of the parent before exec
        for line in STATUS.read_text().splitlines():
            name, _, value = line.partition(":")
            if name == "VmHWM":
                return 1024 * int(value.split()[0])
    if find_spec("resource") is None:
        return None
    largest = getrusage(RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else 1024 * largest
