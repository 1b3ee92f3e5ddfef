"""The site of a candidate row, as a step (η, α̃) of the model.

``moment_matching`` matches the posterior moments at the row itself (SS eq. 2). ``predictive_loss``
minimises the predictive loss of all rows (SS eq. 5) over 0 ≤ η ≤ η̃, where no variance becomes
negative. With z_i = y_i (f̂_i + b +
α̃ k_i)/s_i, s_i² = λ⁻² + A_ii − η k_i², h = N(z)/Φ(z), c = h (z + h) and x = k/s,

    ∂z/∂α̃ = y x,    ∂z/∂η = ½ z x²,

and the Hessian of −Σ log Φ(z) is  Σ c x²,  ½ Σ y x³ (c z − h),  Σ x⁴ (¼ c z² − ¾ h z). The κ
problems of two unknowns are solved simultaneously by a damped Newton method: α̃ is eliminated, η is
updated and clipped, α̃ follows. A step is accepted only if the loss decreases.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from sparsegp.kernels.base import Vector
from sparsegp.likelihoods.probit import hazard_curvature, log_cdf_by_hazard, normal_hazard
from sparsegp.selection.active.filtering import Filter, Indices, Steps, row_parts
from sparsegp.selection.policy import (
    LARGEST_DAMPING,
    MOST_EVALUATIONS,
    ROUNDING,
    SHARE_OF_ETA,
    STEP_TOLERANCE,
    TINY,
)

__all__ = ["SITES", "largest_eta", "moment_matching", "predictive_loss"]


def moment_matching(state: Filter, at: Indices) -> Steps:
    """Return the steps of rows by their own labels (SS eq. 2): η = ν and α̃ = α.

    A row of weight s has s times the site of one label.
    """
    q, r = state.belief.q[at], state.belief.r[at]
    A, s = state.variance[at], state.weight[at]
    total = 1.0 + (1.0 - s) * A * r  # (1 + A r)(1 + s p A) with p = −r/(1 + A r)
    return Steps(-s * r / total, s * q / total)


def largest_eta(state: Filter, at: Indices, functions: Vector) -> Vector:
    """Return η̃ = min_l A_ll/k̃_l², up to which no variance becomes negative: (κ,)."""
    steepest = (
        1.0 / state.variance[at]
    )  # l = j; the least by the Cauchy–Schwarz inequality, up to rounding
    for part in row_parts(functions.shape):
        # where a variance has vanished, k̃ is rounding
        safe = np.maximum(state.variance[part], ROUNDING * state.prior[part]) + TINY
        ratio = functions[:, part] ** 2 / safe  # (κ, b)
        steepest = np.maximum(steepest, np.max(ratio, axis=1))
    return 1.0 / steepest


@dataclass
class _Point:
    """The current point of κ searches: mean loss, gradient and Hessian by (η, α̃)."""

    eta: Vector
    alpha: Vector
    loss: Vector
    g_eta: Vector
    g_alpha: Vector
    H_eta: Vector
    H_mixed: Vector
    H_alpha: Vector

    def take(self, which: Indices) -> "_Point":
        """Return some of the searches."""
        return _Point(*(getattr(self, field.name)[which] for field in fields(self)))

    def put(self, which: Indices, other: "_Point") -> None:
        """Replace the points of some of the searches."""
        for field in fields(self):
            getattr(self, field.name)[which] = getattr(other, field.name)


def _evaluate(
    state: Filter, functions: Vector, which: Indices, eta: Vector, alpha: Vector
) -> _Point:
    """Return the loss and its derivatives for the candidates ``which``, at (η, α̃)."""
    sums = np.zeros((6, len(which)))
    for part in row_parts((len(which), functions.shape[1])):
        k, y, w = functions[which, part], state.y[part], state.weight[part]  # (κ, b), (b,), (b,)
        mean = state.mean[part] + alpha[:, None] * k
        variance = np.maximum(state.variance[part] - eta[:, None] * k * k, 0.0)
        z, scale = state.likelihood.margin(y, mean, variance)
        x = k / scale
        h = normal_hazard(z)
        c = hazard_curvature(z, h)
        h_x2, c_x2 = h * x * x, c * x * x
        sums += [
            -(log_cdf_by_hazard(z, h) @ w),
            -0.5 * ((h_x2 * z) @ w),
            -((h * x) @ (w * y)),
            (x * x * (0.25 * c_x2 * z * z - 0.75 * h_x2 * z)) @ w,
            0.5 * ((x * (c_x2 * z - h_x2)) @ (w * y)),
            c_x2 @ w,
        ]
    sums /= np.sum(state.weight)
    return _Point(eta, alpha, *sums)


def _propose(at: _Point, damping: Vector, top: Vector) -> tuple[Vector, Vector, Vector]:
    """Return the next η and α̃ of each search, and the decrease that the gradient predicts."""
    H_alpha = at.H_alpha * (1.0 + damping) + TINY
    along = at.H_mixed / H_alpha  # −∂α̃/∂η on the valley floor
    curvature = at.H_eta - at.H_mixed * along
    # the absolute value, as the loss need not be convex in η
    curvature = np.abs(curvature) + damping * (np.abs(at.H_eta) + along * at.H_mixed) + TINY
    eta = np.clip(at.eta - (at.g_eta - along * at.g_alpha) / curvature, 0.0, top)
    by_eta = eta - at.eta
    by_alpha = -(at.g_alpha + at.H_mixed * by_eta) / H_alpha
    return eta, at.alpha + by_alpha, -(at.g_eta * by_eta + at.g_alpha * by_alpha)


def predictive_loss(state: Filter, at: Indices, functions: Vector) -> Steps:
    """Return the steps that minimise the predictive loss of all rows, 0 ≤ η ≤ η̃ (SS eq. 5).

    The search starts at the moment-matching step, clipped at η̃, and never increases the loss.
    """
    first = moment_matching(state, at)
    top = SHARE_OF_ETA * largest_eta(state, at, functions)  # (κ,)
    every_candidate = np.arange(len(at))
    best = _evaluate(state, functions, every_candidate, np.minimum(first.eta, top), first.alpha)
    damping, running = np.zeros(len(at)), every_candidate
    for _ in range(MOST_EVALUATIONS):
        here = best.take(running)
        eta, alpha, predicted = _propose(here, damping[running], top[running])
        worth_it = (predicted > STEP_TOLERANCE) & (damping[running] <= LARGEST_DAMPING)
        running, eta, alpha = running[worth_it], eta[worth_it], alpha[worth_it]
        if not len(running):
            break
        trial = _evaluate(state, functions, running, eta, alpha)
        better = trial.loss < best.loss[running]
        best.put(running[better], trial.take(np.flatnonzero(better)))
        damping[running] = np.where(better, 0.1 * damping[running], 10.0 * damping[running] + 0.1)
    return Steps(best.eta, best.alpha)


#: (model, rows, their k̃) ↦ their steps.
SITES: dict[str, Callable[[Filter, Indices, Vector], Steps]] = {
    "moment_matching": lambda state, at, functions: moment_matching(state, at),
    "predictive_loss": predictive_loss,
}
