"""The noise variance alone, from moments that were collected once.

At a fixed kernel and basis the moments of all rows hold the evidence as a function of the
noise: a search over it costs no pass over the rows. It comes before the joint search,
which otherwise takes its first long step along the noise and may lose the function.
"""

from collections.abc import Callable
from math import exp, log

from scipy.optimize import OptimizeResult, minimize_scalar

from sparsegp.arrays import threads_for
from sparsegp.kernels.base import FIXED
from sparsegp.learning.parameters import Parameters
from sparsegp.model.approximation import Approximation
from sparsegp.model.evidence import evidence_of_moments
from sparsegp.model.moments import Moments, at_other_noise, least_noise

__all__ = ["likeliest_noise"]

# The evidence is flat at its top: a noise known to a tenth is known well enough.
LOG_TOLERANCE = 0.1
# It is looked for nearby first: that takes 7 evaluations where the whole range takes 12.
LOG_NEARBY = 1.5


def likeliest_noise(moments: Moments, parameters: Parameters, rule: Approximation) -> Parameters:
    """Return the parameters with the noise variance of the highest evidence.

    They come back as they are if the noise is fixed, or if the rule gives every row a noise
    of its own (FITC), which the moments cannot follow.
    """
    old, bounds = parameters.noise_variance, parameters.noise_bounds
    if bounds == FIXED or isinstance(bounds, str) or rule.in_noise:
        return parameters

    def minus_evidence(log_noise: float) -> float:
        variance = exp(log_noise)
        return -evidence_of_moments(at_other_noise(moments, old, variance), variance, rule)

    least = max(bounds[0], least_noise(moments, old))
    low, high = log(min(least, bounds[1])), log(bounds[1])
    here = min(max(log(old), low), high)
    nearby = max(low, here - LOG_NEARBY), min(high, here + LOG_NEARBY)
    with threads_for(moments.gram.shape[0]):
        found = _lowest(minus_evidence, *nearby)
        if min(abs(found.x - end) for end in nearby) < 2.0 * LOG_TOLERANCE:
            found = min(found, _lowest(minus_evidence, low, high), key=lambda result: result.fun)
        if found.fun >= minus_evidence(log(old)):
            return parameters  # the search may end just below the top it started from
    return parameters.with_noise(exp(found.x))


def _lowest(function: Callable[[float], float], low: float, high: float) -> OptimizeResult:
    return minimize_scalar(
        function, bounds=(low, high), method="bounded", options={"xatol": LOG_TOLERANCE}
    )
