"""Where the search of a second part of short range begins: in what has been noise until then.

A search does not find a range that is a hundredth of the first part's: a yearly cycle in a series
of decades, say. A score test (``model.variance_component``) looks for it at several ranges, at the
cost of one evaluation and a product a range, and says how much of the noise it explains.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from sparsegp.exceptions import SparseGPError
from sparsegp.kernels.base import FIXED, Kernel
from sparsegp.learning.structure import policy
from sparsegp.learning.structure.candidates import Candidate, Sample, transformed
from sparsegp.learning.structure.kernel_families import with_short_range
from sparsegp.model.variance_component import ComponentScore, component_scores

__all__ = ["short_range_in_noise"]

Change = Callable[[Candidate, Callable[[Kernel], Kernel]], Candidate]


def short_range_in_noise(candidate: Candidate, sample: Sample, changed: Change) -> Candidate | None:
    """Return the candidate with the most significant part of short range; None without any.

    ``changed`` applies a change to the part of a candidate's kernel that was left open.
    """
    parameters = candidate.parameters
    kernel, noise = parameters.kernel, parameters.noise_variance
    if parameters.noise_bounds == FIXED:
        return None
    rows, _ = transformed(candidate, sample)

    def added(variance: float, times: float) -> Candidate:
        return changed(candidate, partial(with_short_range, variance=variance, times=times))

    K = kernel(rows.X, rows.X)
    matrices = [
        added(1.0, times).parameters.kernel(rows.X, rows.X) - K for times in policy.SHORTER_RANGES
    ]
    try:
        scores = component_scores(kernel, rows, noise, matrices)
    except SparseGPError:
        return None
    best = int(np.argmax([_deviations(score, noise) for score in scores]))
    if _deviations(scores[best], noise) < policy.SIGNIFICANT_SHORT_RANGE:
        return None
    variance = min(scores[best].step, policy.MOST_OF_NOISE * noise)
    start = added(variance, policy.SHORTER_RANGES[best])
    return replace(start, parameters=replace(start.parameters, noise_variance=noise - variance))


def _deviations(score: ComponentScore, noise: float) -> float:
    """Return how significant a range is; 0 if hardly any two rows are that close.

    If m pairs of rows are correlated, and the others not at all, the information is m/σ⁴.
    """
    return score.deviations if score.information * noise**2 >= policy.MIN_CLOSE_PAIRS else 0.0
