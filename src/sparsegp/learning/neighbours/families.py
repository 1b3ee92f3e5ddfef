"""The kernel family and the range of length scales, at the resolution of the whole table.

Subsets of a few thousand rows hardly distinguish a rough function from noise, and take one that is
finer than the distance of their rows for noise altogether. So what they found is compared, by
conditional densities, with the Matern kernels, if the kernel is open, and with a start from short
length scales in the family that climbed best. Each climbs for a while, and the best one goes on; a
close second goes on too, and the whole model decides (``choose.best_of``).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from sparsegp.arrays import n_threads, parallel_map
from sparsegp.kernels.auto import placeholder_part, with_placeholder_part
from sparsegp.kernels.base import Kernel
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.conditional_climb import (
    ClimbState,
    ConditionalClimb,
)
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.policy import SEGMENTS
from sparsegp.learning.neighbours import policy
from sparsegp.learning.structure.kernel_families import ROUGH_FAMILIES, with_first_part

__all__ = ["Learned", "learn_family"]

AS_CHOSEN, SHORT = "as chosen", "short length scales"


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
    family: str | None = None


_Climbed = tuple[str, ClimbState, float]  # and the density that it has reached


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
    candidates = _candidates(found, template)
    first = climb.segment(0, SEGMENTS[0], found)  # families have the same length scales
    race = context.budget.part(policy.SHARE_OF_RACE)

    def climbed(name: str) -> _Climbed:
        candidate = candidates[name].parameters
        own = climb.segment(0, SEGMENTS[0], candidate) if name == SHORT else first
        state = climb.climb(ClimbState.at(candidate), own, name, race)
        return name, state, climb.compare(state.parameters)

    def finished(name: str) -> Learned:
        state = states[name]
        for begin, end in pairwise(SEGMENTS):
            if state.step <= begin and context.budget.has():
                state = climb.climb(state, climb.segment(state.step, end, state.parameters), name)
        return Learned(state.parameters, candidates[name].family, found, name, state.step)

    compared, seconds = _within(race, climbed, list(candidates))
    best, _, _ = max(compared, key=lambda one: one[2])
    short = _shortened(start, candidates[best].family, template)
    if short is not None:
        candidates[SHORT] = short
        if race.has(seconds):
            compared.append(climbed(SHORT))
    if len(compared) < len(candidates):
        race.cut(Phase.CONDITIONALS, f"{len(compared)} of {len(candidates)} starts")
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


def _within(
    budget: TimeBudget, climbed: Callable[[str], _Climbed], names: Sequence[str]
) -> tuple[list[_Climbed], float]:
    """Return the climbs that there is time for, at least the first ones, and seconds of the last.

    As many run at once as there are threads; the next ones are expected to take as long.
    """
    if not budget.limited:
        return parallel_map(climbed, names, n_threads()), 0.0
    found: list[_Climbed] = []
    seconds = 0.0
    while len(found) < len(names) and (not found or budget.has(seconds)):
        before = budget.left()
        found += parallel_map(climbed, names[len(found) :][: n_threads()], n_threads())
        seconds = before - budget.left()
    return found, seconds


def _candidates(found: Parameters, template: Kernel | None) -> dict[str, _Candidate]:
    """Return where climbs start, the likeliest to win first."""
    candidates = {AS_CHOSEN: _Candidate(found)}
    if template is not None:
        for name in ROUGH_FAMILIES:
            other = _of_family(found, name, template)
            if other.kernel != found.kernel:
                candidates[name] = _Candidate(other, name)
    return candidates


def _of_family(parameters: Parameters, name: str, template: Kernel) -> Parameters:
    """Return the parameters with another family in the placeholder of the template."""
    part = with_first_part(placeholder_part(template, parameters.kernel), ROUGH_FAMILIES[name])
    kernel = with_placeholder_part(template, parameters.kernel, part)
    return replace(parameters, kernel=kernel)


def _shortened(start: Parameters, family: str | None, template: Kernel | None) -> _Candidate | None:
    """Return a start of short length scales; None if columns have none of their own.

    ``family`` replaces that of the kernel, if it was left open and another one climbs better.
    """
    if family is not None and template is not None:
        start = _of_family(start, family, template)
    kernel = start.kernel
    positions = [i for part in kernel.length_scale_positions for i in part]
    if not positions:
        return None
    theta, low = np.array(kernel.theta), kernel.bounds[positions, 0]
    theta[positions] = np.maximum(theta[positions] - np.log(policy.TIMES_SHORTER), low)
    return _Candidate(replace(start, kernel=kernel.with_theta(theta)), family)
