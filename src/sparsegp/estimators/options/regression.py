"""From the options of an estimator to checked settings of a fit."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sparsegp.estimators.options.checks import check_integer, check_option
from sparsegp.estimators.options.memory import memory_of, regression_memory
from sparsegp.estimators.policy import (
    LARGER_SIZES,
    MATRICES_OF_BASIS,
    MOST_ROWS_OF_EXACT,
    SHARE_OF_EXACT,
    USUAL_BASIS,
)
from sparsegp.learning.hyperparameters.objectives import EVIDENCE, OBJECTIVES
from sparsegp.learning.precision import PRECISIONS
from sparsegp.learning.settings import (
    ALL,
    ALWAYS,
    AUTO,
    GAUSSIAN,
    IF_BETTER,
    NOISES,
    Settings,
)
from sparsegp.model.approximation import APPROXIMATIONS, Approximation
from sparsegp.selection import CRITERIA, HAS_TURNING_POINT
from sparsegp.tables.table import Table

__all__ = ["check_common", "needs_memory", "regression_settings", "sized"]

LBFGS, AT_BASIS = "lbfgs", "at_basis"
# Transforms that leave columns in different units.
UNSCALED = ("none", "common")


def regression_settings(estimator: Any) -> Settings:
    """Return the settings of a SparseGPRegressor; a bad one raises an error that names it."""
    check_option("selection", estimator.selection, CRITERIA)
    check_option("approximation", estimator.approximation, (AUTO, *APPROXIMATIONS))
    check_option("objective", estimator.objective, OBJECTIVES)
    check_option("precision", estimator.precision, PRECISIONS)
    check_option("accept_basis", estimator.accept_basis, (IF_BETTER, ALWAYS))
    if estimator.noise is not None:
        check_option("noise", estimator.noise, (*NOISES, AUTO))
    check_common(estimator, optimizers=(LBFGS, AT_BASIS))
    if estimator.refine_basis and estimator.optimizer is None:
        raise ValueError(
            "refine_basis=True optimises inducing inputs, which optimizer=None forbids: set "
            "optimizer='lbfgs' or refine_basis=False"
        )
    if estimator.noise not in (None, GAUSSIAN) and estimator.objective != EVIDENCE:
        raise ValueError(
            f"noise={estimator.noise!r} is learned by the evidence, not {estimator.objective}: set "
            "objective='evidence' or noise='gaussian'"
        )
    rule = _rule(estimator)
    return Settings(
        rule=rule,
        selection=estimator.selection,
        max_basis=_max_basis(estimator.max_basis),
        n_fresh=check_integer("n_candidates", estimator.n_candidates, 0),
        cache_size=_cache_size(estimator.cache_size, estimator.n_candidates),
        n_rows_selection=_n_rows_selection(estimator),
        stop=estimator.stop is not None,
        patience=_patience(estimator.stop),
        cut_back=bool(estimator.cut_back),
        optimise=estimator.optimizer is not None,
        search=estimator.optimizer != AT_BASIS,
        objective=estimator.objective,
        length_scale_prior=rule.in_bound and _has_usual_scales(estimator),
        n_restarts=check_integer("n_restarts", estimator.n_restarts, 0),
        n_adaptations=_n_adaptations(estimator.n_adaptations),
        n_evaluations=check_integer("n_evaluations", estimator.n_evaluations, 1),
        accept_basis=estimator.accept_basis,
        refine_basis=bool(estimator.refine_basis),
        calibrate=bool(estimator.calibrate),
        noise=_noise(estimator),
        n_neighbors=_n_neighbors(estimator),
        precision=estimator.precision,
        memory=memory_of(estimator),
    )


def sized(settings: Settings, estimator: Any, table: Table) -> Settings:
    """Return the settings for a table of this size: all rows, or as many as were asked for.

    "auto" is all rows of a small table, the exact process, and of others as many as held-out rows
    choose, if a criterion does not end the selection, inducing inputs are not moved, and memory
    allows it.
    """
    if not isinstance(estimator.max_basis, str):
        return settings
    n_rows = table.n_rows
    fits = 8 * MATRICES_OF_BASIS * n_rows**2 <= SHARE_OF_EXACT * settings.memory.limit
    stops = settings.stop and settings.selection in HAS_TURNING_POINT
    is_open = not stops and not settings.refine_basis
    asked = estimator.max_basis == ALL
    if asked or (n_rows <= MOST_ROWS_OF_EXACT and fits and is_open):
        return replace(settings, max_basis=max(n_rows, 1), every_row=asked)
    return replace(settings, larger_sizes=_larger_sizes(settings, table)) if is_open else settings


def _larger_sizes(settings: Settings, table: Table) -> tuple[int, ...]:
    """Return the numbers of basis vectors, beyond the usual one, that memory allows."""
    room = SHARE_OF_EXACT * settings.memory.limit
    larger = [replace(settings, max_basis=m) for m in LARGER_SIZES]
    return tuple(s.max_basis for s in larger if regression_memory(table, s).bytes <= room)


def _max_basis(value: Any) -> int:
    if isinstance(value, str):
        check_option("max_basis", value, (AUTO, ALL))
        return USUAL_BASIS
    return check_integer("max_basis", value, 1)


def _rule(estimator: Any) -> Approximation:
    """Return the approximation; the page on defaults has the reason for "auto".

    DTC's evidence fits closely, but overfits outliers of a target that is not warped, and inducing
    inputs that are optimised. VFE's bound prevents both, but takes for noise what a small basis
    does not explain.
    """
    if estimator.approximation != AUTO:
        return APPROXIMATIONS[estimator.approximation]
    warped = estimator.transform_y == AUTO and not estimator.refine_basis
    return APPROXIMATIONS["dtc" if warped else "vfe"]


def _n_neighbors(estimator: Any) -> int | None:
    """Return the number of neighbours; None: held-out rows choose it.

    "auto" is none where a sparse model was asked for by its own options.
    """
    value = estimator.n_neighbors
    sparse = {
        "approximation": (AUTO, "fitc"),
        "objective": (EVIDENCE,),
        "refine_basis": (False,),
    }
    if value == AUTO:
        free = sparse | {
            "approximation": (AUTO,),
            "optimizer": (LBFGS,),
            "n_adaptations": (AUTO,),
            "noise": (None, AUTO),
            "calibrate": (True,),
        }
        return None if all(getattr(estimator, name) in own for name, own in free.items()) else 0
    check_integer("n_neighbors", value, 0)
    for name, own in sparse.items():
        if value and getattr(estimator, name) not in own:
            raise ValueError(
                f"n_neighbors={value} corrects the predictions of FITC: {name} must be "
                f"{' or '.join(map(repr, own))}, got {getattr(estimator, name)!r}; or set "
                "n_neighbors=0"
            )
    return int(value)


def _has_usual_scales(estimator: Any) -> bool:
    """Return whether length scales have a prior: for default kernels on scaled columns.

    Leave-one-out measures are means over rows, beside which a prior would weigh too much.
    """
    ours = estimator.kernel is None or isinstance(estimator.kernel, str)
    given = estimator.transform_X
    kinds = given.values() if isinstance(given, Mapping) else (given,)
    scaled = not any(isinstance(kind, str) and kind in UNSCALED for kind in kinds)
    return ours and scaled and estimator.objective == EVIDENCE


def _noise(estimator: Any) -> str | None:
    """Return the noise model; None, if it is free because the warp of the target is."""
    if estimator.noise is None and estimator.transform_y != AUTO:
        return GAUSSIAN
    return None if estimator.noise is None else str(estimator.noise)


def needs_memory(estimator: Any) -> str | None:
    """Return why all rows have to be in memory, and what to do, if they have to."""
    if estimator.noise in (None, GAUSSIAN):
        return None
    return (
        f"noise={estimator.noise!r} has a noise variance for every row, which needs all rows in "
        f"memory: for a table that is read in blocks use noise={GAUSSIAN!r} or None"
    )


def check_common(estimator: Any, optimizers: tuple[str, ...] = (LBFGS,)) -> None:
    """Check the options that both sparse estimators have."""
    if estimator.optimizer is not None:
        check_option("optimizer", estimator.optimizer, optimizers)
    if estimator.callback is not None and not callable(estimator.callback):
        raise ValueError(f"callback must be callable or None, got {estimator.callback!r}")


def _n_adaptations(value: Any) -> int | None:
    if isinstance(value, str):
        check_option("n_adaptations", value, ("auto",))
        return None
    return check_integer("n_adaptations", value, 0)


def _patience(stop: Any) -> int | None:
    """Return the additions without a new minimum after which a selection ends, if given."""
    if stop is None or isinstance(stop, str):
        check_option("stop", stop or AUTO, (AUTO,))
        return None
    return check_integer("stop", stop, 1)


def _n_rows_selection(estimator: Any) -> int | str:
    """Return the number of rows that select the basis, AUTO or ALL."""
    value = estimator.n_rows_selection
    if isinstance(value, str):
        check_option("n_rows_selection", value, (AUTO, ALL))
        return value
    size = check_integer("n_rows_selection", value, 1)
    if estimator.selection == "information_gain":
        raise ValueError(
            "selection='information_gain' compares all rows by their own targets: set "
            f"n_rows_selection to 'auto' or 'all', got {value!r}"
        )
    return size


def _cache_size(value: Any, n_candidates: int) -> int | None:
    if value is None:
        return None
    size = check_integer("cache_size", value, 1)
    if size < n_candidates:
        raise ValueError(
            f"cache_size ({size}) includes the new candidates of a step: it must be at least "
            f"n_candidates ({n_candidates})"
        )
    return size
