"""Saving and loading fitted estimators."""

import json
import os
from typing import Any

import sparsegp
from sparsegp.estimators.mixins.persistence import PersistenceMixin
from sparsegp.exceptions import CannotSaveError, ModelFileError
from sparsegp.files.atomic import write_atomically
from sparsegp.files.container import from_bytes, read_bytes, to_bytes
from sparsegp.files.estimator_state import estimator_from, has_means_only, taken_apart
from sparsegp.files.summary import summarise

__all__ = ["info", "load", "save"]

Path = str | os.PathLike[str]


def save(estimator: Any, path: Path, *, variance: bool = True, notes: Any = None) -> None:
    """Write a fitted estimator to one file; ``estimator.save`` does the same.

    The file appears as a whole or not at all. It holds arrays and JSON (safetensors), and what
    is needed to predict: no training row, no code. An on-line learner goes on where it stood;
    as long as its warm-up lasts, its file holds the rows that it keeps.

    Parameters
    ----------
    estimator : a fitted estimator of this library
    path : path-like
    variance : bool, default=True
        False keeps the mean alone: a hundredth of the size, for a ``SparseGPRegressor`` only.
        The loaded model then refuses to give standard deviations.
    notes : what JSON can hold, default=None
        Of your own; ``info`` returns them.

    Raises
    ------
    CannotSaveError
        For a kernel or likelihood of your own; nothing has been written then.
    """
    document, tensors = taken_apart(estimator, variance=variance)
    try:
        json.dumps(notes, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise CannotSaveError(f"notes must be what JSON can hold: {error}") from error
    about = {
        "library_version": sparsegp.__version__,
        "summary": summarise(estimator, variance=variance and not has_means_only(estimator)),
        "notes": notes,
    }
    write_atomically(path, to_bytes(about | document, tensors))


def load(path: Path) -> Any:
    """Return the estimator that was saved in a file.

    It predicts bit for bit as before, if the numerical libraries are the same. Nothing in a file
    is executed.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    SparseGPRegressor, SparseGPClassifier, OnlineGPRegressor or OnlineGPClassifier

    Raises
    ------
    ModelFileError
        If the file is not a model, is damaged, or was written by a newer library.

    Examples
    --------
    >>> import os, tempfile
    >>> from sparsegp import SparseGPRegressor, load
    >>> X = [[float(i)] for i in range(20)]
    >>> model = SparseGPRegressor(random_state=0).fit(X, range(20))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "line.safetensors")
    ...     model.save(path)
    ...     bool(load(path).predict([[3.5]]) == model.predict([[3.5]]))
    True
    """
    try:
        return estimator_from(*from_bytes(read_bytes(path)))
    except OSError:
        raise
    except ModelFileError as error:
        raise ModelFileError(f"cannot load {os.fspath(path)}: {error}") from error
    except Exception as error:  # a file that somebody made may be wrong in any way
        raise ModelFileError(
            f"cannot load {os.fspath(path)}: its parts do not make a model: {error}"
        ) from error


def info(path: Path) -> dict[str, Any]:
    """Return what a file says about its model, without making the model.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    dict
        Format and library version, kind of estimator, columns, classes, kernel, basis, what the
        phases of the fit did, and your notes.
    """
    try:
        document, _ = from_bytes(read_bytes(path))
        head = ("format_version", "library_version", "estimator", "notes")
        return {**{name: document.get(name) for name in head}, **document["summary"]}
    except OSError:
        raise
    except Exception as error:
        raise ModelFileError(f"cannot read {os.fspath(path)}: {error}") from error


# Estimators have a method `save` but know nothing of files: no import runs upward.
PersistenceMixin._write = staticmethod(save)
