"""The kernel family and the range of length scales, at the resolution of the whole table.

Subsets of a few thousand rows hardly distinguish a rough function from noise, and take one that is
finer than the distance of their rows for noise altogether. So what they found is compared, by
conditional densities, with the Matern kernels, if the kernel is open, and with a start from short
length scales. Each climbs for a while, and the best one goes on; a close second goes on too, and
the whole model decides (``choose.best_of``).
"""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from sparsegp.arrays import n_threads, parallel_map
from sparsegp.kernels.auto import fill_placeholder, placeholder_part
from sparsegp.kernels.base import Kernel
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.conditional_climb import (
    ClimbState,
    ConditionalClimb,
    Segment,
)
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.policy import SEGMENTS
from sparsegp.learning.neighbours import policy
from sparsegp.learning.structure.kernel_families import ROUGH_FAMILIES, with_first_part

__all__ = ["Learned", "learn_family"]

AS_CHOSEN, SHORT = "as chosen", "short length scales"
#: The family that starts from short length scales.
FAMILY_OF_SHORT = "Matern 3/2"


@dataclass(frozen=True)
class Learned:
    """Hyperparameters, and the family of the kernel; None: as it was chosen or given."""

    parameters: Parameters
    family: str | None
    of_subsets: Parameters  # where it started
    name: str = ""  # of the climb
    n_steps: int = 0


@dataclass(frozen=True)
class _Candidate:
    """Where a climb starts."""

    parameters: Parameters
    segment: Segment
    family: str | None = None


def learn_family(
    climb: ConditionalClimb,
    found: Parameters,
    start: Parameters,
    template: Kernel | None,
    context: FitContext,
) -> list[Learned]:
    """Return the hyperparameters of the best climb, and of a second one that is close.

    ``found`` is the optimum of subsets, ``start`` where their search began. With no open template
    the family stays.
    """
    candidates = _candidates(climb, found, start, template)

    def climbed(name: str) -> tuple[str, ClimbState, float]:
        candidate = candidates[name]
        state = climb.climb(ClimbState.at(candidate.parameters), candidate.segment, name)
        return name, state, climb.compare(state.parameters)

    def finished(name: str) -> Learned:
        state = states[name]
        for begin, end in pairwise(SEGMENTS):
            if state.step == begin:  # else there was no time left
                state = climb.climb(state, climb.segment(begin, end, state.parameters), name)
        return Learned(state.parameters, candidates[name].family, found, name, state.step)

    compared = parallel_map(climbed, list(candidates), n_threads())
    states = {name: state for name, state, _ in compared}
    densities = {name: density for name, _, density in compared}
    order = sorted(densities, key=lambda name: -densities[name])
    ahead = [n for n in order if densities[n] >= densities[order[0]] - policy.CLOSE_SECOND]
    learned = parallel_map(finished, ahead[: policy.MAX_AHEAD], n_threads())
    context.history.note(
        Phase.CONDITIONALS,
        family=learned[0].name,
        log_density=densities,
        n_steps=learned[0].n_steps,
        noise_variance=learned[0].parameters.noise_variance,
    )
    return learned


def _candidates(
    climb: ConditionalClimb, found: Parameters, start: Parameters, template: Kernel | None
) -> dict[str, _Candidate]:
    steps = SEGMENTS[0]
    first = climb.segment(0, steps, found)  # families have the same length scales
    candidates = {AS_CHOSEN: _Candidate(found, first)}
    if template is not None:
        for name in ROUGH_FAMILIES:
            other = _of_family(found, name, template)
            if other.kernel != found.kernel:
                candidates[name] = _Candidate(other, first, name)
        start = _of_family(start, FAMILY_OF_SHORT, template)
    short = _shortened(start)
    if short is not None:
        own = climb.segment(0, steps, short)
        family = None if template is None else FAMILY_OF_SHORT
        candidates[SHORT] = _Candidate(short, own, family)
    return candidates


def _of_family(parameters: Parameters, name: str, template: Kernel) -> Parameters:
    """Return the parameters with another family in the placeholder of the template."""
    part = with_first_part(placeholder_part(template, parameters.kernel), ROUGH_FAMILIES[name])
    return replace(parameters, kernel=fill_placeholder(template, part))


def _shortened(parameters: Parameters) -> Parameters | None:
    """Return the parameters with short length scales; None if columns have none of their own."""
    kernel = parameters.kernel
    positions = [i for part in kernel.length_scale_positions for i in part]
    if not positions:
        return None
    theta, low = np.array(kernel.theta), kernel.bounds[positions, 0]
    theta[positions] = np.maximum(theta[positions] - np.log(policy.TIMES_SHORTER), low)
    return replace(parameters, kernel=kernel.with_theta(theta))
