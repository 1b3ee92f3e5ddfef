"""Tables that differ in the transforms of columns, compared at the resolution of all rows.

A subset of a few thousand rows is a sparse cloud: warps that help there may blur what close rows
know of each other, and the other way round. So each table climbs the density of rows given their
nearest neighbours (``hyperparameters.conditional_climb``) for a while, and the highest one wins.
"""

from collections.abc import Mapping
from typing import TypeVar

from sparsegp.arrays import n_threads, parallel_map
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.conditional_climb import (
    ClimbState,
    ConditionalClimb,
    distinct_rows,
)
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.policy import SEGMENTS
from sparsegp.learning.structure.candidates import Candidate, Sample, transformed

__all__ = ["likeliest_table"]

Name = TypeVar("Name", bound=tuple[int, ...])


def likeliest_table(
    tables: Mapping[Name, Sample], candidate: Candidate, context: FitContext
) -> tuple[Name, Parameters]:
    """Return the table, named by its warped columns, in which rows tell most of each other.

    All start at the hyperparameters of the candidate, with its target warp. Those that the best one
    has climbed to come with it.
    """
    if len(tables) == 1:
        return next(iter(tables)), candidate.parameters
    seed, quiet = int(context.rng.integers(2**31)), context.quiet()
    names = list(tables)

    def climbed(name: Name) -> tuple[float, Parameters]:
        rows, _ = transformed(candidate, tables[name])
        climb = ConditionalClimb(distinct_rows(rows), quiet, seed)
        segment = climb.segment(0, SEGMENTS[0], candidate.parameters)
        state = climb.climb(ClimbState.at(candidate.parameters), segment, "")
        return climb.compare(state.parameters), state.parameters

    found = dict(zip(names, parallel_map(climbed, names, n_threads()), strict=True))
    densities = {f"{len(name)} columns warped": value for name, (value, _) in found.items()}
    context.history.note(Phase.TRANSFORMS, "by neighbours", log_density=densities)
    best = max(found, key=lambda name: found[name][0])
    return best, found[best][1]
