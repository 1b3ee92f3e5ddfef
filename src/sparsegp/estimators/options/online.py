"""From the options of an on-line estimator to checked settings of its stream."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from sparsegp.estimators.options.checks import (
    check_bias,
    check_integer,
    check_option,
    check_positive,
)
from sparsegp.estimators.options.initial_parameters import initial_parameters
from sparsegp.estimators.options.transforms import transform_options
from sparsegp.estimators.policy import FIRST_SLOPES
from sparsegp.kernels import Auto, Linear
from sparsegp.kernels.base import FIXED
from sparsegp.learning.streams.config import StreamSettings
from sparsegp.learning.streams.lags import Lags
from sparsegp.learning.streams.tasks import ClassTask, RegressionTask
from sparsegp.learning.structure.kernel_families import thrifty_kernel
from sparsegp.learning.structure.transform_options import AUTO
from sparsegp.likelihoods.named import LOCATION_NAMES, NAMES
from sparsegp.online.deletion import DELETIONS
from sparsegp.online.learn import Rule
from sparsegp.tables.transforms.columns import STANDARD

__all__ = [
    "FIRST_SLOPES",
    "TARGET",
    "check_forgetting",
    "check_rate",
    "class_task",
    "forgetting_of",
    "lag_options",
    "regression_task",
    "rule_of",
    "stream_settings",
]


#: The options of ``mean``.
MEANS = ("auto", "zero", "last")
#: The key of the target in a dict of lags.
TARGET = "target"


def rule_of(estimator: Any) -> Rule:
    """Return the rule by which the basis grows and shrinks."""
    check_option("deletion", estimator.deletion, DELETIONS)
    return Rule(
        max_basis=check_integer("max_basis", estimator.max_basis, 1),
        tolerance=check_positive("tolerance", estimator.tolerance),
        deletion=estimator.deletion,
    )


def stream_settings(
    estimator: Any, names: Sequence[str] | None, n_features: int, lags: Lags
) -> StreamSettings:
    """Return the settings of an on-line estimator; an invalid one raises an error that names it.

    ``names`` and ``n_features`` are those of the inputs with their lags.
    """
    transforms = estimator._transforms_of_inputs()
    kinds = transform_options(transforms, STANDARD, names, n_features).columns
    if estimator.optimizer is not None:
        check_option("optimizer", estimator.optimizer, ("lbfgs",))
    check_integer("n_sweeps", estimator.n_sweeps, 1)
    return StreamSettings(
        rule=rule_of(estimator),
        transform_inputs=kinds if isinstance(transforms, Mapping) else kinds[0],
        n_warmup=check_integer("n_warmup", estimator.n_warmup, 1),
        seed=int(check_random_state(estimator.random_state).randint(2**31)),
        lags=lags,
        uses_last=getattr(estimator, "mean", "zero") == "auto" and _calibrates(estimator),
        **forgetting_of(estimator),
    )


def forgetting_of(estimator: Any) -> dict[str, Any]:
    """Return the settings that follow from ``forgetting``.

    A stream that is taken not to change keeps the hyperparameters of its warm-up.
    """
    forgetting = check_forgetting(estimator.forgetting)
    relearns = bool(forgetting) and estimator.optimizer is not None
    return {"forgetting": forgetting, "relearns": relearns}


def check_forgetting(forgetting: Any) -> str | float | None:
    """Return a rate of forgetting, "auto" or None."""
    if forgetting is None or (isinstance(forgetting, str) and forgetting == AUTO):
        return forgetting
    try:
        rate = -1.0 if isinstance(forgetting, (bool, str)) else float(forgetting)
    except (TypeError, ValueError):
        rate = -1.0
    if not 0.0 <= rate < 1.0:
        raise ValueError(
            "forgetting must be 'auto', None or a rate from 0 to below 1, the share of what was "
            f"learned that is lost per row, got {forgetting!r}"
        )
    return rate


def lag_options(estimator: Any, names: Sequence[str] | None, n_columns: int) -> Lags:
    """Return which earlier values are features: ``lags`` and ``mean`` of an on-line estimator."""
    mean = getattr(estimator, "mean", "zero")
    check_option("mean", mean, MEANS)
    lags = estimator.lags
    if not isinstance(lags, Mapping):
        return Lags(check_integer("lags", lags, 0), (), mean == "last")
    counts = {name: check_integer(f"lags[{name!r}]", count, 0) for name, count in lags.items()}
    target = counts.pop(TARGET, 0)
    columns = tuple(
        (_position(name, names, n_columns), count) for name, count in counts.items() if count
    )
    return Lags(target, columns, mean == "last")


def _position(name: Any, names: Sequence[str] | None, n_columns: int) -> int:
    """Return the position of an input that ``lags`` names."""
    if names is not None and name in names:
        return list(names).index(name)
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool) and 0 <= name < n_columns:
        return int(name)
    known = f"the inputs are {', '.join(map(str, names))}" if names else f"there are {n_columns}"
    raise ValueError(f"lags has the key {name!r}, which is neither 'target' nor a column: {known}")


def regression_task(
    estimator: Any, names: Sequence[str] | None, n_features: int, n_lags: int = 0
) -> RegressionTask:
    """Return what an OnlineGPRegressor learns; ``n_lags`` of the features are earlier values."""
    likelihood = estimator.likelihood
    named = isinstance(likelihood, str)
    if named:
        check_option("likelihood", likelihood, NAMES)
    elif not callable(getattr(likelihood, "moment_match", None)):
        options = ", ".join(repr(name) for name in NAMES)
        renamed = hasattr(likelihood, "confront")  # its name in 0.1.0
        hint = ": rename its method confront to moment_match" if renamed else ""
        raise ValueError(
            f"likelihood must be one of {options} or an object with "
            f"moment_match(y, mean, variance), got {likelihood!r}{hint}"
        )
    check_option("transform_y", estimator.transform_y, ("auto", "standard", "none"))
    moves = named and likelihood in LOCATION_NAMES
    transform_y = estimator.transform_y
    if transform_y == "auto":
        transform_y = "standard" if moves else "none"
    elif transform_y != "none" and not moves:
        raise ValueError(
            f"transform_y={transform_y!r} changes the targets, which likelihood={likelihood!r} "
            "takes as they are: set transform_y to 'auto' or 'none'"
        )
    kernel = _kernel(estimator, n_features, n_lags, slopes=moves)
    start = initial_parameters(
        kernel,
        estimator.noise_variance,
        estimator.noise_variance_bounds,
        names,
        n_features,
    )
    optimise = estimator.optimizer is not None
    calibrates = _calibrates(estimator)
    bias = check_bias(estimator.bias)
    return RegressionTask(start, likelihood, transform_y, optimise, calibrates, bias)


def _calibrates(estimator: Any) -> bool:
    """Tell whether the predictive variances of a regression follow the last errors."""
    learned = estimator.optimizer is not None and estimator.noise_variance_bounds != FIXED
    named = isinstance(estimator.likelihood, str) and estimator.likelihood == "gaussian"
    return bool(estimator.calibrate) and named and learned


def class_task(
    estimator: Any, names: Sequence[str] | None, n_features: int, n_lags: int = 0
) -> ClassTask:
    """Return what an OnlineGPClassifier learns; ``n_lags`` of the features are earlier values."""
    kernel = _kernel(estimator, n_features, n_lags, slopes=False)
    kernel_is_open = estimator._kernel_of_inputs(linear=False, n_lags=n_lags, stream=True) is None
    start = initial_parameters(kernel, 1.0, (1e-6, 1e2), names, n_features)
    slope = check_positive("slope", estimator.slope)
    optimise, bias = estimator.optimizer is not None, check_bias(estimator.bias)
    return ClassTask(
        start,
        slope,
        optimise,
        bias,
        bool(estimator.calibrate),
        _label_noise(estimator),
        may_be_linear=kernel_is_open,
    )


def _label_noise(estimator: Any) -> float | None:
    """Return the share of labels that are drawn at random; None: to be learned."""
    share = estimator.label_noise
    if isinstance(share, str) and share == AUTO:
        return None if estimator.optimizer is not None else 0.0
    try:
        value = -1.0 if isinstance(share, (bool, str)) else float(share)
    except (TypeError, ValueError):
        value = -1.0
    if not 0.0 <= value < 1.0:
        raise ValueError(
            "label_noise must be 'auto' or the share of labels that are drawn at random, from 0 to "
            f"below 1, got {share!r}"
        )
    return value


def _kernel(estimator: Any, n_features: int, n_lags: int, *, slopes: bool) -> Any:
    """Return the kernel; the default one and "auto" may have a linear kernel added."""
    kernel = estimator._kernel_of_inputs(linear=slopes, n_lags=n_lags, stream=True)
    left_open = isinstance(kernel, str) and kernel == AUTO
    if kernel is not None and not left_open:
        return kernel
    own = Auto() if left_open else thrifty_kernel(n_features)
    return own + Linear(FIRST_SLOPES) if slopes else own


def check_rate(rate: Any) -> float:
    """Refuse a rate of forgetting that is not between 0 and 1."""
    try:
        value = -1.0 if isinstance(rate, bool) else float(rate)
    except (TypeError, ValueError):
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"rate must be a number from 0 to 1, got {rate!r}")
    return value
