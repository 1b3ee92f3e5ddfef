"""Saving and loading fitted estimators."""

import json
import os
from typing import Any

import sparsegp
from sparsegp.estimators.mixins.persistence import PersistenceMixin
from sparsegp.exceptions import CannotSaveError, ModelFileError
from sparsegp.files.atomic import write_atomically
from sparsegp.files.compact import without_neighbours
from sparsegp.files.container import from_bytes, read_bytes, to_bytes
from sparsegp.files.estimator_state import decode_estimator, encode_estimator, is_mean_only
from sparsegp.files.summary import summarise

__all__ = ["info", "load", "save"]

Path = str | os.PathLike[str]


def save(
    estimator: Any,
    path: Path,
    *,
    variance: bool = True,
    compact: bool = False,
    notes: Any = None,
) -> None:
    """Write a fitted estimator to one file; ``estimator.save`` does the same.

    The file is written completely or not at all. It is a safetensors file (arrays and JSON) and
    contains what predictions need, but no code. Of the training rows it contains the basis vectors,
    which are rows of the data unless they were optimised. The file of a model with neighbours
    (``n_neighbors_`` > 0) contains **all training rows and targets**, unless ``compact`` is set. A
    loaded online model continues where it was; during its warm-up, its file contains the rows seen
    so far.

    Parameters
    ----------
    estimator : a fitted estimator of this library
    path : path-like
    variance : bool, default=True
        If False, only what the mean needs is saved, about one hundredth of the size; for a
        ``SparseGPRegressor`` only. The loaded model cannot predict standard deviations, and it
        cannot predict at all if the target is warped, since the mean then depends on the variance.
        A model with neighbours needs ``compact=True`` in addition.
    compact : bool, default=False
        If True, a model with neighbours is saved without its training rows. In the loaded model the
        basis alone predicts, with its own calibrated noise, and ``n_neighbors_`` is 0. Models
        without neighbours are saved as they are.
    notes : JSON-serialisable object, default=None
        User data; ``info`` returns it.

    Raises
    ------
    CannotSaveError
        For a user-defined kernel or likelihood, and where ``variance=False`` is not possible;
        nothing is written in that case.
    """
    if compact:
        estimator = without_neighbours(estimator)
    document, tensors = encode_estimator(estimator, variance=variance)
    try:
        json.dumps(notes, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise CannotSaveError(f"notes must be JSON-serialisable: {error}") from error
    about = {
        "library_version": sparsegp.__version__,
        "summary": summarise(estimator, variance=variance and not is_mean_only(estimator)),
        "notes": notes,
    }
    write_atomically(path, to_bytes(about | document, tensors))


def load(path: Path) -> Any:
    """Return the estimator that was saved in a file.

    With the same versions of the numerical libraries, its predictions are the same bit for bit.
    Nothing in a file is executed.

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
        return decode_estimator(*from_bytes(read_bytes(path)))
    except OSError:
        raise
    except ModelFileError as error:
        raise ModelFileError(f"cannot load {os.fspath(path)}: {error}") from error
    except Exception as error:  # a crafted file can be wrong in any way
        raise ModelFileError(
            f"cannot load {os.fspath(path)}: its contents are not a valid model: {error}"
        ) from error


def info(path: Path) -> dict[str, Any]:
    """Return the description of the model in a file, without loading the model.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    dict
        Format and library version, estimator class, columns, classes, kernel, number of basis
        vectors, of neighbours and of training rows in the file, history of the fit, and the notes
        passed to ``save``.
    """
    try:
        document, _ = from_bytes(read_bytes(path))
        head = ("format_version", "library_version", "estimator", "notes")
        return {**{name: document.get(name) for name in head}, **document["summary"]}
    except OSError:
        raise
    except Exception as error:
        raise ModelFileError(f"cannot read {os.fspath(path)}: {error}") from error


# Estimators have a method `save` but do not import this package, which is a higher layer.
PersistenceMixin._write = staticmethod(save)
