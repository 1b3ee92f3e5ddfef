"""Maximise an evidence over hyperparameters with L-BFGS-B.

A step at which the evidence cannot be computed is *rejected*: the search restarts at the best
point so far, with bounds half way towards the point that failed. No value and no gradient is made
up for it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeAlias, TypeVar

import numpy as np
from scipy.optimize import Bounds, minimize

from sparsegp.exceptions import OptimisationError, SparseGPError
from sparsegp.kernels.base import Vector
from sparsegp.learning.hyperparameters import policy

__all__ = ["Objective", "Optimum", "Searchable", "maximise", "maximise_from_several"]


class Searchable(Protocol):
    """What a search optimises: a value with coordinates."""

    @property
    def vector(self) -> Vector:
        """Coordinates: (q,)."""

    @property
    def bounds(self) -> Vector:
        """Limits of the coordinates: (q, 2)."""

    def with_vector(self, vector: Vector) -> Self:
        """Return the value at other coordinates."""


Point = TypeVar("Point", bound=Searchable)

#: Value to be maximised and its gradient by the vector of the parameters.
Objective: TypeAlias = Callable[[Point], tuple[float, Vector]]


@dataclass(frozen=True)
class Optimum(Generic[Point]):
    """The best parameters found."""

    parameters: Point
    value: float
    n_evaluations: int
    n_rejections: int
    converged: bool


class _RejectedError(Exception):
    """The objective failed at ``point``."""

    def __init__(self, point: Vector, cause: Exception | None) -> None:
        super().__init__(str(cause) if cause else "the value or its gradient is not finite")
        self.point = point


class _OutOfBudget(Exception):  # noqa: N818  (not an error: the search ends)
    pass


class _Search(Generic[Point]):
    """Counts evaluations and remembers the best point of one optimisation."""

    def __init__(
        self,
        objective: Objective[Point],
        start: Point,
        budget: int,
        tell: Callable[[int, float], None],
        go_on: Callable[[], bool],
    ) -> None:
        self._objective, self._start, self._budget, self._tell = objective, start, budget, tell
        self._go_on = go_on
        self.n_evaluations = 0
        self.best_value, self.best_point = -np.inf, start.vector
        self.scale = 1.0

    def evaluate(self, point: Vector) -> tuple[float, Vector]:
        """Return minus the scaled objective and its gradient."""
        if self.n_evaluations >= self._budget or (self.n_evaluations and not self._go_on()):
            raise _OutOfBudget
        self.n_evaluations += 1
        try:
            value, gradient = self._objective(self._start.with_vector(point))
        except (SparseGPError, FloatingPointError) as error:
            raise _RejectedError(point.copy(), error) from error
        if not (np.isfinite(value) and np.all(np.isfinite(gradient))):
            raise _RejectedError(point.copy(), None)
        if self.n_evaluations == 1:
            steepness = float(np.linalg.norm(gradient)) / policy.LONGEST_FIRST_STEP
            self.scale = max(self.scale, steepness)
        if value > self.best_value:
            self.best_value, self.best_point = value, point.copy()
            self._tell(self.n_evaluations, -value)
        return -value / self.scale, -gradient / self.scale


def maximise(
    objective: Objective[Point],
    start: Point,
    *,
    max_evaluations: int,
    scale: float = 1.0,
    tolerance: float = 1e-6,
    tell: Callable[[int, float], None] = lambda step, value: None,
    go_on: Callable[[], bool] = lambda: True,
) -> Optimum[Point]:
    """Maximise from ``start`` within the bounds of its parameters.

    Parameters
    ----------
    objective : callable
    start : a value with coordinates, e.g. Parameters
    max_evaluations : int
    scale : float
        What the value is divided by, e.g. the number of rows, so that the tolerance means
        the same for every table. A steep start is divided by more, to limit the first step.
    tolerance : float
        The search ends when a step gains less than this, or no component of the gradient is
        larger than ten times this.
    tell : callable
        Called with the number of evaluations and minus the value whenever it improves.
    go_on : callable
        Called before every evaluation but the first; False ends the search.

    Raises
    ------
    OptimisationError
        If the objective cannot be evaluated at the start.
    """
    search: _Search[Point] = _Search(objective, start, max_evaluations, tell, go_on)
    search.scale = scale
    bounds = start.bounds.copy()  # (q, 2)
    point = np.clip(start.vector, bounds[:, 0], bounds[:, 1])
    search.best_point = point
    converged, n_rejections = len(point) == 0, 0
    while n_rejections <= policy.MAX_REJECTIONS and not converged:
        try:
            result = minimize(
                search.evaluate,
                point,
                jac=True,
                method="L-BFGS-B",
                bounds=Bounds(bounds[:, 0], bounds[:, 1]),
                options={
                    "maxiter": max_evaluations,
                    "ftol": tolerance,
                    "gtol": 10 * tolerance,
                    "maxcor": policy.LBFGS_MEMORY,
                },
            )
            converged = bool(result.success)
            break
        except _OutOfBudget:
            break
        except _RejectedError as rejected:
            if search.best_value == -np.inf:
                message = f"the objective cannot be evaluated at the start: {rejected}"
                raise OptimisationError(message) from rejected
            n_rejections += 1
            point = search.best_point
            _fence_off(bounds, point, rejected.point)
    best = start.with_vector(search.best_point)
    return Optimum(best, search.best_value, search.n_evaluations, n_rejections, converged)


def _fence_off(bounds: Vector, best: Vector, failed: Vector) -> None:
    """Move the bounds on the side of the failed point half way towards the best, in place."""
    middle = 0.5 * (best + failed)
    bounds[:, 1] = np.where(failed > best, np.minimum(bounds[:, 1], middle), bounds[:, 1])
    bounds[:, 0] = np.where(failed < best, np.maximum(bounds[:, 0], middle), bounds[:, 0])


def maximise_from_several(
    objective: Objective[Point],
    start: Point,
    n_restarts: int,
    rng: np.random.Generator,
    *,
    max_evaluations: int,
    scale: float = 1.0,
    tell: Callable[[int, float], None] = lambda step, value: None,
    go_on: Callable[[], bool] = lambda: True,
) -> Optimum[Point]:
    """Maximise from ``start`` and from ``n_restarts`` random points around it; keep the best.

    A restart that cannot be evaluated is skipped; the first start raises an error.
    """
    options = {"max_evaluations": max_evaluations, "scale": scale, "tell": tell, "go_on": go_on}
    best = maximise(objective, start, **options)  # type: ignore[arg-type]
    low, high = start.bounds[:, 0], start.bounds[:, 1]
    for _ in range(n_restarts):
        if not go_on():
            break
        moved = start.vector + rng.normal(scale=1.0, size=len(start.vector))
        try:
            other = maximise(
                objective,
                start.with_vector(np.clip(moved, low, high)),
                **options,  # type: ignore[arg-type]
            )
        except OptimisationError:
            continue
        if other.value > best.value:
            best = other
    return best
