"""Classes by least squares: labels ±1 taken for numbers to the end.

A sparse regression on the labels (``sparse``) chooses basis and hyperparameters; all classes share
one noise, hence one posterior covariance, and nothing is iterated. Its means are estimates of
P(class) − P(other classes), not beliefs with a probit in mind, so how certain they are is learned
afterwards: the functions that a row left out has, N(μ₋ᵢ, τ v₋ᵢ), go through the same probits as
those of other inference, and slope λ and factor τ are those that give the labels the highest
probability. The biases are the mean labels, which regression had taken away.
"""

from dataclasses import replace
from math import log
from typing import cast

import numpy as np
from scipy.optimize import minimize

from sparsegp.arrays import Array, to_numpy
from sparsegp.kernels.base import FIXED, Vector
from sparsegp.learning.classes.class_fit import ClassFit, ClassSettings
from sparsegp.learning.classes.label_targets import numbers_of, start_as_numbers
from sparsegp.learning.context import FitContext
from sparsegp.learning.fit_regression import RegressionFit, fit_regression
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.settings import Settings
from sparsegp.model.approximation import DTC
from sparsegp.model.classes import label_log_probabilities
from sparsegp.model.leave_one_out.predictions import leave_one_out
from sparsegp.model.posterior import Posterior
from sparsegp.tables.index_sampling import draw
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Warps

__all__ = ["LEAST_SQUARES", "fit_least_squares", "shorten_least_squares"]

#: The name of this inference.
LEAST_SQUARES = "least_squares"

# Rows that slope and τ are learned by: two numbers are known well enough from so many. Those of the
# basis judge, too: they are the hard ones, and without them a model looks surer than it is (USPS:
# NLP .030 of rows left out, .060 of new ones).
JUDGES = 5_000
# τ stays within these limits: few rows, or many that are easy, must not decide on absurd ones.
TAU_BOUNDS = (1e-2, 1e2)


def fit_least_squares(
    rows: AnyRows,
    scaling: Scaling | Warps,
    start: ClassParameters,
    settings: ClassSettings,
    context: FitContext,
    warm_start: Parameters | None = None,
) -> ClassFit:
    """Fit; the targets of the rows (n, C) are labels ±1, which ``scaling`` makes numbers of."""
    there = cast(Scaling, scaling)  # where the rows are; labels are scaled, never bent
    units = Scaling(to_numpy(there.offset), to_numpy(there.scale))
    unit = float(np.mean(units.scale**2))
    learns = settings.optimise and start.slope_bounds != FIXED
    # the noise of labels is that of the probit, if it is given
    noise = start.slope**-2 / unit
    first = start_as_numbers(start.kernel) if learns else Parameters(start.kernel, noise, FIXED)
    numbers = numbers_of(rows, there)
    options = _as_regression(settings)
    fit = fit_regression(numbers, first, options, context, warm_start=warm_start)
    posteriors, biases = _of_labels(fit.posterior, units), tuple(map(float, units.offset))
    parameters = replace(start, kernel=fit.parameters.kernel, biases=biases)
    if learns:
        first_slope = (unit * fit.parameters.noise_variance) ** -0.5
        parameters = replace(parameters.with_slope(first_slope), biases=biases)
        calibration_rows = rows.take(np.sort(draw(len(rows), JUDGES, context.rng)))
        left_out = _left_out(
            fit,
            Rows(calibration_rows.X, there.apply(calibration_rows.y), calibration_rows.weight),
            units,
        )
        parameters, tau = _certainty(parameters, calibration_rows, *left_out)
        posteriors = tuple(_widened(posterior, tau) for posterior in posteriors)
    return ClassFit(
        parameters,
        fit.chosen,
        fit.path,
        posteriors,
        LEAST_SQUARES,
        float(fit.evidences[-1]),
        fit.history,
        evidences=fit.evidences,
    )


def shorten_least_squares(fit: ClassFit, n_basis: int) -> ClassFit:
    """Return the model with the first basis vectors only: sums over rows are known already."""
    first = fit.posteriors[0].prefix(n_basis)
    posteriors = tuple(
        replace(p.prefix(n_basis), basis=first.basis, precision=first.precision)
        for p in fit.posteriors
    )
    evidences = cast(Vector, fit.evidences)[:n_basis]
    return replace(
        fit,
        chosen=fit.chosen[:n_basis],
        path=fit.path[:n_basis],
        posteriors=posteriors,
        log_evidence=float(evidences[-1]),
        evidences=evidences,
    )


def _as_regression(settings: ClassSettings) -> Settings:
    """Return the settings of the regression: what is said of size and time, else its defaults."""
    return Settings(
        DTC,
        "log_posterior",
        settings.active.max_basis,
        optimise=settings.optimise,
        refine_basis=settings.refine_basis is True,
        calibrate=False,
    )


def _of_labels(posterior: Posterior, scaling: Scaling) -> tuple[Posterior, ...]:
    """Return the posterior of each column, in units of labels; the bias is theirs to add."""
    return tuple(
        replace(
            _widened(posterior, float(scale) ** 2),
            beta=posterior.beta[:, c : c + 1] * float(scale),
            alpha=posterior.alpha[:, c : c + 1] * float(scale),
        )
        for c, scale in enumerate(scaling.scale)
    )


def _widened(posterior: Posterior, factor: float) -> Posterior:
    """Return the posterior with all variances times a factor."""
    return replace(
        posterior,
        weight_scale=factor * posterior.weight_scale,
        residual_scale=factor * posterior.residual_scale,
    )


def _left_out(fit: RegressionFit, numbers: Rows, units: Scaling) -> tuple[Array, Array]:
    """Return mean and variance that each row has by the others, in units of labels: (n, C) each."""
    found = leave_one_out(fit.posterior, numbers, fit.parameters.noise_variance)
    variance = to_numpy(found.residual + found.weights)[:, None]  # (n, 1)
    return to_numpy(found.mean) * units.scale, variance * units.scale**2


def _certainty(
    parameters: ClassParameters, calibration_rows: Rows, mean: Array, variance: Array
) -> tuple[ClassParameters, float]:
    """Return the parameters at the slope, and the τ, that find the labels the most probable."""
    labels = to_numpy(calibration_rows.y)
    share = (
        np.ones(len(labels))
        if calibration_rows.weight is None
        else to_numpy(calibration_rows.weight)
    )
    share = share / np.sum(share)

    def loss(at: Vector) -> float:
        slope, tau = np.exp(at)
        probits = replace(parameters, slope=float(slope)).probits
        return -float(share @ label_log_probabilities(probits, labels, mean, tau * variance))

    start = np.array([log(parameters.slope), 0.0])
    low, high = (float(limit) for limit in parameters.slope_bounds)
    limits = [(log(low), log(high)), (log(TAU_BOUNDS[0]), log(TAU_BOUNDS[1]))]
    best = minimize(loss, start, method="L-BFGS-B", bounds=limits).x
    slope, tau = map(float, np.exp(best))
    return replace(parameters, slope=slope), tau
