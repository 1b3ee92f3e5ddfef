"""The noise variance alone, from moments that were collected once.

At a fixed kernel and basis the moments of all rows determine the evidence as a function of the
noise: a search over it costs no pass over the rows. It precedes the joint search, which otherwise
takes its first long step along the noise and may lose the function.

At the optimum the noise is the mean squared error over the effective number of rows
(``NoiseBalance``). Taking that for the next noise is a fixed-point step; two of them extrapolate to
the fixed point. That takes 3 to 6 evaluations, where a search by values alone takes 8 to 20.
"""

from collections.abc import Callable
from math import exp, inf, log

from sparsegp.arrays import threads_for
from sparsegp.kernels.base import FIXED
from sparsegp.learning.hyperparameters import policy
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.model.approximation import Approximation
from sparsegp.model.evidence import NoiseBalance, noise_balance
from sparsegp.model.moments import Moments, at_other_noise, least_noise

__all__ = ["likeliest_noise"]


def likeliest_noise(moments: Moments, parameters: Parameters, rule: Approximation) -> Parameters:
    """Return the parameters with the noise variance of the highest evidence.

    They are unchanged if the noise is fixed, or if the rule gives every row its own noise (FITC),
    which the moments cannot follow.
    """
    old, bounds = parameters.noise_variance, parameters.noise_bounds
    if bounds == FIXED or isinstance(bounds, str) or rule.in_noise:
        return parameters

    def balance(log_noise: float) -> NoiseBalance:
        variance = exp(log_noise)
        return noise_balance(at_other_noise(moments, old, variance), variance, rule)

    least = max(bounds[0], least_noise(moments, old))
    low, high = log(min(least, bounds[1])), log(bounds[1])
    with threads_for(moments.gram.shape[0]):
        place = _climb(balance, min(max(log(old), low), high), low, high)
    return parameters if place == log(old) else parameters.with_noise(exp(place))


def _climb(
    balance: Callable[[float], NoiseBalance], place: float, low: float, high: float
) -> float:
    """Return the best log noise between bounds that fixed-point steps from ``place`` lead to."""
    best, before = (place, -inf), None  # with the value there; with the step from there
    below, above = low, high  # the optimum lies between them
    for _ in range(policy.MAX_NOISE_EVALUATIONS):
        found = balance(place)
        best = max(best, (place, found.value), key=lambda known: known[1])
        step = _step(found)
        below, above = (place, above) if step > 0.0 else (below, place)
        wanted = place + step
        if before is not None:
            change = (step - before[1]) / (place - before[0])
            wanted = place - step / change if change < 0.0 else wanted
        if not below < wanted < above:
            wanted = 0.5 * (below + above) if low < below and above < high else wanted
        wanted = min(max(wanted, place - policy.LONGEST_STEP), place + policy.LONGEST_STEP)
        wanted = min(max(round(wanted, policy.LOG_NOISE_DECIMALS), low), high)
        if abs(wanted - place) < policy.LAST_STEP:
            break
        before, place = (place, step), wanted
    return best[0]


def _step(found: NoiseBalance) -> float:
    """Return the logarithm of the mean squared error over the noise."""
    if found.errors <= 0.0 or found.left <= 0.0:  # more weights than rows, or rounding errors
        return policy.LONGEST_STEP if found.slope > 0.0 else -policy.LONGEST_STEP
    return log(found.errors / found.left)
