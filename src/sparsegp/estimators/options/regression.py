"""From the options of an estimator to checked settings of a fit."""

from collections.abc import Mapping
from numbers import Integral
from typing import Any

from sparsegp.estimators.validation import check_integer, check_option, check_positive
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.hyperparameters.objectives import EVIDENCE, OBJECTIVES
from sparsegp.learning.settings import AUTO, GAUSSIAN, NOISES, Settings
from sparsegp.model.approximation import APPROXIMATIONS, Approximation
from sparsegp.selection import CRITERIA
from sparsegp.tables.memory import Memory, parse_bytes

__all__ = ["budget_of", "check_common", "memory_of", "regression_settings"]

LBFGS, AT_BASIS = "lbfgs", "at_basis"
# What may become of columns that leaves each of them its own units.
UNSCALED = ("none", "common")


def regression_settings(estimator: Any, *, bends: bool = True) -> Settings:
    """Return the settings of a SparseGPRegressor; a bad one raises an error that names it.

    ``bends`` tells whether a target is bent if its transform is left open, as it is on the host.
    """
    check_option("selection", estimator.selection, CRITERIA)
    check_option("approximation", estimator.approximation, (AUTO, *APPROXIMATIONS))
    check_option("objective", estimator.objective, OBJECTIVES)
    if estimator.noise is not None:
        check_option("noise", estimator.noise, (*NOISES, AUTO))
    check_common(estimator, optimizers=(LBFGS, AT_BASIS))
    if estimator.refine_basis and estimator.optimizer is None:
        raise ValueError(
            "refine_basis=True moves the basis by optimisation, which optimizer=None forbids: set "
            "optimizer='lbfgs' or refine_basis=False"
        )
    if estimator.refine_basis and estimator.objective != EVIDENCE:
        raise ValueError(
            f"refine_basis=True moves the basis by the evidence, not by {estimator.objective}: set "
            "objective='evidence' or refine_basis=False"
        )
    if estimator.noise not in (None, GAUSSIAN) and estimator.objective != EVIDENCE:
        raise ValueError(
            f"noise={estimator.noise!r} learns by the evidence, not by {estimator.objective}: set "
            "objective='evidence' or noise='gaussian'"
        )
    rule = _rule(estimator, bends)
    return Settings(
        rule=rule,
        selection=estimator.selection,
        max_basis=check_integer("max_basis", estimator.max_basis, 1),
        n_fresh=check_integer("n_candidates", estimator.n_candidates, 0),
        cache_size=_cache_size(estimator.cache_size, estimator.n_candidates),
        stop=estimator.stop is not None,
        optimise=estimator.optimizer is not None,
        search=estimator.optimizer != AT_BASIS,
        objective=estimator.objective,
        length_scale_prior=rule.in_bound and _has_usual_scales(estimator),
        n_restarts=check_integer("n_restarts", estimator.n_restarts, 0),
        n_adaptations=_n_adaptations(estimator.n_adaptations),
        n_evaluations=check_integer("n_evaluations", estimator.n_evaluations, 1),
        refine_basis=bool(estimator.refine_basis),
        calibrate=bool(estimator.calibrate),
        noise=_noise(estimator),
        memory=memory_of(estimator),
    )


def _rule(estimator: Any, bends: bool) -> Approximation:
    """Return the approximation; what "auto" is was measured (see the page on defaults).

    DTC's evidence fits closely. Far targets that nothing bends, and basis vectors that move, lead
    it astray; VFE's bound holds both back, but takes for noise what a small basis leaves.
    """
    if estimator.approximation != AUTO:
        return APPROXIMATIONS[estimator.approximation]
    closely = bends and estimator.transform_y == AUTO and not estimator.refine_basis
    return APPROXIMATIONS["dtc" if closely else "vfe"]


def _has_usual_scales(estimator: Any) -> bool:
    """Tell whether length scales can be foretold: of a kernel of ours and of scaled columns.

    Leave-one-out measures are means over rows, beside which a prior would weigh far too much.
    """
    ours = estimator.kernel is None or isinstance(estimator.kernel, str)
    wanted = estimator.transform_X
    kinds = wanted.values() if isinstance(wanted, Mapping) else (wanted,)
    scaled = not any(isinstance(kind, str) and kind in UNSCALED for kind in kinds)
    return ours and scaled and estimator.objective == EVIDENCE


def _noise(estimator: Any) -> str | None:
    """Return the noise that is asked for; None, if it is left open as the shape of the target."""
    if estimator.noise is None and estimator.transform_y != AUTO:
        return GAUSSIAN
    return None if estimator.noise is None else str(estimator.noise)


def memory_of(estimator: Any) -> Memory:
    """Return the memory that a fit may take beyond the table: the limit, or a share of the free."""
    limit = estimator.memory_limit
    if limit is None:
        return Memory.free()
    found = parse_bytes(limit) if isinstance(limit, str) else limit
    if isinstance(found, bool) or not isinstance(found, Integral) or found <= 0:
        raise ValueError(
            "memory_limit must be None, a positive number of bytes or text such as '2GB', got "
            f"{limit!r}"
        )
    return Memory(int(found))


def budget_of(estimator: Any) -> TimeBudget:
    """Return the time that a fit may take, from now on."""
    limit = estimator.time_limit
    return TimeBudget(None if limit is None else check_positive("time_limit", limit))


def check_common(estimator: Any, optimizers: tuple[str, ...] = (LBFGS,)) -> None:
    """Check the options that all estimators have."""
    if estimator.optimizer is not None:
        check_option("optimizer", estimator.optimizer, optimizers)
    if estimator.stop is not None:
        check_option("stop", estimator.stop, ("auto",))
    if estimator.callback is not None and not callable(estimator.callback):
        raise ValueError(f"callback must be callable or None, got {estimator.callback!r}")


def _n_adaptations(value: Any) -> int | None:
    if isinstance(value, str):
        check_option("n_adaptations", value, ("auto",))
        return None
    return check_integer("n_adaptations", value, 0)


def _cache_size(value: Any, n_candidates: int) -> int | None:
    if value is None:
        return None
    size = check_integer("cache_size", value, 1)
    if size < n_candidates:
        raise ValueError(
            f"cache_size ({size}) counts the fresh candidates of a step too: it must be at least "
            f"n_candidates ({n_candidates})"
        )
    return size
