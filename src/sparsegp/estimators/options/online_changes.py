"""Which parameters of an on-line estimator may be changed during a stream.

``max_basis``, ``tolerance``, ``deletion`` and ``forgetting`` concern rows to come: a change takes
effect with the next ``partial_fit``. Parameters that the first rows determined cannot change
without a new model, which ``fit`` makes; ``partial_fit`` raises an error instead of ignoring the
change.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["check_as_decided", "decided_parameters"]

DECIDED = (
    *("kernel", "likelihood", "noise_variance", "noise_variance_bounds", "slope", "bias"),
    *("n_warmup", "optimizer", "transform_X", "transform_y", "calibrate"),
    *("lags", "mean"),
)


def decided_parameters(estimator: Any) -> dict[str, Any]:
    """Return the parameters that the first rows were learned with."""
    known = {name: getattr(estimator, name) for name in DECIDED if hasattr(estimator, name)}
    # the user may change a dict later
    return {name: dict(v) if isinstance(v, Mapping) else v for name, v in known.items()}


def check_as_decided(estimator: Any, decided: dict[str, Any]) -> None:
    """Refuse to learn more rows if one of these parameters has another value now."""
    for name, value in decided.items():
        now = getattr(estimator, name)
        if now is not value and not _same(now, value):
            raise ValueError(
                f"{name} was changed to {now!r} in mid-stream, after rows had been learned with "
                f"{value!r}: call fit, which starts anew, or set it back. max_basis, tolerance, "
                "deletion and forgetting may change at any time"
            )


def _same(one: Any, other: Any) -> bool:
    try:
        equal = one == other
        return equal is True or bool(np.all(equal))
    except (TypeError, ValueError):  # values that cannot be compared are not the same
        return False
