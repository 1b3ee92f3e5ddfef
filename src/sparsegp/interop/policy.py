"""The constants of this room, and what each of them trades."""

from typing import Any, Final

__all__ = ["ENERGY_NODES", "QUICK_OPTIONS"]

#: Nodes of the integral for E|Y − Y'| of a warped target: six digits for heavy tails; each costs a
#: quantile of every row.
ENERGY_NODES: Final = 200

#: Options of the models that river's own checks try.
QUICK_OPTIONS: Final[dict[str, Any]] = {"n_warmup": 40, "max_basis": 8, "random_state": 0}
