"""The state of a ``RandomState`` that was given to an estimator."""

from typing import Any

import numpy as np

from sparsegp.exceptions import CannotSaveError
from sparsegp.files.recipes import Parts

__all__ = ["parts_of_random_state", "random_state_of"]

KIND = "MT19937"
N_WORDS = 624


def parts_of_random_state(state: np.random.RandomState) -> Parts:
    """Return the words, the position among them and the normal number in reserve."""
    known: Any = state.get_state(legacy=False)
    if known["bit_generator"] != KIND:
        raise CannotSaveError(
            f"cannot save a random_state of {known['bit_generator']}: give an integer"
        )
    inner = known["state"]
    return {
        "key": inner["key"],
        "position": int(inner["pos"]),
        "has_gauss": int(known["has_gauss"]),
        "gauss": float(known["gauss"]),
    }


def random_state_of(parts: Parts) -> np.random.RandomState:
    """Return a generator that goes on where the saved one stood."""
    key, position = parts["key"], parts["position"]
    words = isinstance(key, np.ndarray) and key.dtype == np.uint32 and key.shape == (N_WORDS,)
    # NumPy believes the position and would read memory beyond the words
    if not words or type(position) is not int or not 0 <= position <= N_WORDS:
        raise ValueError(f"a random state has {N_WORDS} words and a position among them")
    made = np.random.RandomState(0)
    made.set_state((KIND, key, position, int(parts["has_gauss"]), float(parts["gauss"])))
    return made
