"""Trials: what a short search makes of candidates, tried side by side on some of the rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from sparsegp.arrays import n_threads, parallel_map
from sparsegp.exceptions import OptimisationError, SparseGPError
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.history import History
from sparsegp.learning.history.progress import Progress, one_at_a_time
from sparsegp.learning.hyperparameters.early_stopping import TargetStopping
from sparsegp.learning.hyperparameters.optimise import maximise
from sparsegp.learning.structure.candidates import Candidate, Sample, candidate_objective, seen_by
from sparsegp.model.exact import exact_log_evidence

__all__ = ["EvaluatedCandidate", "Request", "TryAll", "evaluate", "evaluate_all"]


@dataclass(frozen=True)
class EvaluatedCandidate:
    """What came of a candidate."""

    name: str
    candidate: Candidate  # at its best coordinates
    evidence: float  # its logarithm
    score: float  # the same less the cost


@dataclass(frozen=True)
class Request:
    """A candidate that is to be tried on some rows, for so many evaluations of the evidence.

    It is given up when it will not have the score that is wanted.
    """

    name: str
    candidate: Candidate
    sample: Sample
    evaluations: int
    wanted: float = -inf

    def with_effort(self, share: float) -> "Request":
        """Return the request with so much of its evaluations, at least one."""
        return replace(self, evaluations=max(1, round(share * self.evaluations)))


#: Tries candidates, and returns what came of each.
TryAll = Callable[[Sequence[Request]], list[EvaluatedCandidate | None]]


def evaluate_all(
    requests: Sequence[Request], context: FitContext
) -> list[EvaluatedCandidate | None]:
    """Try candidates side by side, each with one thread; a single one has all of them.

    One search cannot use many: factorisations of some hundred rows are too small for that.
    """
    listener = one_at_a_time(context.listener)

    def tried(request: Request) -> tuple[EvaluatedCandidate | None, History]:
        own = replace(context, listener=listener, history=History())
        return evaluate(request, own), own.history

    found = parallel_map(tried, requests, n_threads())
    context.history.note_side_by_side([entry for _, own in found for entry in own.entries])
    return [trial for trial, _ in found]


def evaluate(request: Request, context: FitContext) -> EvaluatedCandidate | None:
    """Return the candidate after a short search.

    None if it cannot be evaluated at its start, or if there is no time left.
    """
    name, n_rows, most = request.name, request.sample.total, request.evaluations
    budget, history = context.budget, context.history
    if not budget.has():
        budget.cut(name, "left out")
        return None
    if most == 1:
        return _judged(request, history)
    iterations = budget.iterations()
    dues = request.candidate.cost(n_rows) - request.candidate.strain(n_rows)[0]  # never change
    hope = TargetStopping(iterations, most, request.wanted + dues)

    def tell(step: int, value: float) -> None:
        hope.lowest = value
        context.listener(Progress(name, step, most, value))

    try:
        found = maximise(
            candidate_objective(request.sample),
            request.candidate,
            max_evaluations=most,
            scale=n_rows,
            tell=tell,
            go_on=hope,
        )
    except OptimisationError:
        history.note(name, log_evidence=-np.inf, score=-np.inf, n_evaluations=1)
        return None
    iterations.note(name, found.n_evaluations)
    best = found.parameters
    evidence = found.value + best.strain(n_rows)[0]
    trial = EvaluatedCandidate(name, best, evidence, evidence - best.cost(n_rows))
    history.note(name, log_evidence=evidence, score=trial.score, n_evaluations=found.n_evaluations)
    return trial


def _judged(request: Request, history: History) -> EvaluatedCandidate | None:
    """Return the candidate as it is, judged without a gradient, for less than half of the time."""
    name, candidate = request.name, request.candidate
    rows, targets = seen_by(candidate, request.sample)
    parameters = candidate.parameters
    try:
        evidence = exact_log_evidence(
            parameters.kernel, rows, parameters.noise_variance, quick=True
        )
    except SparseGPError:
        evidence = -np.inf
    evidence += sum(t.log_slopes for t in targets)
    score = evidence - candidate.cost(request.sample.total)
    history.note(name, log_evidence=evidence, score=score, n_evaluations=1)
    return EvaluatedCandidate(name, candidate, evidence, score) if np.isfinite(score) else None
