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

from dataclasses import dataclass, field, replace
from math import log

import numpy as np

from sparsegp.arrays import Array
from sparsegp.exceptions import SparseGPError
from sparsegp.kernels.base import Vector
from sparsegp.learning.hyperparameters.ard_shrinkage import penalty
from sparsegp.learning.hyperparameters.optimise import Objective
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.structure.target_warps import WarpedTarget, warped_targets
from sparsegp.model.exact import exact_evidence
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.curves import Curve
from sparsegp.tables.transforms.scaling import Scaling

__all__ = [
    "COST_OF_BENDING",
    "Candidate",
    "Sample",
    "candidate_objective",
    "likelier",
    "seen_by",
]

#: What bending a column costs, in units of the log evidence.
COST_OF_BENDING = 1.0


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
        cost, by_theta = penalty(self.parameters.kernel, n)
        return COST_OF_BENDING * sum(self.bends) + cost, by_theta

    def cost(self, n: float) -> float:
        """Return what the evidence of n rows has to gain over a plain model with nothing bent."""
        n_shapes = sum(len(curve.vector) for curve in self.curves)
        return self.strain(n)[0] + 0.5 * (n_shapes + self.n_extra) * log(n)


def seen_by(candidate: Candidate, sample: Sample) -> tuple[Rows, list[WarpedTarget]]:
    """Return the sample as the model sees it, with what became of the targets.

    With x the straight and x′ the bent value of a column, the model sees x + b·(x′ − x).
    """
    columns, X = list(candidate.columns), sample.straight
    if columns:
        X = np.array(X)
        X[:, columns] += (sample.bent - sample.straight)[:, columns] * candidate.bends
    targets = warped_targets(candidate.curves, sample.y, sample.standard, sample.count)
    z = np.stack([t.z for t in targets], axis=1) if targets else sample.y  # (n, p)
    return Rows(X, z, sample.weight), targets


def candidate_objective(sample: Sample) -> Objective[Candidate]:
    """Return the log evidence of the sample, less the strain, as a function."""
    difference = sample.bent - sample.straight  # (n, D)

    def objective(candidate: Candidate) -> tuple[float, Vector]:
        columns, parameters = list(candidate.columns), candidate.parameters
        rows, targets = seen_by(candidate, sample)
        by_inputs = bool(columns) and not candidate.held
        found = exact_evidence(
            parameters.kernel, rows, parameters.noise_variance, by_inputs=by_inputs, quick=True
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
