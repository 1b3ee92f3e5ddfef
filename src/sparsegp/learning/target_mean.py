"""How much of the mean of a warped target the linear prediction of the target should be.

Left-out rows decide: the share s minimises the squared error of (1 − s)·warped + s·linear, and is
shrunk by its uncertainty.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import namespace, solve_lower, solve_lower_transposed, to_numpy
from sparsegp.kernels.base import Vector
from sparsegp.learning.basis.prefix import shorten
from sparsegp.learning.conditioning import ConditionedModel
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.noise.calibrate import Calibration
from sparsegp.learning.noise.calibration_rows import Calibrated
from sparsegp.model.leave_one_out.predictions import LeftOut, leave_one_out
from sparsegp.model.moments import weighted_targets
from sparsegp.model.neighbours.leave_one_out import leave_one_out_of_neighbours
from sparsegp.model.neighbours.prediction import NeighbourPosterior
from sparsegp.model.noise.predictive import Noise
from sparsegp.model.posterior import Posterior
from sparsegp.model.target_mean import TargetMean
from sparsegp.model.warped import warped_moments
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.columns import STANDARD
from sparsegp.tables.transforms.scaling import fit_scaling
from sparsegp.tables.transforms.warps import Warps

__all__ = ["TargetMeans", "shorten_target_mean"]

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class TargetMeans:
    """Linear predictions of the targets of a conditioned model, whose share is to be judged."""

    mean: TargetMean
    rows: Rows  # with warped targets
    variance: float  # of the noise
    targets: Warps

    @classmethod
    def learned(cls, model: ConditionedModel, targets: Warps) -> "TargetMeans":
        """Learn the weights that predict the target itself, by one pass over the rows."""
        rows, variance, posterior = (
            model.rows.load(),
            model.parameters.noise_variance,
            model.posterior,
        )
        y = targets.invert(rows.y)  # (n, p)
        scaling = fit_scaling(y, rows.weight, STANDARD).to_host()
        plain = replace(rows, y=scaling.apply(y))
        summed = weighted_targets(posterior.basis, plain, variance, posterior.rule)  # (m, p)
        L_B = posterior.precision.L
        beta = solve_lower_transposed(L_B, solve_lower(L_B, summed))
        share = np.zeros(y.shape[1])
        xp = namespace(y)
        low, high = to_numpy(xp.min(y, axis=0)), to_numpy(xp.max(y, axis=0))
        mean = TargetMean(beta, scaling, low, high, share)
        return cls(mean, rows, variance, targets)

    def left_out(
        self, posterior: Posterior | NeighbourPosterior, some: Rows, positions: Indices
    ) -> LeftOut:
        """Return leave-one-out predictions of some rows, warped and linear: 2p outputs."""
        both = self.mean.joined(posterior, self.targets)
        if isinstance(both, NeighbourPosterior):
            return leave_one_out_of_neighbours(both, positions)
        y = namespace(some.y).concat((some.y, self.mean.unwarped(some, self.targets).y), axis=1)
        return leave_one_out(both, replace(some, y=y), self.variance)

    def judged(self, left_out: LeftOut, calibrated: Calibrated, noise: Noise) -> TargetMean:
        """Return the mean with the share of least squared error of the calibration rows.

        ``left_out`` are their predictions, warped and linear.
        """
        mean, targets = self.mean, self.targets
        some = self.rows.take(calibrated.positions)
        y = to_numpy(targets.invert(some.y))  # (n, p)
        left_out = left_out.to_host()
        warped = _warped_means(left_out, targets, some.to_host(), calibrated.scales, noise)
        linear = mean.target(left_out.mean[:, y.shape[1] :])
        share = _share(y - warped, linear - warped, left_out.count[:, None])
        return replace(mean, share=share)


def _share(error: Vector, apart: Vector, count: Vector) -> Vector:
    """Return the share s of least Σ (error − s·apart)², shrunk by its uncertainty: (p,).

    With the variance v of s, of errors that differ in size from row to row, the estimate s is
    multiplied by s²/(s² + v): few rows, or a few large errors, decide little.
    """
    square = np.sum(count * apart**2, axis=0)
    square = np.where(square > 0.0, square, 1.0)
    share = np.sum(count * apart * error, axis=0) / square
    variance = np.sum(count * (apart * (error - share * apart)) ** 2, axis=0) / square**2
    known = share**2 / np.where(share != 0.0, share**2 + variance, 1.0)
    return np.clip(known * share, 0.0, 1.0)


def _warped_means(
    left_out: LeftOut, targets: Warps, rows: Rows, scales: Calibration, noise: Noise
) -> Vector:
    """Return the means of the predictive distributions of left-out targets: (n, p)."""
    z = left_out.mean[:, : len(targets.warps)]
    variance = scales.residual * left_out.residual + scales.noise * left_out.weights
    scale = np.sqrt(variance + to_numpy(noise.at(z, rows.X)))  # (n,)
    means = [
        warped_moments(warp, z[:, i], scale, noise.tails)[0] for i, warp in enumerate(targets.warps)
    ]
    return np.stack(means, axis=1)


def shorten_target_mean(
    mean: TargetMean,
    posterior: Posterior | NeighbourPosterior,
    rows: AnyRows | None,
    targets: Warps,
    parameters: Parameters,
    n_basis: int,
) -> TargetMean:
    """Return the mean with the first basis vectors only; its share stays."""
    if isinstance(posterior, NeighbourPosterior):
        rows, posterior = posterior.rows, posterior.posterior
    alone = replace(posterior, beta=mean.beta)
    plain = None if rows is None else mean.unwarped(rows.load(), targets)
    shorter, _ = shorten(alone, np.zeros(n_basis), plain, parameters, n_basis)
    assert isinstance(shorter, Posterior)
    return replace(mean, beta=shorter.beta)
