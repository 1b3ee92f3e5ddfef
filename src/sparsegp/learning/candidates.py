"""Candidates: models that are tried on some of the rows before a fit settles for one of them.

A candidate is a kernel with its noise, how far each column is bent towards normal scores, and the
curves that bend the targets. All of this is one vector. It is judged by the exact evidence of a
subset, of the targets in their own scale: with z the bent and standardised targets,

    log p(y) = log N(z | 0, K + σ²I) + Σ log dz/dy,

so that candidates that look at the targets in different ways can be compared. Every column that is
bent all the way costs COST_OF_BENDING, every parameter of a curve and every parameter that a kernel
has beyond those of the plain one ½ log n (BIC). Length scales that differ cost something while rows
are few (``likeness``).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import log

import numpy as np

from sparsegp.arrays import Array, in_turn, n_threads
from sparsegp.data.curves import Curve
from sparsegp.data.rows import Rows
from sparsegp.data.scaling import Scaling
from sparsegp.data.warps import inner_scaling
from sparsegp.exceptions import OptimisationError, SparseGPError
from sparsegp.kernels.base import Vector
from sparsegp.learning.budget import UNLIMITED, Budget
from sparsegp.learning.diary import Diary
from sparsegp.learning.likeness import unlikeness
from sparsegp.learning.optimise import Objective, maximise
from sparsegp.learning.parameters import Parameters
from sparsegp.learning.progress import Listener, Progress, one_at_a_time, silent
from sparsegp.model.exact import exact_evidence, exact_log_evidence

__all__ = [
    "COST_OF_BENDING",
    "Candidate",
    "Request",
    "Sample",
    "Trial",
    "TryAll",
    "candidate_objective",
    "likelier",
    "likeliest_alone",
    "try_all",
    "try_out",
]

#: What bending a column costs, in units of the log evidence.
COST_OF_BENDING = 1.0
# Evaluations of a target without inputs, which cost next to nothing.
EVALUATIONS_ALONE = 200


@dataclass(frozen=True)
class Sample:
    """Rows that candidates are tried on."""

    straight: Array  # (n, D), columns as they are if not bent
    bent: Array  # (n, D), columns as they are if bent all the way
    y: Array  # (n, p), targets in their own units
    standard: Scaling  # of all targets
    weight: Array | None = None

    @property
    def count(self) -> Vector:
        """How often each row counts: (n,)."""
        return np.ones(len(self.y)) if self.weight is None else self.weight

    @property
    def total(self) -> float:
        """How many rows it counts as, at least one."""
        return max(float(np.sum(self.count)), 1.0)

    def take(self, indices: Array) -> "Sample":
        """Return some of the rows."""
        return replace(
            self,
            straight=self.straight[indices],
            bent=self.bent[indices],
            y=self.y[indices],
            weight=None if self.weight is None else self.weight[indices],
        )


@dataclass(frozen=True)
class Candidate:
    """A model to be tried; what of it is searched for is its vector."""

    parameters: Parameters
    curves: tuple[Curve, ...] = ()  # one an output; none: targets are taken as they are
    columns: tuple[int, ...] = ()  # those that may be bent
    bends: tuple[float, ...] = ()  # how far each of these is, from 0 to 1
    fixed: bool = field(default=False, kw_only=True)  # the parameters are not searched for
    held: bool = field(default=False, kw_only=True)  # the bends are not searched for
    n_extra: int = field(default=0, kw_only=True)  # parameters that a plainer kernel does without

    @property
    def vector(self) -> Vector:
        """Coordinates of the parameters, the bends, the curves."""
        free = [] if self.fixed else [self.parameters.vector]
        bends = np.array(() if self.held else self.bends)
        return np.concatenate([*free, bends, *(c.vector for c in self.curves)])

    @property
    def bounds(self) -> Vector:
        """Limits of the vector: (q, 2)."""
        free = [] if self.fixed else [self.parameters.bounds]
        bends = np.tile([0.0, 1.0], (0 if self.held else len(self.bends), 1))
        return np.concatenate([*free, bends, *(c.bounds for c in self.curves)])

    def with_vector(self, vector: Vector) -> "Candidate":
        """Return the candidate at other coordinates."""
        n_free = 0 if self.fixed else len(self.parameters.vector)
        n_bends = 0 if self.held else len(self.bends)
        sizes = [n_free, n_bends, *(len(c.vector) for c in self.curves)]
        free, bends, *shapes = np.split(vector, np.cumsum(sizes)[:-1])
        return replace(
            self,
            parameters=self.parameters if self.fixed else self.parameters.with_vector(free),
            bends=self.bends if self.held else tuple(map(float, bends)),
            curves=tuple(c.with_vector(v) for c, v in zip(self.curves, shapes, strict=True)),
        )

    def strain(self, n: float) -> tuple[float, Vector]:
        """Return what bends and length scales that differ cost n rows, and its slope by theta."""
        cost, by_theta = unlikeness(self.parameters.kernel, n)
        return COST_OF_BENDING * sum(self.bends) + cost, by_theta

    def cost(self, n: float) -> float:
        """Return what the evidence of n rows has to gain over a plain model with nothing bent."""
        n_shapes = sum(len(curve.vector) for curve in self.curves)
        return self.strain(n)[0] + 0.5 * (n_shapes + self.n_extra) * log(n)


@dataclass(frozen=True)
class Trial:
    """What came of a candidate."""

    name: str
    candidate: Candidate  # at its best coordinates
    evidence: float  # its logarithm
    score: float  # the same less the cost


@dataclass(frozen=True)
class Request:
    """A candidate that is to be tried on some rows, for so many evaluations of the evidence."""

    name: str
    candidate: Candidate
    sample: Sample
    evaluations: int

    def with_effort(self, share: float) -> "Request":
        """Return the request with so much of its evaluations, at least one."""
        return replace(self, evaluations=max(1, round(share * self.evaluations)))


#: Tries candidates, and returns what came of each.
TryAll = Callable[[Sequence[Request]], list[Trial | None]]


def try_all(
    requests: Sequence[Request], diary: Diary, listener: Listener, budget: Budget
) -> list[Trial | None]:
    """Try candidates side by side, each with one thread; a single one has all of them.

    One search cannot use many: factorisations of some hundred rows are too small for that.
    """
    listener = one_at_a_time(listener)

    def tried(request: Request) -> tuple[Trial | None, Diary]:
        own = Diary()
        asked = (request.name, request.candidate, request.sample, request.evaluations)
        return try_out(*asked, own, listener, budget), own

    found = in_turn(tried, requests, n_threads())
    diary.note_side_by_side([entry for _, own in found for entry in own.entries])
    return [trial for trial, _ in found]


def try_out(
    name: str,
    candidate: Candidate,
    sample: Sample,
    max_evaluations: int,
    diary: Diary,
    listener: Listener = silent,
    budget: Budget = UNLIMITED,
) -> Trial | None:
    """Return the candidate after a short search.

    None if it cannot be evaluated at its start, or if there is no time left.
    """
    if not budget.has():
        budget.cut(name, "left out")
        return None
    if max_evaluations == 1:
        return _judged(name, candidate, sample, diary)
    laps = budget.laps()
    try:
        found = maximise(
            candidate_objective(sample),
            candidate,
            max_evaluations=max_evaluations,
            scale=sample.total,
            tell=lambda step, value: listener(Progress(name, step, max_evaluations, value)),
            go_on=laps,
        )
    except OptimisationError:
        diary.note(name, log_evidence=-np.inf, score=-np.inf, n_evaluations=1)
        return None
    laps.note(name, found.n_evaluations)
    best = found.parameters
    evidence = found.value + best.strain(sample.total)[0]
    trial = Trial(name, best, evidence, evidence - best.cost(sample.total))
    diary.note(name, log_evidence=evidence, score=trial.score, n_evaluations=found.n_evaluations)
    return trial


def _judged(name: str, candidate: Candidate, sample: Sample, diary: Diary) -> Trial | None:
    """Return the candidate as it is, judged without a gradient, for less than half of the time."""
    rows, targets = _seen_by(candidate, sample)
    parameters = candidate.parameters
    try:
        evidence = exact_log_evidence(parameters.kernel, rows, parameters.noise_variance)
    except SparseGPError:
        evidence = -np.inf
    evidence += sum(t.log_slopes for t in targets)
    score = evidence - candidate.cost(sample.total)
    diary.note(name, log_evidence=evidence, score=score, n_evaluations=1)
    return Trial(name, candidate, evidence, score) if np.isfinite(score) else None


def _seen_by(candidate: Candidate, sample: Sample) -> tuple[Rows, list["_BentTarget"]]:
    """Return the sample as the model sees it, with what became of the targets.

    With x the straight and x′ the bent value of a column, the model sees x + b·(x′ − x).
    """
    columns, X = list(candidate.columns), sample.straight
    if columns:
        X = np.array(X)
        X[:, columns] += (sample.bent - sample.straight)[:, columns] * candidate.bends
    targets = _bent_targets(candidate.curves, sample)
    z = np.stack([t.z for t in targets], axis=1) if targets else sample.y  # (n, p)
    return Rows(X, z, sample.weight), targets


def candidate_objective(sample: Sample) -> Objective[Candidate]:
    """Return the log evidence of the sample, less the strain, as a function."""
    difference = sample.bent - sample.straight  # (n, D)

    def objective(candidate: Candidate) -> tuple[float, Vector]:
        columns, parameters = list(candidate.columns), candidate.parameters
        rows, targets = _seen_by(candidate, sample)
        by_inputs = bool(columns) and not candidate.held
        found = exact_evidence(
            parameters.kernel, rows, parameters.noise_variance, by_inputs=by_inputs
        )
        strain, strain_by_theta = candidate.strain(sample.total)
        value = found.value + sum(t.log_slopes for t in targets) - strain
        gradient = []
        if not candidate.fixed:
            by_theta = found.theta - strain_by_theta
            gradient.append(parameters.gradient(by_theta, found.log_noise))
        if found.X is not None:
            pulled = np.sum(found.X[:, columns] * difference[:, columns], axis=0)
            gradient.append(pulled - COST_OF_BENDING)
        gradient += [
            found.y[:, i] @ t.z_by_shape + t.log_slopes_by_shape for i, t in enumerate(targets)
        ]
        return value, np.concatenate([np.empty(0), *gradient])

    return objective


def likelier(first: Candidate, second: Candidate, objective: Objective[Candidate]) -> Candidate:
    """Return the likelier of two candidates as they are; the first if it cannot be told."""
    try:
        return second if objective(second)[0] > objective(first)[0] else first
    except SparseGPError:
        return first


@dataclass(frozen=True)
class _BentTarget:
    """One output bent by a curve and standardised, with derivatives by the curve's vector."""

    z: Vector  # (n,)
    log_slopes: float  # Σ log dz/dt
    z_by_shape: Array  # (n, k)
    log_slopes_by_shape: Vector  # (k,)


def _bent_targets(curves: Sequence[Curve], sample: Sample) -> list[_BentTarget]:
    if not curves:
        return []
    t = inner_scaling(sample.standard, curves[0]).apply(sample.y)  # (n, p)
    return [_bent_target(curve, t[:, i], sample.count) for i, curve in enumerate(curves)]


def _bent_target(curve: Curve, t: Vector, count: Vector) -> _BentTarget:
    """Bend and standardise; mean and deviation move with the curve, too."""
    total = float(np.sum(count))
    share = count / total
    g, (by_shape, slopes_by_shape) = curve.value(t), curve.derivatives(t)
    centred = g - share @ g
    deviation = float(np.sqrt(share @ centred**2)) or 1.0
    z = centred / deviation
    centred_by_shape = by_shape - share @ by_shape  # (n, k)
    deviation_by_shape = (share * z) @ centred_by_shape  # (k,)
    return _BentTarget(
        z,
        float(count @ curve.log_slope(t)) - total * log(deviation),
        (centred_by_shape - np.outer(z, deviation_by_shape)) / deviation,
        count @ slopes_by_shape - total * deviation_by_shape / deviation,
    )


def likeliest_alone(curve: Curve, t: Vector, count: Vector) -> Curve:
    """Return the curve that makes a target most like a sample of a normal distribution.

    What the inputs explain is not asked: where a search by the evidence begins.
    """
    total = float(np.sum(count))

    def alone(shaped: Curve) -> tuple[float, Vector]:
        bent = _bent_target(shaped, t, count)  # of which z has mean 0 and variance 1 anyhow
        return bent.log_slopes, bent.log_slopes_by_shape

    try:
        return maximise(alone, curve, max_evaluations=EVALUATIONS_ALONE, scale=total).parameters
    except OptimisationError:
        return curve
