"""Hyperparameters and inducing inputs of a classifier, by the evidence of a site for every row.

Given a basis, every row has a Gaussian site (``model.sites.inference``). The evidence of these
sites has a gradient by the kernel's parameters, the probits' slope and biases and the inducing
inputs, so one search optimises them all. Sites are a warm start for the next evaluation: near the
optimum a single sweep brings them up to date.
"""

from collections.abc import Callable

import numpy as np

from sparsegp.arrays import Array
from sparsegp.kernels.base import Vector
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.hyperparameters import policy
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.learning.hyperparameters.joint_parameters import JointParameters
from sparsegp.learning.hyperparameters.optimise import maximise
from sparsegp.learning.hyperparameters.shared_length_scales import log_prior
from sparsegp.model.feature_rows import FeatureRows, feature_rows
from sparsegp.model.features import make_basis
from sparsegp.model.sites.gaussian_sites import Sites
from sparsegp.model.sites.gradient import site_gradient
from sparsegp.model.sites.inference import InferredSites, infer_sites
from sparsegp.model.sites.updates import Scheme
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = ["optimise_at_sites", "posteriors_of"]


class _Evidence:
    """The log evidence as a function of the joint parameters; keeps sites as a warm start."""

    def __init__(self, rows: Rows, scheme: Scheme, *, shared: bool) -> None:
        self._rows, self._scheme, self._shared = rows, scheme, shared
        self.sites: Sites | None = None  # at the best point so far
        self._best = -np.inf

    def __call__(self, at: JointParameters[ClassParameters]) -> tuple[float, Vector]:
        features = FeatureRows(make_basis(at.parameters.kernel, at.Z), self._rows)
        found = infer_sites(
            features,
            at.parameters.probits,
            self._scheme,
            self.sites,
            tolerance=policy.SITE_TOLERANCE,
        )
        if found.log_evidence > self._best:  # sites of a point that was left are no warm start
            self._best, self.sites = found.log_evidence, found.sites
        slopes = site_gradient(features, found)
        prior, by_theta = log_prior(at.parameters.kernel) if self._shared else (0.0, 0.0)
        by_parameters = at.parameters.gradient(
            slopes.theta + by_theta, slopes.log_slope, slopes.bias
        )
        return found.log_evidence + prior, at.gradient(by_parameters, slopes.Z)


def posteriors_of(
    rows: AnyRows,
    Z: Array,
    parameters: ClassParameters,
    scheme: Scheme,
    tolerance: float,
    start: Sites | None = None,
    go_on: Callable[[], bool] = lambda: True,
) -> InferredSites:
    """Return sites and posteriors of all rows."""
    features = feature_rows(make_basis(parameters.kernel, Z), rows)
    return infer_sites(
        features, parameters.probits, scheme, start, tolerance=tolerance, go_on=go_on
    )


def optimise_at_sites(
    rows: Rows,
    start: JointParameters[ClassParameters],
    scheme: Scheme,
    n_evaluations: int,
    context: FitContext,
    *,
    shared: bool = False,
) -> tuple[JointParameters[ClassParameters], Sites | None]:
    """Return hyperparameters, and inducing inputs if they may move, of a higher evidence.

    Also return the sites of the rows there. With ``shared`` the prior that holds length scales
    together is added to the evidence.
    """
    phase = Phase.REFINEMENT if start.moves else Phase.ADAPTATION
    objective = _Evidence(rows, scheme, shared=shared)
    iterations = context.budget.iterations()
    found = maximise(
        objective,
        start,
        max_evaluations=n_evaluations,
        scale=max(rows.total_weight, 1.0),
        tell=lambda step, value: context.listener(
            Progress(phase.label(), step, n_evaluations, value)
        ),
        go_on=iterations,
    )
    detail = f"{len(rows)} rows"
    iterations.note(phase.label(detail), found.n_evaluations)
    context.history.note_search(phase, found, detail)
    return found.parameters, objective.sites
