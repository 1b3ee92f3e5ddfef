"""A posterior that uses every label: hyperparameters and basis inputs polished on its evidence.

Given a basis, every row has a site (``model.propagation``). The evidence of these sites has a
gradient by the kernel's parameters, the probits' slope and biases and the basis inputs, so one
search moves them all. Sites are carried from one evaluation to the next: near the optimum a
single sweep brings them up to date.
"""

from collections.abc import Callable

import numpy as np

from sparsegp.arrays import Array
from sparsegp.kernels.base import Vector
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.learning.hyperparameters.joint_parameters import JointParameters
from sparsegp.learning.hyperparameters.optimise import Objective, maximise
from sparsegp.model.feature_rows import FeatureRows, feature_rows
from sparsegp.model.features import make_basis
from sparsegp.model.sites.gaussian_sites import Sites
from sparsegp.model.sites.gradient import site_gradient
from sparsegp.model.sites.inference import Propagated, propagate
from sparsegp.model.sites.updates import Scheme
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = ["likeliest_slope", "polish", "posteriors_of"]

# A search needs sites that are near their fixed point; a prediction wants them there. With 1e-3 a
# value is off by more than a step gains, and searches on ringnorm ended after 38 evaluations, 50
# below what 3e-4 and 1e-4 found.
TOLERANCE_OF_SEARCH = 3e-4

#: Trials for the first slope, as factors.
SLOPE_TRIALS = (1.0, 0.5, 0.25)


class _Evidence:
    """The log evidence as a function of what is placed; remembers the sites."""

    def __init__(self, rows: Rows, scheme: Scheme) -> None:
        self._rows, self._scheme = rows, scheme
        self._sites: Sites | None = None
        self._best = -np.inf

    def __call__(self, at: JointParameters[ClassParameters]) -> tuple[float, Vector]:
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
        return found.log_evidence, at.gradient(by_parameters, slopes.Z)


def posteriors_of(
    rows: AnyRows,
    Z: Array,
    parameters: ClassParameters,
    scheme: Scheme,
    tolerance: float,
    go_on: Callable[[], bool] = lambda: True,
) -> Propagated:
    """Return sites and posteriors of all rows."""
    features = feature_rows(make_basis(parameters.kernel, Z), rows)
    return propagate(features, parameters.probits, scheme, tolerance=tolerance, go_on=go_on)


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
    start: JointParameters[ClassParameters],
    scheme: Scheme,
    n_evaluations: int,
    context: FitContext,
) -> JointParameters[ClassParameters]:
    """Return hyperparameters and basis inputs of a higher evidence."""
    phase = "moving the basis" if start.moves else "hyperparameters at the basis"
    objective: Objective[JointParameters[ClassParameters]] = _Evidence(rows, scheme)
    iterations = context.budget.iterations()
    found = maximise(
        objective,
        start,
        max_evaluations=n_evaluations,
        scale=max(rows.total_weight, 1.0),
        tell=lambda step, value: context.listener(Progress(phase, step, n_evaluations, value)),
        go_on=iterations,
    )
    iterations.note(f"{phase}, {len(rows)} rows", found.n_evaluations)
    context.history.note_optimum(f"{phase}, {len(rows)} rows", found)
    return found.parameters
