"""The model that a stream starts with."""

from pathlib import Path
from typing import Any

import numpy as np

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.prediction_columns import is_classifier
from sparsegp.cli.streams.learner import Learner
from sparsegp.cli.streams.options import StreamOptions
from sparsegp.cli.streams.row_encoding import StreamEncoding
from sparsegp.cli.tables.columns import encoding_of
from sparsegp.estimators.mixins.encoding import of_inputs
from sparsegp.estimators.online_classifier import OnlineGPClassifier
from sparsegp.estimators.online_regressor import OnlineGPRegressor
from sparsegp.estimators.options.online import TARGET
from sparsegp.estimators.options.table_kernel import table_kernel
from sparsegp.files import info, load

__all__ = ["load_model", "make_learner", "new_model"]


def new_model(options: StreamOptions, encoding: StreamEncoding) -> Any:
    """Return an untrained model."""
    lags = _lags_by_position(options, encoding)
    parameters = {
        "max_basis": options.max_basis,
        "n_warmup": options.warmup,
        "forgetting": options.forget,
        "lags": lags,
        "mean": options.mean if not options.classes else None,
    }
    given = {name: value for name, value in parameters.items() if value is not None}
    n_outputs = len(options.classes) if len(options.classes) > 2 else 1
    n_lags = _n_lags(lags, n_outputs)
    kernel = table_kernel([*encoding.is_categorical, *[False] * n_lags], linear=not options.classes)
    kind = OnlineGPClassifier if options.classes else OnlineGPRegressor
    return kind(kernel, random_state=options.seed or 0).set_params(**given)


def _lags_by_position(
    options: StreamOptions, encoding: StreamEncoding
) -> int | dict[str | int, int] | None:
    """Return the lags with positions of columns: rows are given to the model as arrays."""
    if not isinstance(options.lags, dict):
        return options.lags
    names = list(encoding.kinds)
    unknown = [name for name in options.lags if name != TARGET and name not in names]
    if unknown:
        raise BadInputError(
            f"--lags names {unknown[0]!r}, which is neither {TARGET!r} nor a column: the columns "
            f"are {', '.join(names)}"
        )
    return {
        name if name == TARGET else names.index(name): count for name, count in options.lags.items()
    }


def _n_lags(lags: int | dict[str | int, int] | None, n_outputs: int) -> int:
    """Return the number of inputs that are earlier values."""
    if not isinstance(lags, dict):
        return (lags or 0) * n_outputs
    return sum(n * (n_outputs if name == TARGET else 1) for name, n in lags.items())


def load_model(path: Path, options: StreamOptions) -> tuple[Any, StreamEncoding, str]:
    """Return the model of a file, its encoding of rows, and its target."""
    model, about = load(path), info(path)
    if not isinstance(model, (OnlineGPRegressor, OnlineGPClassifier)):
        raise BadInputError(
            f"{path} contains a {about['estimator']}, which cannot learn further rows: start a "
            "stream with --new"
        )
    if options.max_basis is not None:
        model.set_params(max_basis=options.max_basis)
    if options.forget is not None:
        model.set_params(forgetting=options.forget)
    notes = about["notes"] if isinstance(about["notes"], dict) else {}
    target = options.target or notes.get("target")
    if not isinstance(target, str):
        raise BadInputError(f"{path} does not name its target: give --target")
    stream = notes.get("stream")
    counts = stream.get("counts") if isinstance(stream, dict) else None
    return of_inputs(model), StreamEncoding(encoding_of(model), counts or {}), target


def make_learner(model: Any, target: str, options: StreamOptions) -> Learner:
    """Return a learner with a model and the options of the command."""
    classes = model.classes_ if is_classifier(model) else np.unique(options.classes)
    return Learner(model, target, classes.tolist(), options.level)
