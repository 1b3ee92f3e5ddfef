"""What a fit with neighbours knows before it selects a basis: hyperparameters, and how many.

With neighbours hyperparameters come from conditional densities at the resolution of all rows
(``learn``), the kernel family too where it is open (``families``). They serve the basis as they
are: what the basis leaves unexplained is left to the neighbours, not to the noise, so there is no
adaptation to the basis, the approximation is FITC, and the noise is one Gaussian, with the tails
that calibration finds.
"""

from dataclasses import dataclass

from sparsegp.kernels.base import Kernel
from sparsegp.learning.basis.select import sample_rows
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.choices import note_family
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.conditional_climb import ConditionalClimb, distinct_rows
from sparsegp.learning.hyperparameters.exact_subsets import first_parameters
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.policy import SHORT_STAGES
from sparsegp.learning.neighbours import policy
from sparsegp.learning.neighbours.choose import ChosenNumber, best_of, choose_n_neighbours
from sparsegp.learning.neighbours.families import Learned, learn_family
from sparsegp.learning.neighbours.kept_rows import KeptRows, n_kept
from sparsegp.learning.settings import Settings
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = ["LocalStart", "start_with_neighbours"]


@dataclass(frozen=True)
class LocalStart:
    """Where a fit with neighbours starts."""

    parameters: Parameters
    rows: AnyRows  # all, in memory if the model keeps all of them
    kept: KeptRows
    chosen: ChosenNumber

    def reserve(self, left: float) -> float:
        """Return how many of the seconds left are for a calibration; the basis comes first."""
        return min(policy.ROWS_TO_RESERVE * self.chosen.seconds, policy.SHARE_TO_RESERVE * left)


def start_with_neighbours(
    rows: AnyRows,
    start: Parameters,
    settings: Settings,
    context: FitContext,
    *,
    warm_start: Parameters | None,
    template: Kernel | None,
) -> LocalStart | None:
    """Return hyperparameters and the number of neighbours; None: the basis alone is as good.

    ``template`` is the kernel with its placeholder, if it was left open.
    """
    if not _applies(rows, settings, context):
        return None
    own = context.spawn()
    kept = KeptRows.of(rows, n_kept(rows, settings), own.rng)
    some = sample_rows(kept.rows, policy.MOST_ROWS_TO_LEARN, own.rng)
    climbed = [Learned(warm_start or start, None, warm_start or start)]
    if settings.optimise:
        climbed = _learn(some, start, warm_start, template, settings, own)
    if len(climbed) == 1 and settings.n_neighbors is not None:
        learned, chosen = climbed[0], ChosenNumber(settings.n_neighbors)
    else:
        k = settings.n_neighbors or policy.NUMBERS[0]
        learned, judge = best_of(some, climbed, settings.max_basis, k, own)
        chosen = ChosenNumber(k)
        if settings.n_neighbors is None:
            chosen = choose_n_neighbours(judge, learned.of_subsets, settings, own)
    if not chosen.k:
        return None
    note_family(context.history, learned.family)
    if kept.positions is None:
        return LocalStart(learned.parameters, kept.rows, kept, chosen)
    context.history.note(Phase.NEIGHBOURS, "kept", n_rows=len(kept.rows), of=len(rows))
    return LocalStart(learned.parameters, rows, kept, chosen)


def _applies(rows: AnyRows, settings: Settings, context: FitContext) -> bool:
    """Tell whether neighbours are asked for, or to be tried, and the rows allow it."""
    if settings.n_neighbors == 0 or len(rows) <= settings.max_basis:
        return False  # with every row in the basis nothing is left to explain
    fits = bool(n_kept(rows, settings))
    if settings.n_neighbors is not None:
        if not fits:
            raise MemoryError(
                f"n_neighbors={settings.n_neighbors} keeps rows in memory, at least "
                f"{min(len(rows), policy.MIN_ROWS):,}, and memory_limit does not allow that: raise "
                "memory_limit, or set n_neighbors=0"
            )
        return True
    if len(rows) < policy.MIN_ROWS:
        return False
    if fits and context.budget.limited and not context.budget.has(policy.MIN_SECONDS):
        context.budget.cut(Phase.NEIGHBOURS, "left out")
        return False
    if not fits:
        context.history.note(Phase.NEIGHBOURS, chosen=0, n_rows=0)
    return fits


def _learn(
    rows: Rows,
    start: Parameters,
    warm_start: Parameters | None,
    template: Kernel | None,
    settings: Settings,
    context: FitContext,
) -> list[Learned]:
    own = context.share(policy.SHARE_OF_LEARNING)
    if warm_start is None and settings.search:
        found = first_parameters(
            rows.to_host(),
            start,
            own.share(policy.SHARE_OF_SUBSETS),
            n_restarts=settings.n_restarts,
            stages=SHORT_STAGES[:2],
        )
        warm_start = found[-1].parameters
    climb = ConditionalClimb(distinct_rows(rows), own, int(context.rng.integers(2**31)))
    return learn_family(climb, warm_start or start, start, template, own)
