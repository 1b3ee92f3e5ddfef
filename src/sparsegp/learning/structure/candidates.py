"""Candidates: models that are tried on some of the rows, one of which becomes the fit's.

A candidate is a kernel with its noise, a warp of each column between standardised and normal
scores, and curves that warp the targets. All of this is one vector. Its score is the exact evidence
of a subset, for the targets in their own units: with z the warped and standardised targets,

    log p(y) = log N(z | 0, K + σ²I) + Σ log dz/dy,

so that candidates with different target warps can be compared. Every fully warped column costs
COST_OF_WARPED_COLUMN, every parameter of a curve and every parameter that a kernel has beyond those
of the plain one ½ log n (BIC). A prior holds length scales together while rows are few
(``shared_length_scales``).
"""

from dataclasses import dataclass, field, replace
from math import log

import numpy as np

from sparsegp.arrays import Array
from sparsegp.exceptions import SparseGPError
from sparsegp.kernels.base import Vector
from sparsegp.learning.hyperparameters.optimise import Objective
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.shared_length_scales import few_rows, log_prior
from sparsegp.learning.structure import policy
from sparsegp.learning.structure.target_warps import WarpedTarget, warped_targets
from sparsegp.model.exact import exact_evidence
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.curves import Curve
from sparsegp.tables.transforms.scaling import Scaling

__all__ = [
    "Candidate",
    "Sample",
    "candidate_objective",
    "likelier",
    "transformed",
]


@dataclass(frozen=True)
class Sample:
    """Rows that candidates are tried on."""

    unwarped: Array  # (n, D), inputs with no column warped
    warped: Array  # (n, D), inputs with all columns fully warped
    y: Array  # (n, p), targets in their own units
    standard: Scaling  # of all targets
    weight: Array | None = None

    @property
    def count(self) -> Vector:
        """The weight of each row: (n,)."""
        return np.ones(len(self.y)) if self.weight is None else self.weight

    @property
    def total(self) -> float:
        """The total weight, at least one."""
        return max(float(np.sum(self.count)), 1.0)

    def take(self, indices: Array) -> "Sample":
        """Return some of the rows."""
        return replace(
            self,
            unwarped=self.unwarped[indices],
            warped=self.warped[indices],
            y=self.y[indices],
            weight=None if self.weight is None else self.weight[indices],
        )


@dataclass(frozen=True)
class Candidate:
    """A model to be tried; its free coordinates are its vector."""

    parameters: Parameters
    curves: tuple[Curve, ...] = ()  # one an output; none: targets as they are
    columns: tuple[int, ...] = ()  # those that may be warped
    column_warps: tuple[float, ...] = ()  # of each of these, from 0 to 1
    fixed: bool = field(default=False, kw_only=True)  # hyperparameters are not optimised
    held: bool = field(default=False, kw_only=True)  # column warps are not optimised
    n_extra: int = field(default=0, kw_only=True)  # parameters beyond those of the plain kernel

    @property
    def vector(self) -> Vector:
        """Coordinates of the hyperparameters, the column warps, the curves."""
        free = [] if self.fixed else [self.parameters.vector]
        warps = np.array(() if self.held else self.column_warps)
        return np.concatenate([*free, warps, *(c.vector for c in self.curves)])

    @property
    def bounds(self) -> Vector:
        """Limits of the vector: (q, 2)."""
        free = [] if self.fixed else [self.parameters.bounds]
        warps = np.tile([0.0, 1.0], (0 if self.held else len(self.column_warps), 1))
        return np.concatenate([*free, warps, *(c.bounds for c in self.curves)])

    def with_vector(self, vector: Vector) -> "Candidate":
        """Return the candidate at other coordinates."""
        n_free = 0 if self.fixed else len(self.parameters.vector)
        n_warps = 0 if self.held else len(self.column_warps)
        sizes = [n_free, n_warps, *(len(c.vector) for c in self.curves)]
        free, warps, *shapes = np.split(vector, np.cumsum(sizes)[:-1])
        return replace(
            self,
            parameters=self.parameters if self.fixed else self.parameters.with_vector(free),
            column_warps=self.column_warps if self.held else tuple(map(float, warps)),
            curves=tuple(c.with_vector(v) for c, v in zip(self.curves, shapes, strict=True)),
        )

    def strain(self, n: float) -> tuple[float, Vector]:
        """Return the continuous costs, of warps and length scales, and the gradient by theta."""
        kernel, warps = (
            self.parameters.kernel,
            policy.COST_OF_WARPED_COLUMN * sum(self.column_warps),
        )
        if not (self.parameters.shared or few_rows(n, kernel)):
            return warps, np.zeros(len(kernel.theta))
        prior, by_theta = log_prior(kernel)
        return warps - prior, -by_theta

    def cost(self, n: float) -> float:
        """Return what the evidence of n rows has to gain over a plain model without warps."""
        n_shapes = sum(len(curve.vector) for curve in self.curves)
        return self.strain(n)[0] + 0.5 * (n_shapes + self.n_extra) * log(n)


def transformed(candidate: Candidate, sample: Sample) -> tuple[Rows, list[WarpedTarget]]:
    """Return the sample as the model sees it, and its warped targets.

    With x the unwarped and x′ the warped value of a column, the model sees x + b·(x′ − x).
    """
    columns, X = list(candidate.columns), sample.unwarped
    if columns:
        X = np.array(X)
        X[:, columns] += (sample.warped - sample.unwarped)[:, columns] * candidate.column_warps
    targets = warped_targets(candidate.curves, sample.y, sample.standard, sample.count)
    z = np.stack([t.z for t in targets], axis=1) if targets else sample.y  # (n, p)
    return Rows(X, z, sample.weight), targets


def candidate_objective(sample: Sample) -> Objective[Candidate]:
    """Return the log evidence of the sample less the continuous costs, as a function."""
    difference = sample.warped - sample.unwarped  # (n, D)

    def objective(candidate: Candidate) -> tuple[float, Vector]:
        columns, parameters = list(candidate.columns), candidate.parameters
        rows, targets = transformed(candidate, sample)
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
            gradient.append(pulled - policy.COST_OF_WARPED_COLUMN)
        gradient += [
            found.y[:, i] @ t.z_by_shape + t.log_slopes_by_shape for i, t in enumerate(targets)
        ]
        return value, np.concatenate([np.empty(0), *gradient])

    return objective


def likelier(first: Candidate, second: Candidate, objective: Objective[Candidate]) -> Candidate:
    """Return the likelier of two candidates as they are; the first on error."""
    try:
        return second if objective(second)[0] > objective(first)[0] else first
    except SparseGPError:
        return first
