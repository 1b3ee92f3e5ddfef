"""From the options for kernel and noise to the initial hyperparameters."""

from collections.abc import Sequence
from typing import Any

from sklearn.gaussian_process.kernels import Kernel as SklearnKernel

from sparsegp.estimators.options.checks import check_bias, check_positive
from sparsegp.kernels import Auto, Kernel, from_sklearn
from sparsegp.kernels.auto import placeholders
from sparsegp.kernels.base import FIXED, Bounds
from sparsegp.kernels.named import named_kernel
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.structure.kernel_families import (
    initial_length_scale,
    plain_kernel,
    thrifty_kernel,
)
from sparsegp.learning.structure.transform_options import AUTO

__all__ = ["initial_class_parameters", "initial_parameters"]


def initial_class_parameters(
    estimator: Any,
    kernel: Any,
    feature_names: Sequence[str] | None,
    n_features: int,
    n_columns: int,
) -> ClassParameters:
    """Return the kernel of a classifier bound to the table's columns, and its probits.

    A WhiteKernel in a scikit-learn expression is dropped: a probit has a noise of its own.
    """
    kernel = thrifty_kernel(n_features) if kernel is None else kernel
    start = initial_parameters(kernel, 1.0, FIXED, feature_names, n_features)
    slope = check_positive("slope", estimator.slope)
    bounds = _positive_bounds("slope_bounds", estimator.slope_bounds)
    bias = check_bias(estimator.bias)
    if bias is None:
        return ClassParameters(start.kernel, slope, (0.0,) * n_columns, bounds)
    return ClassParameters(start.kernel, slope, (bias,) * n_columns, bounds, FIXED)


def initial_parameters(
    kernel: Any,
    noise_variance: Any,
    noise_variance_bounds: Any,
    feature_names: Sequence[str] | None,
    n_features: int,
) -> Parameters:
    """Return the kernel bound to the table's columns, and the noise.

    A WhiteKernel in a scikit-learn expression replaces ``noise_variance``. A kernel may be "auto",
    a name (``kernels.named``), or an expression with one placeholder ``Auto()``.
    """
    variance = check_positive("noise_variance", noise_variance)
    bounds = _positive_bounds("noise_variance_bounds", noise_variance_bounds)
    if kernel is None:
        kernel = plain_kernel(n_features)
    elif isinstance(kernel, str) and kernel == AUTO:
        kernel = Auto()
    elif isinstance(kernel, str):
        kernel = named_kernel(kernel, initial_length_scale(n_features), n_features)
    elif isinstance(kernel, SklearnKernel):
        translated = from_sklearn(kernel)
        kernel = translated.kernel
        if translated.noise_variance is not None:
            variance = check_positive("noise_level of WhiteKernel", translated.noise_variance)
        if translated.noise_bounds is not None:
            bounds = _positive_bounds("noise_level_bounds", translated.noise_bounds)
    if not isinstance(kernel, Kernel):
        raise ValueError(
            "kernel must be 'auto', None, a name such as 'rbf' or 'matern52', a kernel of "
            f"sparsegp.kernels or one of sklearn.gaussian_process.kernels, got {kernel!r}"
        )
    if len(placeholders(kernel)) > 1:
        raise ValueError(f"kernel may hold Auto once, got {kernel!r}")
    return Parameters(kernel.bind(feature_names, n_features), variance, bounds)


def _positive_bounds(name: str, value: Any) -> Bounds:
    if isinstance(value, str) and value == FIXED:
        return FIXED
    try:
        low, high = (float(limit) for limit in value)
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if not 0 < low <= high < float("inf"):
        raise ValueError(
            f"{name} must be 'fixed' or two positive numbers (low, high), got {value!r}"
        )
    return low, high
