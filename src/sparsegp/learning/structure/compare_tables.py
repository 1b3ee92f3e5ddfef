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
from sparsegp.learning.hyperparameters.policy import SEGMENTS
from sparsegp.learning.structure.candidates import Candidate, Sample, transformed

__all__ = ["likeliest_table"]

Name = TypeVar("Name", bound=tuple[int, ...])


def likeliest_table(
    tables: Mapping[Name, Sample], candidate: Candidate, context: FitContext
) -> Name:
    """Return the table, named by its warped columns, in which rows tell most of each other.

    All start at the hyperparameters of the candidate, with its target warp.
    """
    if len(tables) == 1:
        return next(iter(tables))
    seed, quiet = int(context.rng.integers(2**31)), context.quiet()
    names = list(tables)

    def density(name: Name) -> float:
        rows, _ = transformed(candidate, tables[name])
        climb = ConditionalClimb(distinct_rows(rows), quiet, seed)
        segment = climb.segment(0, SEGMENTS[0], candidate.parameters)
        state = climb.climb(ClimbState.at(candidate.parameters), segment, "")
        return climb.compare(state.parameters)

    found = parallel_map(density, names, n_threads())
    densities = {
        f"{len(name)} columns warped": value for name, value in zip(names, found, strict=True)
    }
    context.history.note(Phase.TRANSFORMS, "by neighbours", log_density=densities)
    return max(zip(names, found, strict=True), key=lambda each: each[1])[0]
