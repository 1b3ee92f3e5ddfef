"""How much memory the process has used."""

import sys
from importlib.util import find_spec

__all__ = ["peak_memory"]

if find_spec("resource") is not None:
    from resource import RUSAGE_SELF, getrusage


def peak_memory() -> int | None:
    """Return the most bytes that the process held at a time; None where nobody counts them."""
    if find_spec("resource") is None:
        return None
    largest = getrusage(RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else 1024 * largest
