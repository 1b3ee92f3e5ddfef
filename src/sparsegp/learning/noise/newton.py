"""Newton's method for a function of a few numbers within limits.

A step solves with the Hessian whose eigenvalues have lost their signs, which leads downhill from
saddles too. It is cut at the limits and halved until the value falls. Numbers at a limit that the
gradient points beyond stay there. The optimum is found to rounding, so that data that differ by
rounding have optima that do; only at a kink halved steps end where they gain next to nothing.
"""

from collections.abc import Callable

import numpy as np

from sparsegp.kernels.base import Vector
from sparsegp.learning.noise import policy
from sparsegp.learning.noise.error_density import Expansion

__all__ = ["minimise"]


def minimise(
    expansion: Callable[[Vector], Expansion], start: Vector, low: Vector, high: Vector
) -> tuple[Vector, float]:
    """Return the argument of the smallest value between ``low`` and ``high``, and that value.

    ``expansion`` returns a value, its gradient (q,) and its Hessian (q, q).
    """
    at = np.clip(start, low, high)
    found = expansion(at)
    for _ in range(policy.NEWTON_STEPS):
        step, promised = _step(at, found, low, high)
        if promised <= policy.NEWTON_TOLERANCE:
            break
        before = found[0]
        at, found, shortened = _downhill(expansion, at, step, found, low, high)
        if shortened and before - found[0] <= policy.LEAST_FALL:
            break
    return at, found[0]


def _step(at: Vector, found: Expansion, low: Vector, high: Vector) -> tuple[Vector, float]:
    """Return a step, and how far the value falls by it if it is as quadratic as it seems."""
    _, gradient, hessian = found
    held = ((at <= low) & (gradient >= 0.0)) | ((at >= high) & (gradient <= 0.0))
    free = np.flatnonzero(~held)
    step = np.zeros(len(at))
    values, vectors = np.linalg.eigh(hessian[np.ix_(free, free)])
    values = np.maximum(np.abs(values), policy.SMALLEST_CURVATURE)
    along = vectors.T @ gradient[free]
    promised = 0.5 * float(np.sum(along**2 / values))
    lengths = np.clip(along / values, -policy.LONGEST_STEP, policy.LONGEST_STEP)
    step[free] = -vectors @ lengths
    return step, promised


def _downhill(
    expansion: Callable[[Vector], Expansion],
    at: Vector,
    step: Vector,
    found: Expansion,
    low: Vector,
    high: Vector,
) -> tuple[Vector, Expansion, bool]:
    """Return the first of ever shorter steps that leads downhill, and whether it is a shorter one.

    It has to fall by a share of what the slope says (Armijo's rule). Where no step does, the way is
    at its end: at a kink, or by rounding.
    """
    value, gradient, _ = found
    rounding = policy.ROUNDING_OF_LOSS * (1.0 + abs(value))
    for halvings in range(policy.MOST_HALVINGS):
        there = np.clip(at + 0.5**halvings * step, low, high)
        tried = expansion(there)
        enough = policy.SHARE_OF_FALL * min(float(gradient @ (there - at)), 0.0)
        if tried[0] <= value + enough + rounding:
            return there, tried, halvings > 0
    return at, found, True
