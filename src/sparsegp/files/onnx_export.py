"""A fitted model as a graph of ONNX operators, in float64.

ONNX has no triangular solve: the graph holds the inverses of the factors instead, 2·m² numbers.
The error function of onnxruntime knows float32 only, so probabilities are good to about 10⁻⁶. So
does its fusion of a product with a factor beside it: factors are part of the matrices here.
"""

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

import sparsegp
from sparsegp.arrays import solve_lower
from sparsegp.estimators.classifier import SparseGPClassifier
from sparsegp.estimators.online_classifier import OnlineGPClassifier
from sparsegp.estimators.online_regressor import OnlineGPRegressor
from sparsegp.estimators.options.device import check_model_on_host
from sparsegp.estimators.regressor import SparseGPRegressor
from sparsegp.exceptions import CannotSaveError
from sparsegp.files.atomic import write_atomically
from sparsegp.files.onnx_graph import Graph
from sparsegp.files.onnx_kernels import kernel_block, kernel_diagonal
from sparsegp.files.onnx_transforms import transformed_columns, warped_moments
from sparsegp.likelihoods import Gaussian, LaplaceNoise, OneSided, Poisson, Shifted, StudentT
from sparsegp.likelihoods.quadrature import gauss_hermite
from sparsegp.model.classes import N_NODES
from sparsegp.model.mean_only import MeanOnly
from sparsegp.model.noise.predictive import LOG_LIMIT, Noise
from sparsegp.model.posterior import Posterior
from sparsegp.online import symmetric
from sparsegp.online.recursion import SMALLEST_SHARE, Online
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Warps

__all__ = ["to_onnx"]

Floats = npt.NDArray[np.float64]
ALL_CLASSES = "probabilities"


def to_onnx(estimator: Any, path: str | os.PathLike[str] | None = None) -> Any:
    """Return a fitted estimator as an ONNX model, and write it to a file if asked to.

    The input is ``X`` (n, n_features) of float64. A regressor has the outputs ``mean`` and
    ``std``, noise included, as ``predict`` returns them; a classifier ``probabilities``
    (n, n_classes) and ``class_index`` (n,), with the labels among the model's properties.

    Parameters
    ----------
    estimator : a fitted estimator of this library
        With a kernel made of RBF, Matern, RationalQuadratic, Linear and Constant, on all columns
        or on some, by sums and products.
    path : path-like, default=None

    Returns
    -------
    onnx.ModelProto
    """
    check_is_fitted(estimator)
    check_model_on_host("to_onnx", estimator)
    g = Graph()
    if isinstance(estimator, SparseGPRegressor):
        _sparse_regression(g, estimator)
    elif isinstance(estimator, SparseGPClassifier):
        _sparse_classes(g, estimator)
    elif isinstance(estimator, OnlineGPRegressor):
        _online_regression(g, estimator)
    elif isinstance(estimator, OnlineGPClassifier):
        _online_classes(g, estimator)
    else:
        raise CannotSaveError(f"to_onnx knows no {type(estimator).__name__}")
    model = g.model(estimator.n_features_in_, _properties(estimator))
    if path is not None:
        write_atomically(path, model.SerializeToString())
    return model


def _properties(estimator: Any) -> dict[str, str]:
    """Return what a user of the model should know, as texts."""
    known = {"sparsegp": sparsegp.__version__, "estimator": type(estimator).__name__}
    for name, attribute in (("feature_names", "feature_names_in_"), ("classes", "classes_")):
        if hasattr(estimator, attribute):
            known[name] = json.dumps([str(value) for value in getattr(estimator, attribute)])
    return known


def _put_out(g: Graph, name: str, values: str, n_outputs: int, one_target: bool) -> None:
    """Make values (n, p) an output, (n,) if there is one target."""
    if one_target:
        g.output(name, g.column(values, (-1,)), ("n",), "DOUBLE")
    else:
        g.output(name, values, ("n", n_outputs), "DOUBLE")


def _sparse_regression(g: Graph, model: SparseGPRegressor) -> None:
    X, posterior = transformed_columns(g, model._scaling_X, "X"), model._posterior
    kernel = posterior.kernel if isinstance(posterior, MeanOnly) else posterior.basis.kernel
    K = kernel_block(g, kernel, X, posterior.Z)
    if isinstance(model._scaling_y, Warps):
        _warped_regression(g, model, model._scaling_y, X, K)
    else:
        _scaled_regression(g, model, model._scaling_y, X, K)


def _warped_regression(g: Graph, model: SparseGPRegressor, targets: Warps, X: str, K: str) -> None:
    """Make mean and deviation of bent targets outputs."""
    posterior, n_outputs, one = model._posterior, len(targets.warps), model._one_target
    if isinstance(posterior, MeanOnly):
        raise CannotSaveError(
            "the mean of a target that is bent depends on the variance, which a model saved with "
            "variance=False does not have"
        )
    mean = g.op("MatMul", K, g.constant(posterior.alpha))  # (n, p)
    noise = _noise(g, model._noise, X, mean, n_outputs)
    scale = g.op("Sqrt", g.op("Add", _variance(g, posterior, X, K), noise))  # (n, 1)
    each = [
        warped_moments(g, warp, g.columns(mean, [i]), scale, model._noise.tails)
        for i, warp in enumerate(targets.warps)
    ]
    for name, values in zip(("mean", "std"), zip(*each, strict=True), strict=True):
        _put_out(g, name, _side_by_side(g, values), n_outputs, one)


def _scaled_regression(
    g: Graph, model: SparseGPRegressor, scaling: Scaling, X: str, K: str
) -> None:
    """Make mean and deviation of scaled targets outputs."""
    posterior, one = model._posterior, model._one_target
    n_outputs = posterior.alpha.shape[1]
    scale, offset = scaling.scale[None, :], g.constant(scaling.offset[None, :])  # (1, p)
    mean = g.op("Add", g.op("MatMul", K, g.constant(posterior.alpha * scale)), offset)  # (n, p)
    _put_out(g, "mean", mean, n_outputs, one)
    if isinstance(posterior, MeanOnly):
        return
    level = g.op("Div", g.op("Sub", mean, offset), g.constant(scale))
    noise = _noise(g, model._noise, X, level, n_outputs)
    deviation = g.op("Sqrt", g.op("Add", _variance(g, posterior, X, K), noise))  # (n, 1)
    scale = model._noise.tails.deviation * scale
    _put_out(g, "std", g.op("Mul", deviation, g.constant(scale)), n_outputs, one)


def _variance(g: Graph, posterior: Posterior, X: str, K: str) -> str:
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
    return g.column(variance, (-1, 1))


def _inverse_transposed(L: Floats) -> Floats:
    return solve_lower(L, np.eye(len(L))).T


def _noise(g: Graph, noise: Noise, X: str, mean: str, n_outputs: int) -> str:
    """Return the variance of the noise: (n, 1), or one number."""
    by_level = _noise_by_level(g, noise, mean, n_outputs)
    if noise.log_noise is None:
        return by_level
    log_noise = noise.log_noise
    K = kernel_block(g, log_noise.kernel, X, log_noise.Z)
    value = g.op(
        "Clip", g.op("MatMul", K, g.constant(log_noise.alpha)), log_noise.low, log_noise.high
    )
    return g.op("Mul", g.op("Exp", value), by_level)


def _noise_by_level(g: Graph, noise: Noise, mean: str, n_outputs: int) -> str:
    level = noise.level
    if n_outputs > 1 or (level.slope == 0.0 and level.curvature == 0.0):
        return g.constant(noise.variance)
    inside = g.op("Clip", mean, level.low, level.high)
    t = g.op("Div", g.op("Sub", inside, level.centre), level.scale)
    bent = g.op("Mul", g.op("Sub", g.op("Mul", t, t), 1.0), level.curvature)
    exponent = g.op("Clip", g.op("Add", g.op("Mul", t, level.slope), bent), -LOG_LIMIT, LOG_LIMIT)
    return g.op("Mul", g.op("Exp", exponent), noise.variance)


def _sparse_classes(g: Graph, model: SparseGPClassifier) -> None:
    X, given = transformed_columns(g, model._scaling_X, "X"), model._fitted.parameters
    means, variances = [], []
    for posterior in model._fitted.posteriors:
        K = kernel_block(g, posterior.basis.kernel, X, posterior.Z)
        means.append(g.op("MatMul", K, g.constant(posterior.alpha)))  # (n, 1)
        variances.append(_variance(g, posterior, X, K))
    mean = g.op("Add", _side_by_side(g, means), g.constant(np.array([given.biases])))
    _classes(g, mean, _side_by_side(g, variances), given.slope, len(model.classes_))


def _side_by_side(g: Graph, columns: Sequence[str]) -> str:
    return g.op("Concat", *columns, axis=1)


def _online_regression(g: Graph, model: OnlineGPRegressor) -> None:
    stream, likelihood = model._stream, model._own_likelihood()
    scaling, shifted = stream.decided.scaling_y, stream.decided.likelihood
    if not isinstance(scaling, Scaling):
        raise CannotSaveError(f"to_onnx has no operators for the transform {scaling!r}")
    scale, offset = scaling.scale[None, :], scaling.offset[None, :]  # (1, K)
    shift = shifted.offset if isinstance(shifted, Shifted) else 0.0
    X = transformed_columns(g, stream.scaling_x, "X")
    mean, variance = _online_belief(g, stream.state, X, scale)
    if isinstance(likelihood, Poisson):  # counts are not scaled
        mean, variance = _counts(g, g.op("Add", mean, g.constant(shift)), variance)
    elif isinstance(likelihood, (Gaussian, LaplaceNoise, StudentT, OneSided)):
        above, noise = (float(x[0]) for x in likelihood.target_moments(np.zeros(1), np.zeros(1)))
        mean = g.op("Add", mean, g.constant((shift + above) * scale + offset))
        variance = g.op("Add", variance, noise)
    else:
        raise CannotSaveError(f"to_onnx has no operators for the likelihood {likelihood!r}")
    deviation = g.op("Mul", g.op("Sqrt", variance), g.constant(scale * model.variance_scale_**0.5))
    n_outputs, one = scale.size, model._one_target
    _put_out(g, "mean", mean, n_outputs, one)
    _put_out(g, "std", deviation, n_outputs, one)


def _counts(g: Graph, mean: str, variance: str) -> tuple[str, str]:
    """Return mean and variance of a count whose rate has the logarithm f: (n, K) each."""
    rate = g.op("Exp", g.op("Add", mean, g.op("Mul", variance, 0.5)))
    scale = g.op("Sub", g.op("Exp", variance), 1.0)
    return rate, g.op("Add", rate, g.op("Mul", g.op("Mul", rate, rate), scale))


def _online_classes(g: Graph, model: OnlineGPClassifier) -> None:
    stream = model._stream
    X = transformed_columns(g, stream.scaling_x, "X")
    mean, variance = _online_belief(g, stream.state, X)
    mean = g.op("Add", mean, g.constant(model._shifted().offset))
    _classes(g, mean, variance, model.slope_, len(model.classes_))


def _online_belief(g: Graph, state: Online, X: str, scale: Floats | float = 1.0) -> tuple[str, str]:
    """Return mean, times a scale (1, K), and variance of the latent functions: (n, K) each."""
    K = kernel_block(g, state.kernel, X, state.Z)  # (n, M)
    E = g.op("MatMul", K, g.constant(symmetric.full(state.Q)))
    k = g.column(g.op("Add", kernel_diagonal(g, state.kernel, X), _no_column(g, X)), (-1, 1))
    gamma = g.op("Max", g.op("Sub", k, g.row_sums(g.op("Mul", K, E), keep=True)), 0.0)  # (n, 1)
    explained = [
        g.row_sums(g.op("Mul", E, g.op("MatMul", E, g.constant(symmetric.full(S)))), keep=True)
        for S in state.Sigma
    ]
    variance = g.op("Add", gamma, _side_by_side(g, explained))
    mean = g.op("MatMul", E, g.constant(scale * state.mu.T))
    return mean, g.op("Max", variance, g.op("Mul", k, SMALLEST_SHARE))


def _no_column(g: Graph, X: str) -> str:
    """Return zeros, one a row: (n,)."""
    return g.op("Mul", g.row_sums(X), 0.0)


def _classes(g: Graph, mean: str, variance: str, slope: float, n_classes: int) -> None:
    """Make probabilities an output, from functions (n, 1) for two classes or (n, C)."""
    scale = g.op("Sqrt", g.op("Add", variance, slope**-2))
    if n_classes == 2:
        second = _normal_cdf(g, g.op("Div", mean, scale))
        p = _side_by_side(g, (g.op("Sub", 1.0, second), second))
    else:
        p = _largest(g, mean, scale, n_classes)
    g.output(ALL_CLASSES, p, ("n", n_classes), "DOUBLE")
    g.output("class_index", g.op("ArgMax", p, axis=1, keepdims=0), ("n",), "INT64")


def _normal_cdf(g: Graph, z: str) -> str:
    erf = g.op("Erf", g.cast(g.op("Mul", z, np.sqrt(0.5)), "FLOAT"))
    return g.op("Mul", g.op("Add", g.cast(erf, "DOUBLE"), 1.0), 0.5)


def _largest(g: Graph, mean: str, scale: str, n_classes: int) -> str:
    """Return the probability that each of independent Gaussians is the largest: (n, C)."""
    nodes, weights = gauss_hermite(N_NODES)
    C, n_nodes = n_classes, len(nodes)
    own_mean, own_scale = (g.column(x, (-1, C, 1, 1)) for x in (mean, scale))
    steps = g.op("Mul", own_scale, g.constant(nodes.reshape(1, 1, 1, n_nodes)))
    u = g.op("Add", own_mean, steps)  # (n, C, 1, nodes)
    others_mean, others_scale = (g.column(x, (-1, 1, C, 1)) for x in (mean, scale))
    below = _normal_cdf(g, g.op("Div", g.op("Sub", u, others_mean), others_scale))
    itself = g.constant(np.eye(C, dtype=bool).reshape(1, C, C, 1), bool)
    below = g.op("Where", itself, 1.0, below)  # (n, C, C, nodes)
    all_below = g.op("ReduceProd", below, g.constant([2], np.int64), keepdims=0)  # (n, C, nodes)
    p = g.column(g.op("MatMul", all_below, g.constant(weights[:, None])), (-1, C))
    p = g.op("Max", p, float(np.finfo(np.float64).tiny))
    return g.op("Div", p, g.row_sums(p, keep=True))
