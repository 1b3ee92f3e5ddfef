"""Predictions of ``OnlineGPRegressor`` and ``OnlineGPClassifier`` as ONNX operators."""

import numpy as np
import numpy.typing as npt

from sparsegp.estimators.online_classifier import OnlineGPClassifier
from sparsegp.estimators.online_regressor import OnlineGPRegressor
from sparsegp.exceptions import CannotSaveError
from sparsegp.files.onnx_graph import Graph
from sparsegp.files.onnx_kernels import kernel_block, kernel_diagonal
from sparsegp.files.onnx_probabilities import output_probabilities
from sparsegp.files.onnx_transforms import transformed_columns
from sparsegp.learning.fit_stream import Stream
from sparsegp.likelihoods import Gaussian, LaplaceNoise, OneSided, Poisson, Shifted, StudentT
from sparsegp.online import symmetric
from sparsegp.online.policy import SMALLEST_SHARE
from sparsegp.online.recursion import Online
from sparsegp.tables.transforms.scaling import Scaling

__all__ = ["online_classification", "online_regression"]

Floats = npt.NDArray[np.float64]


def online_regression(g: Graph, model: OnlineGPRegressor) -> None:
    """Add the outputs ``mean`` and ``std``."""
    stream, likelihood = model._stream, model._own_likelihood()
    _check_no_lags(stream)
    scaling, shifted = stream.decided.scaling_y, stream.decided.likelihood
    if not isinstance(scaling, Scaling):
        raise CannotSaveError(f"to_onnx has no operators for the transform {scaling!r}")
    scale, offset = scaling.scale[None, :], scaling.offset[None, :]  # (1, K)
    shift = shifted.offset if isinstance(shifted, Shifted) else 0.0
    X = transformed_columns(g, stream.scaling_x, "X")
    mean, variance = _latent_moments(g, stream.state, X, scale)
    largest = stream.decided.largest_variance
    if largest is not None:  # as ``StreamConfig.kept`` of few rows
        kept = g.op("Div", largest, g.op("Add", variance, largest))
        mean, variance = g.op("Mul", kept, mean), g.op("Mul", kept, variance)
    if isinstance(likelihood, Poisson):  # counts are not scaled
        mean, variance = _count_moments(g, g.op("Add", mean, g.constant(shift)), variance)
    elif isinstance(likelihood, (Gaussian, LaplaceNoise, StudentT, OneSided)):
        bias, noise = (float(x[0]) for x in likelihood.target_moments(np.zeros(1), np.zeros(1)))
        mean = g.op("Add", mean, g.constant((shift + bias) * scale + offset))
        variance = g.op("Add", variance, noise)
    else:
        raise CannotSaveError(f"to_onnx has no operators for the likelihood {likelihood!r}")
    factor = stream.variance_scale**0.5  # without the last target
    std = g.op("Mul", g.op("Sqrt", variance), g.constant(scale * factor))
    g.target_output("mean", mean, scale.size, one_target=model._one_target)
    g.target_output("std", std, scale.size, one_target=model._one_target)


def _check_no_lags(stream: Stream) -> None:
    """Refuse a stream whose predictions depend on the rows before."""
    if stream.settings.lags.any:
        raise CannotSaveError(
            "a stream with lags or mean='last' needs the rows before: save it, and load it with "
            "sparsegp.load"
        )


def _count_moments(g: Graph, mean: str, variance: str) -> tuple[str, str]:
    """Return mean and variance of a count with log rate f: (n, K) each."""
    rate = g.op("Exp", g.op("Add", mean, g.op("Mul", variance, 0.5)))
    scale = g.op("Sub", g.op("Exp", variance), 1.0)
    return rate, g.op("Add", rate, g.op("Mul", g.op("Mul", rate, rate), scale))


def online_classification(g: Graph, model: OnlineGPClassifier) -> None:
    """Add the outputs ``probabilities`` and ``class_index``."""
    stream = model._stream
    _check_no_lags(stream)
    X = transformed_columns(g, stream.scaling_x, "X")
    mean, variance = _latent_moments(g, stream.state, X)
    mean = g.op("Add", mean, g.constant(model._shifted().offset))
    mean = g.op("Mul", mean, model.label_scale_)
    n_classes, noise = len(model.classes_), model.label_noise_
    output_probabilities(g, mean, variance, model.slope_, n_classes, noise)


def _latent_moments(
    g: Graph, state: Online, X: str, scale: Floats | float = 1.0
) -> tuple[str, str]:
    """Return mean, times a scale (1, K), and variance of the latent functions: (n, K) each."""
    K = kernel_block(g, state.kernel, X, state.Z)  # (n, M)
    E = g.op("MatMul", K, g.constant(symmetric.full(state.Q)))
    diagonal = g.op("Add", kernel_diagonal(g, state.kernel, X), _zeros_per_row(g, X))
    k = g.reshape(diagonal, (-1, 1))
    gamma = g.op("Max", g.op("Sub", k, g.row_sums(g.op("Mul", K, E), keep=True)), 0.0)  # (n, 1)
    explained = [
        g.row_sums(g.op("Mul", E, g.op("MatMul", E, g.constant(symmetric.full(S)))), keep=True)
        for S in state.Sigma
    ]
    variance = g.op("Add", gamma, g.side_by_side(explained))
    mean = g.op("MatMul", E, g.constant(scale * state.mu.T))
    return mean, g.op("Max", variance, g.op("Mul", k, SMALLEST_SHARE))


def _zeros_per_row(g: Graph, X: str) -> str:
    """Return a zero for each row: (n,)."""
    return g.op("Mul", g.row_sums(X), 0.0)
