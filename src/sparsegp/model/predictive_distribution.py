"""The predictive distribution of targets: normal or Student's t, behind a transform.

The transformed target of a row is z = location + scale·u with u normal or Student's t
(``model.noise.distribution``), and y is the inverse transform of z: affine, or a warp. Quantiles,
probabilities and densities are exact; moments of a warped target are integrals (``model.warped``).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import to_numpy
from sparsegp.model.crps import standard_crps, warped_crps
from sparsegp.model.noise.distribution import NORMAL, NoiseDistribution
from sparsegp.model.warped import warped_moments
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Warps

__all__ = ["PredictiveDistribution"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class PredictiveDistribution:
    """The distribution of the target of each row, noise included.

    ``SparseGPRegressor.predict_distribution`` returns it, and ``sparsegp.metrics`` take it. Values
    have the shape of the target: (n_samples,) or (n_samples, n_outputs).

    Parameters
    ----------
    location : ndarray (n_samples, n_outputs)
        Of the transformed target.
    scale : ndarray (n_samples, n_outputs)
    transform : Scaling or Warps
        From targets to transformed targets.
    tails : NoiseDistribution
        Normal, or Student's t.
    one_output : bool
        Whether the axis of the outputs is left out.

    Examples
    --------
    >>> import numpy as np
    >>> predicted = PredictiveDistribution.gaussian(mean=[0.0, 1.0], std=[1.0, 2.0])
    >>> predicted.quantile(0.975).round(2)
    array([1.96, 4.92])
    >>> predicted.cdf([0.0, 1.0])
    array([0.5, 0.5])
    """

    location: Floats
    scale: Floats
    transform: Scaling | Warps
    tails: NoiseDistribution = NORMAL
    one_output: bool = True

    @classmethod
    def gaussian(cls, mean: Any, std: Any) -> "PredictiveDistribution":
        """Return N(mean, std²), for instance of another library's predictions.

        Parameters
        ----------
        mean, std : array-like (n_samples,) or (n_samples, n_outputs)
        """
        mean = np.asarray(mean, dtype=np.float64)
        std = np.broadcast_to(np.asarray(std, dtype=np.float64), mean.shape)
        if mean.ndim not in (1, 2) or not np.all(std > 0.0):
            raise ValueError(
                "mean and std must be (n_samples,) or (n_samples, n_outputs) and std positive, got "
                f"shape {mean.shape} and a least std of {np.min(std, initial=np.inf)}"
            )
        one = mean.ndim == 1
        location, scale = (a[:, None] if one else a for a in (mean, std))  # (n, p)
        width = location.shape[1]
        return cls(location, scale, Scaling(np.zeros(width), np.ones(width)), NORMAL, one)

    @property
    def is_gaussian(self) -> bool:
        """Whether mean and standard deviation say all of it."""
        return self.tails.df is None and isinstance(self.transform, Scaling)

    @cached_property
    def _moments(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the target: (n, p) each."""
        transform, tails = self.transform, self.tails
        if isinstance(transform, Scaling):
            return transform.invert(self.location), tails.deviation * self.scale * transform.scale
        each = [
            warped_moments(warp, self.location[:, i], self.scale[:, i], tails)
            for i, warp in enumerate(transform.warps)
        ]
        means, deviations = zip(*each, strict=True)
        return np.stack(means, axis=1), np.stack(deviations, axis=1)

    @property
    def mean(self) -> Floats:
        """The mean of the target; for a skewed one it is not the median."""
        return self._shaped(self._moments[0])

    @property
    def std(self) -> Floats:
        """The standard deviation of the target."""
        return self._shaped(self._moments[1])

    def quantile(self, p: Any) -> Floats:
        """Return quantiles of the target.

        Parameters
        ----------
        p : float or array-like (n_quantiles,)
            Probabilities between 0 and 1.

        Returns
        -------
        ndarray (n_samples, n_quantiles) or (n_samples, n_outputs, n_quantiles)
            For a single number ``p`` the last axis is missing.
        """
        u = self.tails.quantile(np.atleast_1d(np.asarray(p, dtype=np.float64)))  # (q,)
        z = self.location + self.scale * u[:, None, None]  # (q, n, p)
        quantiles = self._shaped(np.moveaxis(self.transform.invert(z), 0, -1))
        return quantiles if np.ndim(p) else quantiles[..., 0]

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return lower and upper end of the central interval of this probability."""
        both = self.quantile([0.5 - 0.5 * level, 0.5 + 0.5 * level])
        return both[..., 0], both[..., 1]

    def cdf(self, y: Any) -> Floats:
        """Return the probability that the target is at most y."""
        return self._shaped(self.tails.cdf(self._standardised(self._targets(y))))

    def log_density(self, y: Any) -> Floats:
        """Return the logarithm of the density at y; −∞ for an impossible target."""
        target = self._targets(y)
        log_density = self.tails.log_density(self._standardised(target), self.scale)
        return self._shaped(log_density + self.transform.log_slope(target))

    def crps(self, y: Any) -> Floats:
        """Return the continuous ranked probability score at y, in units of y; lower is better."""
        target, transform = self._targets(y), self.transform
        if isinstance(transform, Scaling):
            found = standard_crps(self._standardised(target), self.tails)
            return self._shaped(found * self.scale * transform.scale)
        each = [
            warped_crps(w, self.location[:, i], self.scale[:, i], self.tails, target[:, i])
            for i, w in enumerate(transform.warps)
        ]
        return self._shaped(np.stack(each, axis=1))

    def _standardised(self, target: Floats) -> Floats:
        return (self.transform.apply(target) - self.location) / self.scale

    def _targets(self, y: Any) -> Floats:
        """Return targets as (n, p); raise if they do not match."""
        target = np.asarray(to_numpy(y) if hasattr(y, "device") else y, dtype=np.float64)
        target = target[:, None] if target.ndim == 1 else target
        if target.ndim != 2 or len(target) != len(self.location):
            raise ValueError(
                f"y has shape {target.shape}, but the prediction has {len(self.location)} rows"
            )
        if target.shape != self.location.shape:
            raise ValueError(
                f"y has {target.shape[1]} outputs, but the model was fitted with "
                f"{self.location.shape[1]}"
            )
        return target

    def _shaped(self, values: Floats) -> Floats:
        """Return values (n, p, …) without the axis of a single output."""
        return values[:, 0, ...] if self.one_output else values

    def __len__(self) -> int:
        return len(self.location)

    def __repr__(self) -> str:
        name = "normal" if self.tails.df is None else f"Student's t, df={self.tails.df:.3g}"
        warped = "" if isinstance(self.transform, Scaling) else ", warped"
        return f"PredictiveDistribution({len(self)} rows, {name}{warped})"
