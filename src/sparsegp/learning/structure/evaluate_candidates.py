"""Evaluation of candidates: a short search for each, in parallel, on some of the rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from sparsegp.arrays import n_threads, parallel_map
from sparsegp.exceptions import OptimisationError, SparseGPError
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.history import History
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.history.progress import Progress, thread_safe
from sparsegp.learning.hyperparameters.early_stopping import TargetStopping
from sparsegp.learning.hyperparameters.optimise import maximise
from sparsegp.learning.structure.candidates import (
    Candidate,
    Sample,
    candidate_objective,
    transformed,
)
from sparsegp.model.exact import exact_log_evidence

__all__ = ["CandidateEvaluator", "EvaluatedCandidate", "Request", "evaluate"]


@dataclass(frozen=True)
class EvaluatedCandidate:
    """A candidate after its search."""

    candidate: Candidate  # at its best coordinates
    evidence: float  # its logarithm
    score: float  # the same less the complexity cost


@dataclass(frozen=True)
class Request:
    """A candidate that is to be tried on some rows, for a number of evaluations of the evidence.

    Its search stops early when it will not reach the target score.
    """

    phase: Phase
    detail: str
    candidate: Candidate
    sample: Sample
    evaluations: int
    target: float = -inf

    @property
    def label(self) -> str:
        """Its name in the history."""
        return self.phase.label(self.detail)

    def with_effort(self, share: float) -> "Request":
        """Return the request with a share of its evaluations, at least one."""
        return replace(self, evaluations=max(1, round(share * self.evaluations)))


@dataclass(frozen=True)
class CandidateEvaluator:
    """Tries candidates in parallel, each with one thread; a single one has all threads.

    One search cannot use many: factorisations of some hundred rows are too small for that.
    """

    context: FitContext
    effort: float = 1.0  # share of the evaluations of each search that there is time for

    def evaluate_all(self, requests: Sequence[Request]) -> list[EvaluatedCandidate | None]:
        """Return the candidates after their searches."""
        context = self.context
        listener = thread_safe(context.listener)

        def tried(request: Request) -> tuple[EvaluatedCandidate | None, History]:
            own = replace(context, listener=listener, history=History())
            return evaluate(request.with_effort(self.effort), own), own.history

        found = parallel_map(tried, requests, n_threads())
        context.history.note_parallel([entry for _, own in found for entry in own.entries])
        return [trial for trial, _ in found]


def evaluate(request: Request, context: FitContext) -> EvaluatedCandidate | None:
    """Return the candidate after a short search.

    None if it cannot be evaluated at its start, or if there is no time left.
    """
    n_rows, most, budget = request.sample.total, request.evaluations, context.budget
    if not budget.has():
        budget.cut(request.label, "left out")
        return None
    if most == 1:
        return _evaluate_once(request, context.history)
    iterations = budget.iterations()
    constant = request.candidate.cost(n_rows) - request.candidate.strain(n_rows)[0]
    stopping = TargetStopping(iterations, most, request.target + constant)

    def tell(step: int, value: float) -> None:
        stopping.lowest = value
        context.listener(Progress(request.label, step, most, value))

    try:
        found = maximise(
            candidate_objective(request.sample),
            request.candidate,
            max_evaluations=most,
            scale=n_rows,
            tell=tell,
            go_on=stopping,
        )
    except OptimisationError:
        _note(request, context.history, -np.inf, -np.inf, 1)
        return None
    iterations.note(request.label, found.n_evaluations)
    best = found.parameters
    evidence = found.value + best.strain(n_rows)[0]
    trial = EvaluatedCandidate(best, evidence, evidence - best.cost(n_rows))
    _note(request, context.history, evidence, trial.score, found.n_evaluations)
    return trial


def _evaluate_once(request: Request, history: History) -> EvaluatedCandidate | None:
    """Return the candidate as it is, evaluated without a gradient, in less than half the time."""
    candidate = request.candidate
    rows, targets = transformed(candidate, request.sample)
    parameters = candidate.parameters
    try:
        evidence = exact_log_evidence(
            parameters.kernel, rows, parameters.noise_variance, quick=True
        )
    except SparseGPError:
        evidence = -np.inf
    evidence += sum(t.log_slopes for t in targets)
    score = evidence - candidate.cost(request.sample.total)
    _note(request, history, evidence, score, 1)
    return EvaluatedCandidate(candidate, evidence, score) if np.isfinite(score) else None


def _note(request: Request, history: History, evidence: float, score: float, n: int) -> None:
    history.note(request.phase, request.detail, log_evidence=evidence, score=score, n_evaluations=n)
