"""What scikit-learn's validation notes of a table, and how it is taken back."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["keeps_old_model"]

#: What it notes before the rest of the table is checked.
INPUT_ATTRIBUTES = ("n_features_in_", "feature_names_in_")


@contextmanager
def keeps_old_model(estimator: Any) -> Iterator[None]:
    """Let a fit that fails leave the estimator as it was: an old model stays whole."""
    known = {
        name: getattr(estimator, name) for name in INPUT_ATTRIBUTES if hasattr(estimator, name)
    }
    try:
        yield
    except BaseException:  # also when a user interrupts it
        for name in INPUT_ATTRIBUTES:
            estimator.__dict__.pop(name, None)
        estimator.__dict__.update(known)
        raise
