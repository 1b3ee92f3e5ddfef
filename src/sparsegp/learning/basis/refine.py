"""Basis inputs that leave the data: moved by the gradient of the evidence (pseudo-inputs).

The gradient by Z comes with the gradient by the hyperparameters, so one search moves both. It
runs on growing subsets of the rows: early steps need no more than a direction.
"""

from collections.abc import Sequence

import numpy as np

from sparsegp.arrays import Array
from sparsegp.kernels.base import Vector
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.hyperparameters.joint_parameters import JointParameters, join_parameters
from sparsegp.learning.hyperparameters.optimise import maximise
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.model.approximation import Approximation
from sparsegp.model.evidence import evidence_and_gradient
from sparsegp.model.features import make_basis
from sparsegp.tables.index_sampling import draw
from sparsegp.tables.out_of_core import AnyRows

__all__ = ["REFINE_STAGES", "refine_inputs"]

#: Rows of each stage (None: all), and how many evaluations of the evidence it is worth.
REFINE_STAGES: tuple[tuple[int | None, int], ...] = ((12_000, 30), (None, 5))
# With a limit of time: a further stage begins only if there is time for so many evaluations.
FEWEST_EVALUATIONS = 3


def refine_inputs(
    rows: AnyRows,
    Z: Array,
    parameters: Parameters,
    rule: Approximation,
    context: FitContext,
    stages: Sequence[tuple[int | None, int]] = REFINE_STAGES,
) -> tuple[Parameters, Array]:
    """Return hyperparameters and basis inputs of a higher evidence."""
    largest = max((size for size, _ in stages if size is not None), default=0)
    order, budget = draw(len(rows), largest, context.rng), context.budget
    placed = join_parameters(parameters, Z)
    phase, done, total = "moving the basis", 0, sum(count for _, count in stages)
    of_row = 0.0  # seconds that an evaluation takes for each row, as far as is known
    for size, evaluations in stages:
        whole = size is None or size >= len(rows)
        if size is None:
            used = rows
        else:  # few enough to be held in memory
            used = rows.load() if whole else rows.take(np.sort(order[:size]))
        if not budget.has(FEWEST_EVALUATIONS * of_row * len(used)):
            budget.cut(f"{phase}, {len(used)} rows", "left out")
            break
        iterations = budget.iterations()

        def objective(
            at: JointParameters[Parameters], used: AnyRows = used
        ) -> tuple[float, Vector]:
            basis = make_basis(at.parameters.kernel, at.Z)
            found = evidence_and_gradient(basis, used, at.parameters.noise_variance, rule)
            by_parameters = at.parameters.gradient(found.theta, found.log_noise)
            return found.value, at.gradient(by_parameters, found.Z)

        def tell(step: int, value: float, before: int = done) -> None:
            context.listener(Progress(phase, before + step, total, value))

        optimum = maximise(
            objective,
            placed,
            max_evaluations=evaluations,
            scale=max(used.total_weight, 1.0),
            tolerance=1e-8,
            tell=tell,
            go_on=iterations,
        )
        iterations.note(f"{phase}, {len(used)} rows", optimum.n_evaluations)
        placed, of_row = optimum.parameters, iterations.seconds / len(used)
        done += evaluations
        context.history.note_optimum(f"{phase}, {len(used)} rows", optimum)
        if whole:
            break
    return placed.parameters, placed.Z
