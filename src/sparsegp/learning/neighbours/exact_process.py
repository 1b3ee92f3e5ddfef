"""Hyperparameters of an exact process of many rows (``max_basis="all"``).

The first hyperparameters come from exact processes of up to 2,000 rows, a sparse cloud in which
fine structure looks like noise. Those of all rows come from the densities of rows given their
neighbours, as with a basis and neighbours: for a small part of what one factorisation of all rows
costs. The kernel family is the one whose densities are highest, of close ones that by which most
neighbours predict best. The exact process then predicts without neighbours.
"""

from dataclasses import replace

from sparsegp.kernels.base import Kernel
from sparsegp.learning.basis.select import sample_rows
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.choices import note_family
from sparsegp.learning.hyperparameters.conditional_climb import ConditionalClimb, distinct_rows
from sparsegp.learning.hyperparameters.initialise import Initialisation
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.policy import MAX_ROWS_FOR_NOISE_CHOICE
from sparsegp.learning.neighbours import policy
from sparsegp.learning.neighbours.choose import best_of
from sparsegp.learning.neighbours.families import learn_family
from sparsegp.learning.noise.noise_models import HomoscedasticNoise
from sparsegp.learning.settings import GAUSSIAN, Settings
from sparsegp.tables.out_of_core import AnyRows

__all__ = ["learn_exact_process", "settings_to_begin"]


def settings_to_begin(rows: AnyRows, settings: Settings, warm_start: Parameters | None) -> Settings:
    """Return the settings of the first hyperparameters.

    Where a climb by the densities of rows follows, and the choice of the kernel has searched
    subsets already, they are not searched once more. A choice of noise compares models of subsets
    and needs them.
    """
    open_later = settings.noise is None and len(rows) > MAX_ROWS_FOR_NOISE_CHOICE
    one_noise = settings.noise == GAUSSIAN or open_later
    if warm_start is not None and one_noise and _climbs(rows, settings):
        return replace(settings, search=False)
    return settings


def _climbs(rows: AnyRows, settings: Settings) -> bool:
    learns = settings.every_row and settings.optimise and settings.search
    return learns and len(rows) >= policy.MIN_ROWS


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
    alike = isinstance(begun.noise, HomoscedasticNoise)  # rows that differ keep their weights
    if not alike or not _climbs(begun.rows, settings):
        return begun
    own = context.share(policy.SHARE_OF_LEARNING).spawn()
    rows = sample_rows(begun.rows, policy.MOST_ROWS_TO_LEARN, own.rng)
    climb = ConditionalClimb(distinct_rows(rows), own, int(own.rng.integers(2**31)))
    climbed = learn_family(climb, begun.parameters, start, template, own)
    learned = climbed[0]
    if len(climbed) > 1:  # many neighbours come close to an exact process
        learned, _ = best_of(rows, climbed, policy.BASIS_TO_JUDGE, policy.NUMBERS[-1], own)
    note_family(context.history, learned.family)
    return replace(begun, parameters=learned.parameters)
