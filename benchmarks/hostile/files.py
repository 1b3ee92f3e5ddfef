"""Altered model files: each is refused with one error, or predicts finite numbers."""

from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks.hostile.models import MODELS, fitted, new_rows
from benchmarks.hostile.mutations import mutated
from benchmarks.hostile.watched import Trial, is_finite
from sparsegp import load
from sparsegp.exceptions import ModelFileError, NotInFileError
from sparsegp.files import NumpyPredictor, info
from sparsegp.files.container import from_bytes, read_bytes

__all__ = ["try_files"]


def try_files(trial: Trial, folder: Path) -> None:
    """Alter files of all models in turn, and load and ask each."""
    path, names = folder / "model.safetensors", list(MODELS)

    @cache
    def whole(name: str) -> tuple[Any, Any]:
        fitted(name).save(path)
        return from_bytes(read_bytes(path))

    for number in trial.numbers():
        name = names[number % len(names)]
        data, words = mutated(*whole(name), trial.rng(number))
        path.write_bytes(data)
        trial.run(number, f"{name}: {words[:300]}", partial(_ask, path, name))


def _ask(path: Path, name: str) -> str:
    """Return "refused" or "predicted"."""
    before = path.read_bytes()
    with suppress(ModelFileError):
        info(path)
    outcome = _ask_estimator(path, name)
    _ask_numpy(path, name)
    if path.read_bytes() != before:
        raise AssertionError("the file was changed")
    return outcome


def _ask_estimator(path: Path, name: str) -> str:
    try:
        model = load(path)
    except ModelFileError:
        return "refused"
    rows = new_rows(name)
    try:
        if hasattr(model, "predict_proba"):
            found: tuple[Any, ...] = (model.predict_proba(rows), model.predict(rows))
        else:
            found = model.predict(rows, return_std=True)
    except NotInFileError:
        return "refused"
    except ValueError as error:
        if str(error).startswith(("X ", "X: ", "column ", "no column")):
            return "refused"  # other columns than these rows have
        raise
    if not all(map(is_finite, found)):
        raise AssertionError("the estimator predicts NaN or infinity")
    return "predicted"


def _ask_numpy(path: Path, name: str) -> None:
    try:
        model = NumpyPredictor(path)
        rows = new_rows(name)
        rows = fitted(name).encoding_.encode(rows) if "table" in name else rows
        if model.task == "classification":
            found: tuple[Any, ...] = (model.predict_proba(rows), model.predict(rows))
        else:
            found = model.predict(rows, return_std=True)
    except ValueError:
        return
    if not all(map(is_finite, found)):
        raise AssertionError("NumpyPredictor predicts NaN or infinity")
