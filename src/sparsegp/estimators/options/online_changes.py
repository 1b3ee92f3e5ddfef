"""Which parameters of an on-line estimator may change in mid-stream.

``max_basis``, ``tolerance`` and ``deletion`` rule what happens to rows to come: a change takes
effect with the next ``partial_fit``. What the first rows were needed for is decided; another
value there means another model, which ``fit`` makes. To learn on and say nothing would be to ignore
the user.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["check_as_decided", "decided_parameters"]

DECIDED = (
    *("kernel", "likelihood", "noise_variance", "noise_variance_bounds", "slope"),
    *("n_warmup", "optimizer", "transform_X", "transform_y", "calibrate"),
)


def decided_parameters(estimator: Any) -> dict[str, Any]:
    """Return the parameters that the first rows were learned with."""
    known = {name: getattr(estimator, name) for name in DECIDED if hasattr(estimator, name)}
    # a dict of the user's may change under our hands
    return {name: dict(v) if isinstance(v, Mapping) else v for name, v in known.items()}


def check_as_decided(estimator: Any, decided: dict[str, Any]) -> None:
    """Refuse to learn more rows if one of these parameters has another value now."""
    for name, value in decided.items():
        now = getattr(estimator, name)
        if not _same(now, value):
            raise ValueError(
                f"{name} was changed to {now!r} in mid-stream, after rows had been learned with "
                f"{value!r}: call fit, which starts anew, or set it back. max_basis, tolerance and "
                "deletion may change at any time"
            )


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    try:
        return bool(np.all(one == other))
    except (TypeError, ValueError):  # what cannot be compared is not the same
        return False
