"""The mean of a warped target, from two predictions.

The predictive distribution of a warped target has a mean: an integral over the transformed target,
which depends on how well warp and noise describe the tails. The weights that rows have in the
posterior also predict the target itself, as if there were no warp,

    β_y = B⁻¹ΦᵀWy    in place of    β = B⁻¹ΦᵀWz,

and so do the weights of neighbours. Neither is better on all tables: which share the second one has
in the mean is learned from left-out rows (``learning.target_mean``). Quantiles and densities are
those of the predictive distribution.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array, namespace, solve_lower_transposed
from sparsegp.model.neighbours.prediction import NeighbourPosterior
from sparsegp.model.posterior import Posterior
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Warps

__all__ = ["TargetMean"]

Floats = npt.NDArray[np.float64]
AnyPosterior = Posterior | NeighbourPosterior


@dataclass(frozen=True)
class TargetMean:
    """Weights that predict the target without its warp, and their share in the mean."""

    beta: Array  # (m, p), whitened weights of the standardised target
    scaling: Scaling  # standardises the target
    low: Floats  # (p,), the range of the target
    high: Floats
    share: Floats  # (p,), from 0 to 1

    def unwarped(self, rows: Rows, targets: Warps) -> Rows:
        """Return rows with the standardised targets in place of the warped ones."""
        return replace(rows, y=self.scaling.apply(targets.invert(rows.y)))

    def joined(self, posterior: AnyPosterior, targets: Warps) -> AnyPosterior:
        """Return a posterior of both predictions: 2p outputs, the warped targets first."""
        known = self.__dict__.get("_joined")
        if known is None or known[0] is not posterior:  # kept, as every prediction needs it
            known = self.__dict__["_joined"] = (posterior, self._join(posterior, targets))
        joint: AnyPosterior = known[1]
        return joint

    def _join(self, posterior: AnyPosterior, targets: Warps) -> AnyPosterior:
        if isinstance(posterior, Posterior):
            return self._join_weights(posterior)
        rows = posterior.rows
        y = namespace(rows.y).concat((rows.y, self.unwarped(rows, targets).y), axis=1)
        weights = self._join_weights(posterior.posterior)
        both = replace(posterior, posterior=weights, rows=replace(rows, y=y))
        both.__dict__["search"] = posterior.search  # the rows are the same
        return both

    def _join_weights(self, posterior: Posterior) -> Posterior:
        beta = namespace(self.beta).concat((posterior.beta, self.beta), axis=1)
        return replace(posterior, beta=beta, alpha=solve_lower_transposed(posterior.basis.L, beta))

    def mixed(self, warped: Floats, linear: Floats) -> Floats:
        """Return the mean of the target (n, p) from that of its distribution and the linear one."""
        return warped + self.share * (self.target(linear) - warped)

    def target(self, linear: Floats) -> Floats:
        """Return linear predictions in units of the target, within the range of known targets."""
        return np.clip(self.scaling.invert(linear), self.low, self.high)
