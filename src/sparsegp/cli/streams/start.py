"""The model that a stream begins with."""

from pathlib import Path
from typing import Any

import numpy as np

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.kernels import kernel_for
from sparsegp.cli.predict import columns_of
from sparsegp.cli.predictions import is_classifier
from sparsegp.cli.streams.inputs import StreamColumns
from sparsegp.cli.streams.learner import Learner
from sparsegp.cli.streams.options import StreamOptions
from sparsegp.estimators.online_classifier import OnlineGPClassifier
from sparsegp.estimators.online_regressor import OnlineGPRegressor
from sparsegp.files import info, load

__all__ = ["learner_with", "new_model", "saved_model"]


def new_model(options: StreamOptions, columns: StreamColumns) -> Any:
    """Return a model that has learned nothing."""
    given = {"max_basis": options.max_basis, "n_warmup": options.warmup}
    chosen = {name: value for name, value in given.items() if value is not None}
    kernel = kernel_for(columns.coded, linear=not options.classes)
    kind = OnlineGPClassifier if options.classes else OnlineGPRegressor
    return kind(kernel, random_state=options.seed or 0).set_params(**chosen)


def saved_model(path: Path, options: StreamOptions) -> tuple[Any, StreamColumns, str]:
    """Return the model of a file, how it reads rows, and its target."""
    model, about = load(path), info(path)
    if not isinstance(model, (OnlineGPRegressor, OnlineGPClassifier)):
        raise BadInputError(
            f"{path} holds a {about['estimator']}, which learns no more rows: begin a stream "
            "with --new"
        )
    if options.max_basis is not None:
        model.set_params(max_basis=options.max_basis)
    notes = about["notes"] if isinstance(about["notes"], dict) else {}
    target = options.target or notes.get("target")
    if not isinstance(target, str):
        raise BadInputError(f"{path} does not say what its target is: give --target")
    stream = notes.get("stream")
    counts = stream.get("counts") if isinstance(stream, dict) else None
    return model, StreamColumns(columns_of(about), counts or {}), target


def learner_with(model: Any, target: str, options: StreamOptions) -> Learner:
    """Return what predicts and learns rows with a model."""
    known = model.classes_ if is_classifier(model) else np.unique(options.classes)
    return Learner(model, target, known.tolist(), options.level, options.forget)
