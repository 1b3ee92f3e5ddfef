"""How many basis vectors a fit has where that is left open: by the density of held-out rows.

Sizes are compared one doubling at a time, from half the usual one on, by small models: random
basis vectors and leave-one-out predictions of a few hundred rows, with the neighbours that the fit
will have. A doubling is taken if rows gain clearly by it. Smooth functions gain as long as there
are basis vectors; rough ones, where neighbours explain what matters, gain nothing.
"""

import numpy as np

from sparsegp.kernels.base import Vector
from sparsegp.learning.basis.select import sample_rows
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.neighbours import policy
from sparsegp.learning.neighbours.choose import Judge, SizeOfJudge, where_judged
from sparsegp.learning.noise.choose_noise import mean_and_error
from sparsegp.learning.settings import Settings
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = ["choose_max_basis"]


def choose_max_basis(
    rows: AnyRows, parameters: Parameters, k: int, settings: Settings, context: FitContext
) -> int:
    """Return how many basis vectors to select, to be predicted with k neighbours or with none."""
    chosen = settings.max_basis
    most = policy.MOST_ROWS_TO_LEARN if k else policy.ROWS_OF_PASS_OF_SIZE
    sizes = [m for m in settings.larger_sizes if _is_worth_a_trial(m, len(rows), k)]
    if not sizes:
        return chosen
    own = context.spawn()
    trial = _Trial(where_judged(sample_rows(rows, most, own.rng)), parameters, k, own)
    gains: dict[int, float] = {}
    for m in (chosen, *sizes):
        if not trial.has_time_for(m):
            trial.budget.cut(Phase.BASIS_SIZE, f"{m:,} were not tried")
            break
        gains[m], error = trial.gain(m)
        if gains[m] <= max(policy.MIN_GAIN_OF_BASIS, policy.MIN_STANDARD_ERRORS * error):
            break
        chosen = m
    context.history.note(Phase.BASIS_SIZE, chosen=chosen, gains=gains)
    return chosen


def _is_worth_a_trial(m: int, n_rows: int, k: int) -> bool:
    """Tell whether enough rows judge a basis of m, and its pass and predictions are affordable."""
    judged = n_rows >= m + policy.ROWS_TO_JUDGE_SIZE
    passes = n_rows * m**2 <= policy.MOST_WORK_OF_PASS
    return judged and passes and m * k**2 <= policy.MOST_WORK_OF_PREDICTION


class _Trial:
    """Small models of one fit, judged by the same rows, and the time that they take."""

    def __init__(self, rows: Rows, parameters: Parameters, k: int, context: FitContext) -> None:
        self._rows, self._parameters, self._k = rows, parameters, k
        self._order = context.rng.permutation(len(rows))
        self.budget = context.budget.part(policy.SHARE_OF_SIZES)
        self._densities: dict[int, Vector] = {}
        self._count = np.ones(0)  # what each held-out row counts

    def has_time_for(self, m: int) -> bool:
        """Tell whether there is time for a model of this size, by timing a smaller one."""
        if not self.budget.limited:
            return True
        if not self.budget.has():
            return False
        rows, left = policy.TIMED_ROWS_OF_PASS, self.budget.left
        before = left()
        judge = self._judge(SizeOfJudge(m // 2, policy.TIMED_ROWS, rows))
        between = left()
        judge.density(self._k)
        passes = max(min(len(self._order), policy.ROWS_OF_PASS_OF_SIZE) / rows, 1.0)
        to_pass = 2**2 * passes * (before - between)
        to_predict = 2 * policy.ROWS_TO_JUDGE_SIZE / policy.TIMED_ROWS * (between - left())
        return self.budget.has(to_pass + to_predict)

    def gain(self, m: int) -> tuple[float, float]:
        """Return by how much m basis vectors predict rows better than half, and its error."""
        gain = self._density(m) - self._density(m // 2)
        return mean_and_error(gain, self._count)

    def _density(self, m: int) -> Vector:
        if m not in self._densities:
            size = SizeOfJudge(m, policy.ROWS_TO_JUDGE_SIZE, policy.ROWS_OF_PASS_OF_SIZE)
            judge = self._judge(size)
            self._densities[m], self._count = judge.density(self._k), judge.count
        return self._densities[m]

    def _judge(self, size: SizeOfJudge) -> Judge:
        """Return a model; the same rows judge it, whatever the size of its basis."""
        judging, others = np.split(self._order, [size.rows])
        basis, rest = np.split(others, [size.basis])
        order = np.concatenate((basis, judging, rest))
        return Judge.of(self._rows, self._parameters, size, order)
