"""Predictions of ``SparseGPRegressor`` and ``SparseGPClassifier`` as ONNX operators."""

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import solve_lower, solve_lower_transposed
from sparsegp.estimators.classifier import SparseGPClassifier
from sparsegp.estimators.regressor import SparseGPRegressor
from sparsegp.exceptions import CannotSaveError
from sparsegp.files.onnx_graph import Graph
from sparsegp.files.onnx_kernels import kernel_block, kernel_diagonal
from sparsegp.files.onnx_probabilities import output_probabilities
from sparsegp.files.onnx_transforms import transformed_columns, warped_moments
from sparsegp.model.mean_only import MeanOnly
from sparsegp.model.neighbours.prediction import NeighbourPosterior
from sparsegp.model.noise.predictive import LOG_LIMIT, Noise
from sparsegp.model.posterior import Posterior
from sparsegp.model.target_mean import TargetMean
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Warps

__all__ = ["sparse_classification", "sparse_regression"]

Floats = npt.NDArray[np.float64]


def sparse_regression(g: Graph, model: SparseGPRegressor) -> None:
    """Add the outputs ``mean`` and ``std``."""
    posterior = _posterior_of(model)
    X = transformed_columns(g, model._scaling_X, "X")
    kernel = posterior.kernel if isinstance(posterior, MeanOnly) else posterior.basis.kernel
    K = kernel_block(g, kernel, X, posterior.Z)
    if isinstance(model._scaling_y, Warps):
        _warped_regression(g, model, posterior, model._scaling_y, X, K)
    else:
        _scaled_regression(g, model, posterior, model._scaling_y, X, K)


def _posterior_of(model: SparseGPRegressor) -> Posterior | MeanOnly:
    """Return the posterior; a graph cannot search for neighbours."""
    posterior: Posterior | NeighbourPosterior | MeanOnly = model._posterior
    if isinstance(posterior, NeighbourPosterior):
        raise CannotSaveError(
            f"to_onnx has no operators for neighbours, and this model has n_neighbors_="
            f"{posterior.k}: fit with n_neighbors=0, or save the model with compact=True, load it "
            "and export that one, whose basis alone predicts"
        )
    return posterior


def _warped_regression(
    g: Graph,
    model: SparseGPRegressor,
    posterior: Posterior | MeanOnly,
    targets: Warps,
    X: str,
    K: str,
) -> None:
    """Output mean and standard deviation of a warped target."""
    n_outputs, one_target = len(targets.warps), model._one_target
    if isinstance(posterior, MeanOnly):
        raise CannotSaveError(
            "the mean of a warped target depends on the variance, which a model saved with "
            "variance=False does not have"
        )
    mean = g.op("MatMul", K, g.constant(posterior.alpha))  # (n, p)
    noise = _noise_variance(g, model._noise, X, mean, n_outputs)
    scale = g.op("Sqrt", g.op("Add", _latent_variance(g, posterior, X, K), noise))  # (n, 1)
    moments = [
        warped_moments(g, warp, g.columns(mean, [i]), scale, model._noise.tails)
        for i, warp in enumerate(targets.warps)
    ]
    means, deviations = (g.side_by_side(values) for values in zip(*moments, strict=True))
    if model._target_mean is not None:
        means = _mixed_mean(g, model._target_mean, posterior, K, means)
    for name, values in (("mean", means), ("std", deviations)):
        g.target_output(name, values, n_outputs, one_target=one_target)


def _mixed_mean(g: Graph, mean: TargetMean, posterior: Posterior, K: str, warped: str) -> str:
    """Return the mean of a warped target (n, p), mixed with the linear prediction of it."""
    scale, offset = mean.scaling.scale[None, :], mean.scaling.offset[None, :]  # (1, p)
    alpha = solve_lower_transposed(posterior.basis.L, mean.beta)
    linear = g.op("Add", g.op("MatMul", K, g.constant(alpha * scale)), g.constant(offset))
    linear = g.op("Max", linear, g.constant(mean.low[None, :]))
    linear = g.op("Min", linear, g.constant(mean.high[None, :]))
    apart = g.op("Sub", linear, warped)
    return g.op("Add", warped, g.op("Mul", apart, g.constant(mean.share[None, :])))


def _scaled_regression(
    g: Graph,
    model: SparseGPRegressor,
    posterior: Posterior | MeanOnly,
    scaling: Scaling,
    X: str,
    K: str,
) -> None:
    """Output mean and standard deviation of a standardised target."""
    one_target = model._one_target
    n_outputs = posterior.alpha.shape[1]
    scale, offset = scaling.scale[None, :], g.constant(scaling.offset[None, :])  # (1, p)
    mean = g.op("Add", g.op("MatMul", K, g.constant(posterior.alpha * scale)), offset)  # (n, p)
    g.target_output("mean", mean, n_outputs, one_target=one_target)
    if isinstance(posterior, MeanOnly):
        return
    latent = g.op("Div", g.op("Sub", mean, offset), g.constant(scale))
    noise = _noise_variance(g, model._noise, X, latent, n_outputs)
    deviation = g.op("Sqrt", g.op("Add", _latent_variance(g, posterior, X, K), noise))  # (n, 1)
    scale = model._noise.tails.deviation * scale
    std = g.op("Mul", deviation, g.constant(scale))
    g.target_output("std", std, n_outputs, one_target=one_target)


def _latent_variance(g: Graph, posterior: Posterior, X: str, K: str) -> str:
    """Return Var f: (n, 1)."""
    Phi = g.op("MatMul", K, g.constant(_inverse_transposed(posterior.basis.L)))
    Psi = g.op("MatMul", Phi, g.constant(_inverse_transposed(posterior.precision.L)))
    squares = g.row_sums(g.op("Mul", Psi, Psi))
    variance = g.op("Mul", squares, posterior.weight_scale)
    if posterior.rule.in_prediction:
        explained = g.row_sums(g.op("Mul", Phi, Phi))
        residual = g.op("Sub", kernel_diagonal(g, posterior.basis.kernel, X), explained)
        clipped = g.op("Mul", g.op("Max", residual, 0.0), posterior.residual_scale)
        variance = g.op("Add", variance, clipped)
    return g.reshape(variance, (-1, 1))


def _inverse_transposed(L: Floats) -> Floats:
    return solve_lower(L, np.eye(len(L))).T


def _noise_variance(g: Graph, noise: Noise, X: str, mean: str, n_outputs: int) -> str:
    """Return the variance of the noise: (n, 1), or one number."""
    by_mean = _mean_dependent_noise(g, noise, mean, n_outputs)
    if noise.log_noise is None:
        return by_mean
    log_noise = noise.log_noise
    K = kernel_block(g, log_noise.kernel, X, log_noise.Z)
    value = g.op(
        "Clip", g.op("MatMul", K, g.constant(log_noise.alpha)), log_noise.low, log_noise.high
    )
    return g.op("Mul", g.op("Exp", value), by_mean)


def _mean_dependent_noise(g: Graph, noise: Noise, mean: str, n_outputs: int) -> str:
    level = noise.level
    if n_outputs > 1 or (level.slope == 0.0 and level.curvature == 0.0):
        return g.constant(noise.variance)
    inside = g.op("Clip", mean, level.low, level.high)
    t = g.op("Div", g.op("Sub", inside, level.centre), level.scale)
    quadratic = g.op("Mul", g.op("Sub", g.op("Mul", t, t), 1.0), level.curvature)
    exponent = g.op("Add", g.op("Mul", t, level.slope), quadratic)
    clipped = g.op("Clip", exponent, -LOG_LIMIT, LOG_LIMIT)
    return g.op("Mul", g.op("Exp", clipped), noise.variance)


def sparse_classification(g: Graph, model: SparseGPClassifier) -> None:
    """Add the outputs ``probabilities`` and ``class_index``."""
    X, parameters = transformed_columns(g, model._scaling_X, "X"), model._fitted.parameters
    means, variances = [], []
    for posterior in model._fitted.posteriors:
        K = kernel_block(g, posterior.basis.kernel, X, posterior.Z)
        means.append(g.op("MatMul", K, g.constant(posterior.alpha)))  # (n, 1)
        variances.append(_latent_variance(g, posterior, X, K))
    mean = g.op("Add", g.side_by_side(means), g.constant(np.array([parameters.biases])))
    variance = g.side_by_side(variances)
    output_probabilities(g, mean, variance, parameters.slope, len(model.classes_))
