"""A posterior that uses every label: hyperparameters and basis inputs polished on its evidence.

Given a basis, every row has a site (``model.propagation``). The evidence of these sites has a
gradient by the kernel's parameters, the probits' slope and biases and the basis inputs, so one
search moves them all. Sites are carried from one evaluation to the next: near the optimum a
single sweep brings them up to date.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sparsegp.arrays import Array
from sparsegp.data.rows import Rows
from sparsegp.kernels.base import Vector
from sparsegp.learning.class_parameters import ClassParameters
from sparsegp.learning.diary import Diary
from sparsegp.learning.optimise import Objective, maximise
from sparsegp.learning.progress import Listener, Progress
from sparsegp.model.features import make_basis
from sparsegp.model.propagation import FeatureRows, Propagated, propagate
from sparsegp.model.schemes import Scheme
from sparsegp.model.site_evidence import site_gradient
from sparsegp.model.sites import Sites

__all__ = ["Placed", "Stage", "likeliest_slope", "polish", "posteriors_of"]

# A search needs sites that are near their fixed point; a prediction wants them there.
TOLERANCE_OF_SEARCH = 1e-3

#: Trials for the first slope, as factors.
SLOPE_TRIALS = (1.0, 0.5, 0.25)


@dataclass(frozen=True)
class Placed:
    """Hyperparameters and, if they may move, basis inputs, as one vector."""

    parameters: ClassParameters
    Z: Array  # (m, D)
    moves: bool

    @property
    def vector(self) -> Vector:
        """The parameters' vector, then Z if it may move."""
        vector = self.parameters.vector
        return np.concatenate((vector, self.Z.ravel())) if self.moves else vector

    @property
    def bounds(self) -> Vector:
        """Limits of the vector: (q, 2)."""
        if not self.moves:
            return self.parameters.bounds
        anywhere = np.tile([-np.inf, np.inf], (self.Z.size, 1))
        return np.vstack((self.parameters.bounds, anywhere))

    def with_vector(self, vector: Vector) -> "Placed":
        """Return the same model elsewhere."""
        q = len(self.parameters.vector)
        Z = vector[q:].reshape(self.Z.shape) if self.moves else self.Z
        return replace(self, parameters=self.parameters.with_vector(vector[:q]), Z=Z)


@dataclass(frozen=True)
class Stage:
    """A search: on so many rows (None: all), with so many evaluations, inputs moving or not."""

    n_rows: int | None
    n_evaluations: int
    moves: bool


class _Evidence:
    """The log evidence as a function of what is placed; remembers the sites."""

    def __init__(self, rows: Rows, scheme: Scheme) -> None:
        self._rows, self._scheme = rows, scheme
        self._sites: Sites | None = None
        self._best = -np.inf

    def __call__(self, at: Placed) -> tuple[float, Vector]:
        features = FeatureRows(make_basis(at.parameters.kernel, at.Z), self._rows)
        found = propagate(
            features,
            at.parameters.probits,
            self._scheme,
            self._sites,
            tolerance=TOLERANCE_OF_SEARCH,
        )
        if found.log_evidence > self._best:  # sites of a point that was left are no start
            self._best, self._sites = found.log_evidence, found.sites
        slopes = site_gradient(features, found)
        by_parameters = at.parameters.gradient(slopes.theta, slopes.log_slope, slopes.bias)
        gradient = np.append(by_parameters, slopes.Z) if at.moves else by_parameters
        return found.log_evidence, gradient


def posteriors_of(
    rows: Rows, Z: Array, parameters: ClassParameters, scheme: Scheme, tolerance: float
) -> Propagated:
    """Return sites and posteriors of all rows."""
    features = FeatureRows(make_basis(parameters.kernel, Z), rows)
    return propagate(features, parameters.probits, scheme, tolerance=tolerance)


def likeliest_slope(
    rows: Rows, Z: Array, parameters: ClassParameters, scheme: Scheme
) -> ClassParameters:
    """Return the parameters with the best of a few slopes."""
    trials = [parameters.with_slope(parameters.slope * factor) for factor in SLOPE_TRIALS]
    values = [
        posteriors_of(rows, Z, trial, scheme, TOLERANCE_OF_SEARCH).log_evidence for trial in trials
    ]
    return trials[int(np.argmax(values))]


def polish(
    rows: Rows,
    Z: Array,
    parameters: ClassParameters,
    scheme: Scheme,
    stages: Sequence[Stage],
    rng: np.random.Generator,
    listener: Listener,
    diary: Diary,
) -> tuple[ClassParameters, Array]:
    """Return hyperparameters and basis inputs of a higher evidence."""
    order = rng.permutation(len(rows))
    placed = Placed(parameters, Z, moves=False)
    for stage in stages:
        whole = stage.n_rows is None or stage.n_rows >= len(rows)
        used = rows if whole else rows.take(np.sort(order[: stage.n_rows]))
        phase = "moving the basis" if stage.moves else "hyperparameters at the basis"
        objective: Objective[Placed] = _Evidence(used, scheme)

        def tell(step: int, value: float, stage: Stage = stage, phase: str = phase) -> None:
            listener(Progress(phase, step, stage.n_evaluations, value))

        found = maximise(
            objective,
            replace(placed, moves=stage.moves),
            max_evaluations=stage.n_evaluations,
            scale=max(used.total_weight, 1.0),
            tell=tell,
        )
        placed = found.parameters
        diary.note_optimum(f"{phase}, {len(used)} rows", found)
    return placed.parameters, placed.Z
