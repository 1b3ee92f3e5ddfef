"""How many neighbours correct a prediction, if any: by the density of held-out rows.

They are predicted by a small model: some random basis vectors, FITC, leave-one-out predictions
with 0, 30, 60 and 120 neighbours, each with its own calibration. Neighbours also have to predict
better than the whole basis at the hyperparameters that a fit without them would start from. In many
columns, or where noise is large, they say little of a row and are left out; the fit is then that of
a sparse model alone. Rows on a device are judged there, but for those of JAX: differences of
densities that decide are far larger than rounding.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import array_api_compat
import numpy as np
import numpy.typing as npt

from sparsegp.arrays import take, to_numpy
from sparsegp.kernels.base import Vector
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.neighbours import policy
from sparsegp.learning.neighbours.families import Learned
from sparsegp.learning.noise.calibrate import calibrate, log_densities
from sparsegp.learning.noise.choose_noise import mean_and_error
from sparsegp.learning.settings import Settings
from sparsegp.model.approximation import FITC
from sparsegp.model.features import make_basis
from sparsegp.model.leave_one_out.predictions import LeftOut, leave_one_out
from sparsegp.model.moments import collect_moments
from sparsegp.model.neighbours.leave_one_out import leave_one_out_of_neighbours
from sparsegp.model.neighbours.prediction import NeighbourPosterior
from sparsegp.model.posterior import solve_posterior
from sparsegp.tables.rows import Rows

__all__ = [
    "ChosenNumber",
    "Judge",
    "SizeOfJudge",
    "best_of",
    "choose_n_neighbours",
    "where_judged",
]


@dataclass(frozen=True)
class ChosenNumber:
    """How many neighbours, and the seconds of a prediction with them under a time budget."""

    k: int
    seconds: float = 0.0


def choose_n_neighbours(
    judge: "Judge", of_subsets: Parameters, settings: Settings, context: FitContext
) -> ChosenNumber:
    """Return the number of neighbours: 0, or as many as gain clearly over fewer.

    The judge has hyperparameters that were learned with neighbours, ``of_subsets`` are without: a
    fit without neighbours would start there.
    """
    budget, count = context.budget.part(policy.SHARE_OF_JUDGING), judge.count
    found, seconds = {0: judge.density(0)}, {0: 0.0}
    chosen = 0
    for k in policy.NUMBERS:
        if k >= judge.n_rows or not budget.has(policy.COST_OF_DOUBLING * seconds[chosen]):
            break
        found[k], seconds[k] = judge.timed_density(k, budget)
        gain, error = mean_and_error(found[k] - found[chosen], count)
        if chosen and gain <= max(policy.MIN_GAIN, policy.MIN_STANDARD_ERRORS * error):
            break
        chosen = k
    if chosen:
        alone = judge.density_alone(of_subsets, settings)
        found[0] = max(found[0], alone, key=lambda d: float(np.average(d, weights=count)))
    means = {k: float(np.average(d, weights=count)) for k, d in found.items()}
    if means[chosen] <= means[0] + policy.MIN_GAIN:
        chosen = 0
    context.history.note(Phase.NEIGHBOURS, chosen=chosen, n_rows=len(count), log_density=means)
    return ChosenNumber(chosen, seconds[chosen] / max(len(count), 1))


def best_of(
    rows: Rows, learned: Sequence[Learned], max_basis: int, k: int, context: FitContext
) -> tuple[Learned, "Judge"]:
    """Return the hyperparameters by which basis and k neighbours predict held-out rows best.

    The judge of these goes on to choose the number of neighbours.
    """
    rows = where_judged(rows)
    size = _size_within(rows, learned[0].parameters, max_basis, context.budget)
    order = context.rng.permutation(len(rows))
    if len(learned) == 1 or size.rows < policy.MIN_ROWS_TO_COMPARE:
        return learned[0], Judge.of(rows, learned[0].parameters, size, order)
    judges = [Judge.of(rows, each.parameters, size, order) for each in learned]
    found = [judge.timed_density(k, context.budget)[0] for judge in judges]
    densities = [float(np.average(d, weights=j.count)) for d, j in zip(found, judges, strict=True)]
    best = int(np.argmax(densities))
    context.history.note(
        Phase.CONDITIONALS,
        "judged",
        family=learned[best].name,
        log_density={each.name: d for each, d in zip(learned, densities, strict=True)},
        noise_variance=learned[best].parameters.noise_variance,
    )
    return learned[best], judges[best]


def where_judged(rows: Rows) -> Rows:
    """Return rows where they are judged fastest.

    Arrays that cannot be written to are those of JAX, which compiles every operation for every
    shape: a judge has many of both, and takes minutes there.
    """
    return rows if array_api_compat.is_writeable_array(rows.X) else rows.to_host()


@dataclass(frozen=True)
class SizeOfJudge:
    """The size of a small model and of its comparison."""

    basis: int
    rows: int  # held out, to compare by
    rows_of_pass: int

    def times(self, share: float) -> "SizeOfJudge":
        """Return a share of the size, but no less than what is timed."""
        least = _TIMED
        return SizeOfJudge(
            max(round(share * self.basis), min(least.basis, self.basis)),
            max(round(share * self.rows), least.rows),
            max(round(share * self.rows_of_pass), least.rows_of_pass),
        )


_TIMED = SizeOfJudge(policy.TIMED_BASIS, policy.TIMED_ROWS, policy.TIMED_ROWS_OF_PASS)


def _size_within(
    rows: Rows, parameters: Parameters, max_basis: int, budget: TimeBudget
) -> SizeOfJudge:
    """Return the size that a time budget allows, by timing a smaller model."""
    most = min(policy.BASIS_TO_JUDGE, max_basis, len(rows) // 2)
    full = SizeOfJudge(most, policy.ROWS_TO_JUDGE, policy.ROWS_OF_PASS)
    if not budget.limited:
        return full
    before = budget.left()
    small = Judge.of(rows, parameters, full.times(0.0), np.arange(len(rows)))
    small.density(policy.NUMBERS[0])
    seconds = (before - budget.left()) * full.rows / _TIMED.rows * policy.TIMES_FIRST_NUMBER
    affordable = policy.SHARE_OF_JUDGING * max(budget.left(), 0.0)
    share = min(1.0, affordable / max(seconds, 1e-9))
    if share < 1.0:
        budget.cut(Phase.NEIGHBOURS, f"judged by {100.0 * share:.0f} % of the rows")
    return full.times(share)


@dataclass(frozen=True)
class Judge:
    """A small model, and the rows that judge by leave-one-out predictions."""

    model: NeighbourPosterior
    positions: npt.NDArray[np.intp]
    variance: float
    order: npt.NDArray[np.intp]  # of the pass: first the basis, then those that judge

    @classmethod
    def of(
        cls,
        rows: Rows,
        parameters: Parameters,
        size: SizeOfJudge,
        order: npt.NDArray[np.intp],
    ) -> "Judge":
        """Return the model with the first rows of an order as its basis."""
        basis = make_basis(parameters.kernel, rows.take(order[: size.basis]).X)
        positions = np.sort(order[size.basis : size.basis + size.rows])
        used = rows.take(np.sort(order[: size.rows_of_pass]))
        variance = parameters.noise_variance
        posterior = solve_posterior(basis, collect_moments(basis, used, variance, FITC), FITC)
        model = NeighbourPosterior(posterior, rows, variance, 0)
        return cls(model, positions, variance, order[: size.rows_of_pass])

    @property
    def n_rows(self) -> int:
        """How many rows there are to be neighbours."""
        return len(self.model.rows)

    @property
    def count(self) -> Vector:
        """How much each held-out row counts: (n,)."""
        weight = self.model.rows.weight
        own = None if weight is None else take(weight, self.positions)
        return np.ones(len(self.positions)) if own is None else to_numpy(own)

    def timed_density(self, k: int, budget: TimeBudget) -> tuple[Vector, float]:
        """Return ``density(k)`` and the seconds of a time budget it took; it is computed once."""
        known: dict[int, tuple[Vector, float]] = self.__dict__.setdefault("_known", {})
        if k not in known:
            before = budget.left()
            density = self.density(k)
            known[k] = density, before - budget.left() if budget.limited else 0.0
        return known[k]

    def density(self, k: int) -> Vector:
        """Return the calibrated log densities of the rows with k neighbours: (n,)."""
        return _calibrated_densities(self._left_out(k), self.variance)

    def density_alone(self, parameters: Parameters, settings: Settings) -> Vector:
        """Return the same by a basis of the usual size alone, at other hyperparameters: (n,)."""
        rows, judging = self.model.rows, self.model.rows.take(self.positions)
        others = self.order
        most = min(settings.max_basis, policy.MAX_BASIS_ALONE)
        outside = others[~np.isin(others, self.positions)][:most]
        basis = make_basis(parameters.kernel, rows.take(outside).X)
        variance, rule, used = parameters.noise_variance, settings.rule, rows.take(np.sort(others))
        posterior = solve_posterior(basis, collect_moments(basis, used, variance, rule), rule)
        return _calibrated_densities(leave_one_out(posterior, judging, variance), variance)

    def _left_out(self, k: int) -> LeftOut:
        if k:
            model = replace(self.model, k=k)
            model.__dict__["search"] = self.model.search  # the rows are the same
            return leave_one_out_of_neighbours(model, self.positions)
        rows = self.model.rows.take(self.positions)
        return leave_one_out(self.model.posterior, rows, self.variance)


def _calibrated_densities(left_out: LeftOut, variance: float) -> Vector:
    """Return the log densities of rows after a calibration by the same rows: (n,)."""
    scales = calibrate(left_out, variance, may_find_tails=True)
    return log_densities(left_out, variance, scales)
