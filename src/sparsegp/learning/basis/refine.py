"""Refinement of inducing inputs: they leave the data, by the gradient of the objective.

The objective is the evidence (pseudo-inputs of Snelson & Ghahramani 2006), or a leave-one-out
measure, which SKS suggest (end of section 2). The gradient by Z comes with the gradient by the
hyperparameters, so one search optimises both. It runs on growing subsets of the rows: early steps
need no more than a direction.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from sparsegp.arrays.placement import beside
from sparsegp.kernels.base import Vector
from sparsegp.learning.basis import policy
from sparsegp.learning.basis.select import SelectedBasis
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.hyperparameters.joint_parameters import JointParameters, join_parameters
from sparsegp.learning.hyperparameters.objectives import EVIDENCE, objective_scale
from sparsegp.learning.hyperparameters.optimise import Objective, Optimum, maximise
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.search_rows import rows_of_search
from sparsegp.model.approximation import Approximation
from sparsegp.model.evidence import evidence_and_gradient
from sparsegp.model.features import make_basis
from sparsegp.model.leave_one_out.gradient import loo_and_gradient
from sparsegp.tables.index_sampling import draw
from sparsegp.tables.out_of_core import AnyRows

__all__ = ["refine_inputs"]

Joint = JointParameters[Parameters]


def refine_inputs(
    rows: AnyRows,
    selected: SelectedBasis,
    rule: Approximation,
    context: FitContext,
    objective: str = EVIDENCE,
    stages: Sequence[tuple[int | None, int]] = policy.REFINE_STAGES,
) -> SelectedBasis:
    """Return the basis with hyperparameters and inducing inputs of a better objective."""
    largest = max((size for size, _ in stages if size is not None), default=0)
    order, budget = draw(len(rows), largest, context.rng), context.budget
    joint = join_parameters(selected.parameters, selected.Z)
    done, total = 0, sum(count for _, count in stages)
    of_row = 0.0  # seconds of an evaluation for each row, once measured
    for size, evaluations in stages:
        whole = size is None or size >= len(rows)
        if size is None:
            used = rows
        else:  # few enough to be held in memory
            used = rows.load() if whole else rows.take(np.sort(order[:size]))
        if not used.is_out_of_core:
            used = rows_of_search(used, len(selected))
            joint = replace(joint, Z=beside(joint.Z, like=used.X))
        if not budget.has(policy.MIN_REFINE_EVALUATIONS * of_row * len(used)):
            budget.cut(Phase.REFINEMENT.label(f"{len(used)} rows"), "left out")
            break
        label, before = Phase.REFINEMENT.label(), done

        def tell(step: int, value: float, label: str = label, before: int = before) -> None:
            context.listener(Progress(label, before + step, total, value))

        optimum, seconds = _stage(used, joint, rule, objective, evaluations, tell, context)
        joint, of_row = optimum.parameters, seconds / len(used)
        done += evaluations
        if whole:
            break
    Z = beside(joint.Z, like=selected.Z)
    return replace(selected, parameters=joint.parameters, Z=Z)


def _stage(
    rows: AnyRows,
    start: Joint,
    rule: Approximation,
    name: str,
    evaluations: int,
    tell: Callable[[int, float], None],
    context: FitContext,
) -> tuple[Optimum[Joint], float]:
    """Optimise by these rows; also return the seconds of an evaluation."""
    iterations, detail = context.budget.iterations(), f"{len(rows)} rows"
    target = _objective(rows, rule, name)
    value = 0.0 if name == EVIDENCE else target(start)[0]  # for the scale of a measure
    optimum = maximise(
        target,
        start,
        max_evaluations=evaluations,
        scale=objective_scale(name, value, rows),
        tolerance=1e-8,
        tell=tell,
        go_on=iterations,
    )
    iterations.note(Phase.REFINEMENT.label(detail), optimum.n_evaluations)
    measure = None if name == EVIDENCE else name
    context.history.note_search(Phase.REFINEMENT, optimum, detail, measure=measure)
    return optimum, iterations.seconds


def _objective(rows: AnyRows, rule: Approximation, name: str) -> Objective[Joint]:
    """Return the objective as a function of hyperparameters and inducing inputs."""

    def log_evidence(at: Joint) -> tuple[float, Vector]:
        basis = make_basis(at.parameters.kernel, at.Z)
        found = evidence_and_gradient(basis, rows, at.parameters.noise_variance, rule)
        by_parameters = at.parameters.gradient(found.theta, found.log_noise)
        return found.value, at.gradient(by_parameters, found.Z)

    def minus_measure(at: Joint) -> tuple[float, Vector]:
        basis = make_basis(at.parameters.kernel, at.Z)
        found = loo_and_gradient(name, basis, rows.load(), at.parameters.noise_variance, rule)
        by_parameters = at.parameters.gradient(found.theta, found.log_noise)
        return -found.value, -at.gradient(by_parameters, found.Z)

    return log_evidence if name == EVIDENCE else minus_measure
