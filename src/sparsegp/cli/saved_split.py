"""Recovering from a model file which rows of a table were held out of its fit.

A model file stores no table, but a digest of it and how it was split. The same table is then split
in the same way; about any other table nothing is known.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.holdout_split import split_rows

__all__ = ["recover_split", "split_record"]

Indices = npt.NDArray[np.intp]
Values = npt.NDArray[Any]


def split_record(X: Values, y: Values, share: float, seed: int) -> dict[str, Any]:
    """Return what a model file stores about the split."""
    return {"digest": _digest(X, y), "holdout": share, "seed": seed}


def recover_split(
    record: Any, X: Values, y: Values, *, classes: bool
) -> tuple[Indices, Indices] | None:
    """Return training and held-out rows if this is the table of the fit, else None."""
    if not isinstance(record, Mapping) or record.get("digest") != _digest(X, y):
        return None
    try:  # a crafted file can be wrong in any way
        share, seed = float(record["holdout"]), int(record["seed"])
        return split_rows(len(y), share, seed, y if classes else None)
    except (KeyError, TypeError, ValueError, BadInputError):
        return None


def _digest(X: Values, y: Values) -> str:
    digest = hashlib.sha256(np.ascontiguousarray(X, dtype=np.float64).tobytes())
    digest.update("\n".join(map(str, y.tolist())).encode("utf-8", "replace"))
    return digest.hexdigest()
