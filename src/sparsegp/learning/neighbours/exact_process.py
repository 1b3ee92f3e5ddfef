"""Hyperparameters of an exact process of many rows (``max_basis="all"``).

The first hyperparameters come from exact processes of up to 2,000 rows, a sparse cloud in which
fine structure looks like noise. Those of all rows come from the densities of rows given their
neighbours, as with a basis and neighbours: for a small part of what one factorisation of all rows
costs. The exact process then predicts without neighbours.
"""

from dataclasses import replace

from sparsegp.kernels.base import Kernel
from sparsegp.learning.basis.select import sample_rows
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.choices import note_family
from sparsegp.learning.hyperparameters.conditional_climb import ConditionalClimb, distinct_rows
from sparsegp.learning.hyperparameters.initialise import Initialisation
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.neighbours import policy
from sparsegp.learning.neighbours.choose import best_of
from sparsegp.learning.neighbours.families import learn_family
from sparsegp.learning.noise.noise_models import HomoscedasticNoise
from sparsegp.learning.settings import Settings

__all__ = ["learn_exact_process"]


def learn_exact_process(
    begun: Initialisation,
    start: Parameters,
    template: Kernel | None,
    settings: Settings,
    context: FitContext,
) -> Initialisation:
    """Continue from the hyperparameters of subsets, if all of many rows are basis vectors.

    ``start`` is where the search of the subsets began, ``template`` the kernel with its
    placeholder, if it was left open.
    """
    learns = settings.every_row and settings.optimise and settings.search
    alike = isinstance(begun.noise, HomoscedasticNoise)  # rows that differ keep their weights
    if not learns or not alike or len(begun.rows) < policy.MIN_ROWS:
        return begun
    own = context.share(policy.SHARE_OF_LEARNING).spawn()
    rows = sample_rows(begun.rows, policy.MOST_ROWS_TO_LEARN, own.rng).to_host()
    climb = ConditionalClimb(distinct_rows(rows), own, int(own.rng.integers(2**31)))
    climbed = learn_family(climb, begun.parameters, start, template, own)
    learned = climbed[0]
    if len(climbed) > 1:  # many neighbours come close to an exact process
        learned, _ = best_of(rows, climbed, policy.BASIS_TO_JUDGE, policy.NUMBERS[-1], own)
    note_family(context.history, learned.family)
    return replace(begun, parameters=learned.parameters)
