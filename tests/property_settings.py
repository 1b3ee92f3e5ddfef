"""How many cases a property test draws, in either profile of hypothesis."""

import os

from hypothesis import settings

__all__ = ["PROFILE", "cases"]

#: ``ci`` repeats the same cases; ``explore`` draws new ones, ten times as many.
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
_SHARE = {"ci": 0.5, "explore": 5.0}[PROFILE]
_FEWEST = 3


def cases(n, **options):
    """Return settings of half of n cases in profile ``ci`` and of five times n in ``explore``."""
    return settings(max_examples=max(round(_SHARE * n), _FEWEST), **options)
