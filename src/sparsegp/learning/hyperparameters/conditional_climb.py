"""Hyperparameters by the densities of rows given their nearest neighbours.

The mean density of rows given their neighbours among *all* rows is a leave-one-out density at the
resolution of the whole table, where an exact process on a subset takes fine structure for noise.
It is climbed with small batches of rows (Adam, Kingma & Ba 2015). Neighbours are found a few times,
in the metric learned by then, and are constant in between.

Steps are in single precision where the noise hides it, like searches of exact processes; what is
compared is in double.

Of rows with equal inputs one learns: given its copy a row would be predicted exactly if its target
is the same, and the noise would vanish.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import first_of_equal_rows, take, to_numpy
from sparsegp.exceptions import SparseGPError
from sparsegp.kernels.base import Vector
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.hyperparameters import policy
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.noise.calibrate import calibrate, log_densities
from sparsegp.model.leave_one_out.predictions import LeftOut
from sparsegp.model.neighbours.conditionals import conditional_density
from sparsegp.model.neighbours.search import NeighbourSearch, host_decides_ties
from sparsegp.model.policy import LEAST_NOISE_FOR_SINGLE
from sparsegp.tables.rows import Rows

__all__ = ["ClimbState", "ConditionalClimb", "Segment", "distinct_rows"]

Indices = npt.NDArray[np.intp]


def distinct_rows(rows: Rows) -> Rows:
    """Return one row of each set of rows with equal inputs, in the order of the table."""
    first = first_of_equal_rows(to_numpy(rows.X))
    return rows if len(first) == len(rows) else rows.take(first)


@dataclass(frozen=True)
class ClimbState:
    """Where a climb is: averages of gradients, and the next step."""

    parameters: Parameters
    gradient: Vector
    square: Vector
    step: int = 0

    @classmethod
    def at(cls, parameters: Parameters) -> "ClimbState":
        """Return the state before the first step."""
        zero = np.zeros(len(parameters.vector))
        return cls(parameters, zero, zero)

    def moved(self, gradient: Vector, length: float) -> "ClimbState":
        """Return the state after a step up a gradient; long gradients of outliers are cut.

        Inputs of extreme scale, left as they are, have gradients that overflow: these move nothing.
        """
        if not np.all(np.abs(gradient) < policy.LARGEST_GRADIENT):  # or NaN
            return replace(self, step=self.step + 1)
        gradient = gradient / max(1.0, float(np.linalg.norm(gradient)))
        first, second, step = policy.GRADIENT_DECAY, policy.SQUARE_DECAY, self.step + 1
        mean = first * self.gradient + (1.0 - first) * gradient
        square = second * self.square + (1.0 - second) * gradient**2
        direction = mean / (1.0 - first**step)
        deviation = np.sqrt(square / (1.0 - second**step)) + policy.SMALLEST_GRADIENT
        bounds = self.parameters.bounds
        vector = self.parameters.vector + length * direction / deviation
        vector = np.clip(vector, bounds[:, 0], bounds[:, 1])
        return ClimbState(self.parameters.with_vector(vector), mean, square, step)


@dataclass(frozen=True)
class Segment:
    """Rows of some steps, in order, and their neighbours."""

    end: int  # the step after the last one
    rows: Indices  # (steps · batch,)
    near: Indices  # (steps · batch, k)


class ConditionalClimb:
    """Climbs the conditional densities of rows, the same rows for all that is compared.

    A climb consists of segments of steps. The neighbours of a segment are found at its beginning,
    of many rows on a device there; all else is done on the host.
    """

    def __init__(self, rows: Rows, context: FitContext, seed: int) -> None:
        searched, rows = rows.X, rows.to_host()
        self._rows, self._context = rows, context
        self._searched = rows.X if host_decides_ties(len(rows)) else searched
        self._single = rows.in_single_precision()
        order = np.random.default_rng(seed).permutation(len(rows))
        n_compare = min(policy.ROWS_TO_COMPARE, len(rows))
        self._comparing = np.sort(order[:n_compare])
        # the rows that compare learn only if there are too few others
        others = order[n_compare:] if len(rows) >= 2 * n_compare else order
        n_drawn = policy.BATCH_ROWS * policy.SEGMENTS[-1]
        self._learning = np.resize(others, n_drawn)  # repeated, if there are fewer rows

    def segment(self, begin: int, end: int, parameters: Parameters) -> Segment:
        """Return the rows of the steps from ``begin`` on, with neighbours in this metric."""
        rows = self._learning[policy.BATCH_ROWS * begin : policy.BATCH_ROWS * end]
        used, place = np.unique(rows, return_inverse=True)
        return Segment(end, rows, self._neighbours(parameters, used)[place])

    def climb(
        self, state: ClimbState, segment: Segment, label: str, budget: TimeBudget | None = None
    ) -> ClimbState:
        """Return the state after the steps of a segment, as far as there is time for them.

        With a budget of its own a climb is a beginning, to be continued, and its steps stay long.
        """
        iterations, n_steps = (budget or self._context.budget).iterations(), policy.SEGMENTS[-1]
        phase, begin = Phase.CONDITIONALS.label(label), state.step
        while state.step < segment.end and iterations():
            batch = policy.BATCH_ROWS * (state.step - begin) + np.arange(policy.BATCH_ROWS)
            value, gradient = self._density(
                state.parameters, segment.rows[batch], segment.near[batch]
            )
            to_come = n_steps - state.step
            if budget is None:  # to the end, which a time limit may bring nearer
                to_come = iterations.at_most(to_come)
            length = policy.STEP_LENGTH * min(1.0, 2.0 * to_come / n_steps)
            state = state.moved(gradient, length)
            self._context.listener(Progress(phase, state.step, n_steps, -value))
        iterations.note(phase, state.step)
        return state

    def compare(self, parameters: Parameters) -> float:
        """Return the mean calibrated density of the rows that compare; minus infinity on an error.

        It has the scale and the tails that the errors of these rows have.
        """
        near = self._neighbours(parameters, self._comparing)
        try:
            found = conditional_density(
                parameters.kernel, self._rows, self._comparing, near, parameters.noise_variance
            )
        except SparseGPError:
            return -np.inf
        error, d = to_numpy(found.error), to_numpy(found.variance)
        count = self._weight(self._comparing)
        left_out = LeftOut(error, np.zeros_like(error), np.zeros_like(d), d, count)
        scales = calibrate(left_out, 0.0, may_find_tails=True)
        return float(np.average(log_densities(left_out, 0.0, scales), weights=count))

    def _neighbours(self, parameters: Parameters, positions: Indices) -> Indices:
        """Return the nearest rows of the rows at these positions, and some random ones: (n, k)."""
        X = self._searched
        search = NeighbourSearch(parameters.kernel, X, slack=policy.SLACK_OF_NEIGHBOURS)
        n_far = policy.FAR_ROWS if len(self._rows) > 2 * policy.LEARNING_NEIGHBOURS else 0
        n_near = policy.LEARNING_NEIGHBOURS - n_far
        near = search.nearest_others(take(X, positions), positions, n_near)
        far = _far_rows(near, positions, n_far, len(self._rows))
        return np.concatenate((near, far), axis=1)

    def _density(
        self, parameters: Parameters, chosen: Indices, near: Indices
    ) -> tuple[float, Vector]:
        """Return the mean density of rows a unit of weight, and its gradient."""
        rows = self._single if self._noise_hides_rounding(parameters) else self._rows
        found = conditional_density(
            parameters.kernel, rows, chosen, near, parameters.noise_variance
        )
        total = float(np.sum(self._weight(chosen)))
        gradient = parameters.gradient(to_numpy(found.theta), found.log_noise)
        return found.value / total, gradient / total

    def _noise_hides_rounding(self, parameters: Parameters) -> bool:
        prior = float(np.mean(parameters.kernel.diagonal(self._rows.X[self._comparing, :])))
        return parameters.noise_variance > LEAST_NOISE_FOR_SINGLE * prior

    def _weight(self, chosen: Indices) -> Vector:
        weight = self._rows.weight
        return np.ones(len(chosen)) if weight is None else to_numpy(weight)[chosen]


def _far_rows(near: Indices, positions: Indices, n_far: int, n_rows: int) -> Indices:
    """Draw other rows (n, n_far) than those at these positions and their neighbours (n, k).

    Always the same ones: whatever is compared is compared given the same rows.
    """
    rng = np.random.default_rng(policy.SEED_OF_FAR_ROWS)
    far = np.empty((len(positions), n_far), dtype=np.intp)
    drawn = np.ones(far.shape, dtype=bool)  # what is to be drawn
    while np.any(drawn):
        shift = rng.integers(1, n_rows, size=far.shape)  # never a row itself
        far = np.where(drawn, (positions[:, None] + shift) % n_rows, far)
        drawn = np.any(far[:, :, None] == near[:, None, :], axis=2)
    return far
