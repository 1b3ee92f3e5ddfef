"""How many cases a property test draws, in either profile of hypothesis."""

import os

from hypothesis import settings

__all__ = ["PROFILE", "cases"]

#: ``ci`` repeats the same cases; ``explore`` draws new ones.
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
_TIMES_MORE = {"ci": 1, "explore": 5}[PROFILE]


def cases(n, **options):
    """Return settings of n cases in profile ``ci`` and of several times as many in ``explore``."""
    return settings(max_examples=_TIMES_MORE * n, **options)
