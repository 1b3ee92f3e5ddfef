"""Storage of a ``RandomState`` that was passed to an estimator."""

from typing import Any

import numpy as np

from sparsegp.exceptions import CannotSaveError
from sparsegp.files.serializers import Parts

__all__ = ["random_state_from_parts", "random_state_parts"]

BIT_GENERATOR = "MT19937"
N_WORDS = 624  # of its state


def random_state_parts(state: np.random.RandomState) -> Parts:
    """Return the state words, the position among them and the cached normal draw."""
    known: Any = state.get_state(legacy=False)
    if known["bit_generator"] != BIT_GENERATOR:
        raise CannotSaveError(
            f"cannot save a random_state of {known['bit_generator']}: pass an integer"
        )
    inner = known["state"]
    return {
        "key": inner["key"],
        "position": int(inner["pos"]),
        "has_gauss": int(known["has_gauss"]),
        "gauss": float(known["gauss"]),
    }


def random_state_from_parts(parts: Parts) -> np.random.RandomState:
    """Return a generator that continues where the saved one was."""
    key, position = parts["key"], parts["position"]
    valid = isinstance(key, np.ndarray) and key.dtype == np.uint32 and key.shape == (N_WORDS,)
    # NumPy does not check the position and would read memory beyond the words
    if not valid or type(position) is not int or not 0 <= position <= N_WORDS:
        raise ValueError(f"a random state has {N_WORDS} words and a position among them")
    made = np.random.RandomState(0)
    made.set_state((BIT_GENERATOR, key, position, int(parts["has_gauss"]), float(parts["gauss"])))
    return made
