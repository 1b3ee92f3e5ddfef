"""Which rows of a table a model has learned from.

A model file keeps no rows, but a digest of the table and how it was split. The same table again is
split the same way; of any other table nothing is known.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.split import split_rows

__all__ = ["split_again", "split_notes"]

Indices = npt.NDArray[np.intp]
Values = npt.NDArray[Any]


def split_notes(X: pd.DataFrame, y: Values, share: float, seed: int) -> dict[str, Any]:
    """Return what a model file keeps of the rows."""
    return {"digest": _digest(X, y), "holdout": share, "seed": seed}


def split_again(
    notes: Any, X: pd.DataFrame, y: Values, *, classes: bool
) -> tuple[Indices, Indices] | None:
    """Return training and held-out rows if this is the table of the fit, else None."""
    if not isinstance(notes, Mapping) or notes.get("digest") != _digest(X, y):
        return None
    try:  # a file that somebody made may be wrong in any way
        share, seed = float(notes["holdout"]), int(notes["seed"])
        return split_rows(len(y), share, seed, y if classes else None)
    except (KeyError, TypeError, ValueError, BadInputError):
        return None


def _digest(X: pd.DataFrame, y: Values) -> str:
    found = hashlib.sha256(np.ascontiguousarray(X.to_numpy(dtype=np.float64)).tobytes())
    found.update("\n".join(map(str, y.tolist())).encode("utf-8", "replace"))
    return found.hexdigest()
