"""Versions of a table, columns or target transformed otherwise, compared at its full resolution.

A subset of a few thousand rows is a sparse cloud: warps that help there may blur what close rows
know of each other, and the other way round. So each version climbs the density of rows given their
nearest neighbours (``hyperparameters.conditional_climb``) for a while, and the highest one wins.
Densities are of targets before they are warped: log p(y) = log p(z) + log dz/dy.
"""

from collections.abc import Mapping

import numpy as np

from sparsegp.arrays import n_threads, parallel_map
from sparsegp.kernels.base import Vector
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.conditional_climb import (
    ClimbState,
    ConditionalClimb,
    distinct_positions,
)
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.policy import SEGMENTS
from sparsegp.learning.structure.candidates import Candidate, Sample, transformed
from sparsegp.learning.structure.target_warps import WarpedTarget

__all__ = ["Version", "likeliest_version"]

#: Where a climb starts, with its warps, and the rows as they are before these.
Version = tuple[Candidate, Sample]


def likeliest_version(
    versions: Mapping[str, Version], context: FitContext
) -> tuple[str, Parameters]:
    """Return the version, by its name, in which rows tell most of each other.

    The hyperparameters that it has climbed to come with it.
    """
    if len(versions) == 1:
        [(name, (candidate, _))] = versions.items()
        return name, candidate.parameters
    seed, quiet = int(context.rng.integers(2**31)), context.quiet()

    def climbed(name: str) -> tuple[float, Parameters]:
        candidate, sample = versions[name]
        rows, targets = transformed(candidate, sample)
        positions = distinct_positions(rows)
        climb = ConditionalClimb(rows.take(positions), quiet, seed)
        segment = climb.segment(0, SEGMENTS[0], candidate.parameters)
        state = climb.climb(ClimbState.at(candidate.parameters), segment, "")
        density = climb.compare(state.parameters, _log_slopes(targets, len(rows))[positions])
        return density, state.parameters

    names = list(versions)
    found = dict(zip(names, parallel_map(climbed, names, n_threads()), strict=True))
    densities = {name: value for name, (value, _) in found.items()}
    context.history.note(Phase.TRANSFORMS, "by neighbours", log_density=densities)
    best = max(found, key=lambda name: found[name][0])
    return best, found[best][1]


def _log_slopes(targets: list[WarpedTarget], n: int) -> Vector:
    """Return log dz/dy of n rows, over all outputs; of targets that are not warped 0: (n,)."""
    return np.sum([t.log_slope for t in targets] or [np.zeros(n)], axis=0)
