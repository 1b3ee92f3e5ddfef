"""What the first rows of a stream decide: transforms, kernel, noise, scale of targets, likelihood.

Transforms and kernel that are left open are chosen as for the other estimators, with a random
generator of their own, which leaves the random numbers of the hyperparameter search unchanged.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from sparsegp.arrays import Array
from sparsegp.exceptions import SparseGPError
from sparsegp.kernels.base import Kernel
from sparsegp.kernels.named import named_kernel
from sparsegp.learning.classes.label_targets import (
    labels_as_numbers,
    learn_transforms_for_labels,
    start_as_numbers,
    usual_margins,
)
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.exact_subsets import first_parameters
from sparsegp.learning.hyperparameters.length_scale_prior import log_prior
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.policy import SHORT_STAGES
from sparsegp.learning.streams import policy
from sparsegp.learning.streams.config import Inputs, StreamConfig
from sparsegp.learning.streams.label_noise import LabelModel, likeliest
from sparsegp.learning.streams.warmup import enough_to_learn, widening
from sparsegp.learning.structure.choose_transforms import FittedTransforms
from sparsegp.learning.structure.kernel_families import thrifty_kernel
from sparsegp.learning.structure.learn_transforms import learn_transforms
from sparsegp.learning.structure.transform_options import TransformOptions
from sparsegp.likelihoods import Likelihood, Shifted
from sparsegp.likelihoods.named import named_likelihood
from sparsegp.model.exact import exact_log_evidence
from sparsegp.tables.rows import Rows
from sparsegp.tables.sources.memory import MemoryTable
from sparsegp.tables.targets import Targets
from sparsegp.tables.transforms.columns import NONE, STANDARD
from sparsegp.tables.transforms.scaling import Scaling, fit_scaling

__all__ = ["ClassTask", "RegressionTask"]


def _learned(
    rows: Rows, prepared: FittedTransforms, context: FitContext, previous: StreamConfig | None
) -> Parameters:
    """Return hyperparameters of the highest posterior density, from the start or the last ones."""
    # a stream may begin with equal targets; learning from them that there is no noise would leave
    # an overconfident model for good
    start, warm_start = prepared.start, prepared.warm_start
    if not enough_to_learn(rows, start.vector) or np.all(rows.y == rows.y[0]):
        return start
    found = first_parameters(
        rows, start, context, stages=SHORT_STAGES, warm_start=warm_start, length_scale_prior=True
    )
    last = _continued(start, previous)
    if last is None or _evidence(rows, last) <= _evidence(rows, found[-1].parameters):
        return found[-1].parameters
    again = first_parameters(
        rows, start, context, stages=SHORT_STAGES, warm_start=last, length_scale_prior=True
    )
    return max((last, again[-1].parameters), key=lambda each: _evidence(rows, each))


def _continued(start: Parameters, previous: StreamConfig | None) -> Parameters | None:
    """Return the parameters of the last setup, if its kernel has the same ones."""
    if previous is None or type(previous.kernel) is not type(start.kernel):
        return None
    if previous.kernel.parameter_names != start.kernel.parameter_names:
        return None
    kernel = start.kernel.with_theta(previous.kernel.theta)
    return replace(start, kernel=kernel, noise_variance=previous.noise_variance)


def _evidence(rows: Rows, parameters: Parameters) -> float:
    """Return the log evidence of the rows, with the prior on length scales."""
    try:
        value = exact_log_evidence(parameters.kernel, rows, parameters.noise_variance, quick=True)
    except SparseGPError:
        return -np.inf
    return value + log_prior(parameters)[0]


def _target_scaling(rows: Rows, kind: str) -> Scaling:
    """Return the scaling of targets; of equal ones the size is all that is known of their scale."""
    scaling = fit_scaling(rows.y, rows.weight, kind)
    if kind == NONE or len(rows) >= policy.MIN_ROWS_TO_LEARN:
        return scaling
    first = np.abs(rows.y[0])
    unknown = np.all(rows.y == rows.y[0], axis=0) & (first > 0.0)
    return Scaling(scaling.offset, np.where(unknown, first, scaling.scale))


@dataclass(frozen=True)
class RegressionTask:
    """Numbers, (n, K): outputs share the kernel and the likelihood."""

    start: Parameters
    likelihood: str | Likelihood
    transform_y: str
    optimise: bool
    calibrate: bool = False
    bias: float | None = None  # prior mean of the functions, in units of y; None: by the first rows

    def set_up(
        self,
        rows: Rows,
        columns: tuple[str, ...],
        context: FitContext,
        previous: StreamConfig | None = None,
    ) -> tuple[Inputs, StreamConfig]:
        """Decide by the first rows; a search may continue from the previous decision.

        Hyperparameters are those of Gaussian noise, for the targets themselves or for the rough
        latent values that a likelihood estimates from them.
        """
        scaling_y = _target_scaling(rows, self.transform_y)
        scaled = Rows(rows.X, scaling_y.apply(rows.y), rows.weight)
        given = None if self.bias is None else scaling_y.apply(np.full(rows.y.shape[1:], self.bias))
        numbers = self._guess(scaled, self.start.noise_variance, given)
        prepared = learn_transforms(
            MemoryTable(rows.X, Targets(numbers.y, rows.weight)),
            TransformOptions(columns, NONE),
            self.start,
            context.spawn(),
            optimise=self.optimise,
            plain=thrifty_kernel,
        )
        found = prepared.start
        if self.optimise:
            seen = Rows(prepared.inputs.apply(rows.X), numbers.y, rows.weight)
            found = _learned(seen, prepared, context, previous)
        likelihood = self.likelihood_with(found.noise_variance)
        centre = self._centre(scaled, found.noise_variance) if given is None else given
        if np.any(centre):
            likelihood = Shifted(likelihood, centre if len(centre) > 1 else float(centre[0]))
        decided = StreamConfig(
            found.kernel,
            likelihood,
            scaling_y,
            found.noise_variance,
            self.calibrate,
            self._largest_variance(rows, prepared.start),
        )
        return Inputs(prepared.inputs, prepared.columns), decided

    def _largest_variance(self, rows: Rows, start: Parameters) -> float | None:
        """Return the largest variance of functions of scaled targets, if rows are few."""
        if not (self.calibrate and self.optimise) or enough_to_learn(rows, start.vector):
            return None
        return policy.LARGEST_VARIANCE * widening(rows.total_weight)

    def likelihood_with(self, noise_variance: float) -> Likelihood:
        """Return the likelihood; a named one has noise of this variance."""
        if isinstance(self.likelihood, str):
            return named_likelihood(self.likelihood, noise_variance)
        return self.likelihood

    def _guess(self, rows: Rows, noise_variance: float, given: Array | None) -> Rows:
        """Return rough latent values in place of targets, less a given mean (K,).

        Without one they are centred if they are estimates.
        """
        guess = getattr(self.likelihood_with(noise_variance), "latent_guess", None)
        values = rows.y if guess is None else guess(rows.y)  # (n, K)
        if guess is not None and given is None:
            given = np.average(values, 0, rows.weight)
        return rows if given is None else Rows(rows.X, values - given, rows.weight)

    def _centre(self, rows: Rows, noise_variance: float) -> Array:
        """Return the offsets of the latent functions: (K,)."""
        likelihood = self.likelihood_with(noise_variance)
        centre = getattr(likelihood, "latent_centre", None)
        if centre is not None:
            weight = np.ones(len(rows)) if rows.weight is None else rows.weight
            return np.asarray(centre(rows.y, weight))
        guess = getattr(likelihood, "latent_guess", None)
        if guess is None:
            return np.zeros(rows.y.shape[1])
        return np.average(guess(rows.y), 0, rows.weight)


def _average_margin(n_columns: int) -> float:
    """Return the margin of one of equally frequent classes; one column means two classes."""
    return float(ndtri(1.0 / max(n_columns, 2)))


def _deviation(kernel: Kernel, X: Array) -> float:
    """Return the prior standard deviation of a function around its mean over the rows.

    What all rows share, as with a long length scale, moves no row beyond another.
    """
    own, shared = float(np.mean(kernel.diagonal(X))), float(np.mean(kernel(X, X)))
    return max(own - shared, policy.LEAST_OWN_SHARE * own) ** 0.5


@dataclass(frozen=True)
class ClassTask:
    """Labels ±1, (n, K): one column for two classes, else one for each."""

    start: Parameters
    slope: float
    optimise: bool
    bias: float | None = None  # prior mean of the functions; None: by the frequencies of classes
    calibrate: bool = False  # whether probabilities follow those of the last labels
    label_noise: float | None = 0.0  # share of labels drawn at random; None: by the first rows
    may_be_linear: bool = False  # whether a linear kernel is tried beside that of the start

    def set_up(
        self,
        rows: Rows,
        columns: tuple[str, ...],
        context: FitContext,
        previous: StreamConfig | None = None,
    ) -> tuple[Inputs, StreamConfig]:
        """Decide by the first rows: labels as numbers give the kernel, and the noise the slope.

        A class that has not occurred yet, or the only one that has, tells nothing of either. It is
        taken to be as frequent as an average class: with the frequency observed so far it could
        hardly be learned when it occurs later.
        """
        mixed = np.any(rows.y != rows.y[0], axis=0)  # (K,)
        known = rows.y[:, mixed] if np.any(mixed) else rows.y
        prepared = learn_transforms_for_labels(
            MemoryTable(rows.X, Targets(known, rows.weight)),
            TransformOptions(columns, STANDARD),
            start_as_numbers(self.start.kernel),
            context.spawn(),
            optimise=self.optimise,
        )
        n_columns = rows.y.shape[1]
        margins = np.where(mixed, usual_margins(rows), _average_margin(n_columns))
        start = LabelModel(
            prepared.start.kernel,
            self.slope,
            self.label_noise or 0.0,
            margins,
            max(n_columns, 2),
            self.bias,
        )
        found = start
        if self.optimise and np.any(mixed):
            seen = Rows(prepared.inputs.apply(rows.X), rows.y, rows.weight)
            found = self._learned(start, seen, known, prepared, context)
        decided = StreamConfig(
            found.kernel,
            found.likelihood,
            fit_scaling(rows.y, None, NONE),
            found.slope**-2,
            self.calibrate,
        )
        return Inputs(prepared.inputs, prepared.columns), decided

    def _learned(
        self,
        start: LabelModel,
        rows: Rows,
        known: Array,
        prepared: FittedTransforms,
        context: FitContext,
    ) -> LabelModel:
        """Return the likeliest model of the labels, with the kernel of the start or a linear one.

        ``known`` are the columns of classes that tell something.
        """
        first = self._by_numbers(start, rows, known, prepared, context)
        is_decided = self.label_noise == 0.0 and not self.may_be_linear
        if first is None or is_decided or len(rows.y) < policy.ROWS_TO_COMPARE_LABELS:
            return first or start
        best = likeliest(first, rows, self.label_noise)
        if self.may_be_linear:
            n_features = rows.X.shape[1]
            # one variance for all slopes: those that tell nothing now may do so later
            kernel = named_kernel("linear", 1.0, n_features)
            linear = self._by_numbers(replace(start, kernel=kernel), rows, known, prepared, context)
            found = likeliest(linear or start, rows, self.label_noise)
            best = found if found.leads(best) else best
        return best.model

    def _by_numbers(
        self,
        start: LabelModel,
        rows: Rows,
        known: Array,
        prepared: FittedTransforms,
        context: FitContext,
    ) -> LabelModel | None:
        """Learn kernel and slope by a regression on the labels as numbers, if rows are enough."""
        if not enough_to_learn(rows, replace(self.start, kernel=start.kernel).vector):
            return None
        found = labels_as_numbers(
            Rows(rows.X, known, rows.weight),
            prepared.targets,
            start.kernel,
            context,
            warm_start=prepared.warm_start if start.kernel is prepared.start.kernel else None,
            length_scale_prior=True,
        )
        steepest = policy.MAX_SLOPE_TIMES_DEVIATION / _deviation(found.kernel, rows.X)
        slope = max(min(found.noise_variance**-0.5, steepest), policy.MIN_SLOPE)
        return replace(start, kernel=found.kernel, slope=slope)
