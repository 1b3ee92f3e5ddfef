"""The predictive distribution of targets with any likelihood, given Gaussian beliefs about f."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.likelihoods.poisson import Poisson
from sparsegp.model.uncertainty import Uncertainty, likelihood_noise_std
from sparsegp.tables.transforms.scaling import Scaling

__all__ = ["LikelihoodDistribution"]

Floats = npt.NDArray[np.float64]

# Probabilities between whose quantiles a CRPS is integrated, how many deviations it reaches beyond
# them, and nodes of each interval.
PARTS = (1e-6, 1e-3, 0.05, 0.3, 0.7, 0.95, 1.0 - 1e-3, 1.0 - 1e-6)
REACH, N_NODES = 100.0, 24
# Steps of the search for a quantile, from brackets that are doubled this often at most, and the
# error of the probability at which it ends.
N_STEPS, N_DOUBLINGS, TOLERANCE = 100, 200, 1e-13


@dataclass(frozen=True, eq=False, repr=False)
class LikelihoodDistribution:
    """The distribution of the target of each row, noise included, on a stream.

    ``OnlineGPRegressor.predict_distribution`` returns it. It has the methods of
    ``PredictiveDistribution``. Values have the shape of the target.

    Parameters
    ----------
    location, variance : ndarray (n_samples, n_outputs)
        Beliefs about the latent function, scaled.
    likelihood : object
        p(y | f) of the scaled target.
    transform : Scaling
        From targets to scaled targets.
    one_output : bool
        Whether the axis of the outputs is left out.
    """

    location: Floats
    variance: Floats
    likelihood: Any
    transform: Scaling
    one_output: bool = True

    @property
    def is_discrete(self) -> bool:
        """Whether the targets are counts."""
        return isinstance(self.likelihood, Poisson)

    @cached_property
    def _moments(self) -> tuple[Floats, Floats]:
        """Mean and variance of the scaled target: (n, K) each."""
        moments = getattr(self.likelihood, "target_moments", None)
        if moments is None:
            return self.location, self.variance
        found = moments(self.location.ravel(), self.variance.ravel())
        mean, variance = (np.reshape(a, self.location.shape) for a in found)
        return mean, variance

    @property
    def mean(self) -> Floats:
        """The mean of the target."""
        return self._shaped(self.transform.invert(self._moments[0]))

    @property
    def std(self) -> Floats:
        """The standard deviation of the target."""
        return self._shaped(np.sqrt(self._moments[1]) * self.transform.scale)

    @property
    def uncertainty(self) -> Uncertainty:
        """Standard deviation of the target, and its parts by the law of total variance."""
        total = np.sqrt(self._moments[1])  # (n, K)
        aleatoric = np.zeros_like(total)
        if hasattr(self.likelihood, "target_moments"):
            flat = self.location.ravel(), self.variance.ravel()
            aleatoric = likelihood_noise_std(self.likelihood, *flat).reshape(total.shape)
        aleatoric = np.minimum(aleatoric, total)
        epistemic = np.sqrt(total**2 - aleatoric**2)
        scale = self.transform.scale
        return Uncertainty(*(self._shaped(a * scale) for a in (total, epistemic, aleatoric)))

    def quantile(self, p: Any) -> Floats:
        """Return quantiles of the target: (n_samples, [n_outputs,] n_quantiles).

        For a single number ``p`` the last axis is missing. Of counts it is the smallest count whose
        probability reaches p.
        """
        each = [self._quantile(float(one)) for one in np.atleast_1d(p)]
        quantiles = self._shaped(np.stack([self.transform.invert(z) for z in each], axis=-1))
        return quantiles if np.ndim(p) else quantiles[..., 0]

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return lower and upper end of the central interval of this probability."""
        both = self.quantile([0.5 - 0.5 * level, 0.5 + 0.5 * level])
        return both[..., 0], both[..., 1]

    def cdf(self, y: Any) -> Floats:
        """Return the probability that the target is at most y."""
        return self._shaped(self._cdf(self.transform.apply(self._targets(y))))

    def log_density(self, y: Any) -> Floats:
        """Return the logarithm of the density, or of the probability of a count, at y."""
        target = self._targets(y)
        flat = (self.transform.apply(target), self.location, self.variance)
        log_z = self.likelihood.moment_match(*(a.ravel() for a in flat)).log_z
        return self._shaped(log_z.reshape(target.shape) + self.transform.log_slope(target))

    def crps(self, y: Any) -> Floats:
        """Return the continuous ranked probability score at y, in units of y; lower is better."""
        z = self.transform.apply(self._targets(y))
        found = self._counts_crps(z) if self.is_discrete else self._crps(z)
        return self._shaped(found * self.transform.scale)

    def _crps(self, z: Floats) -> Floats:
        """Return ∫ (F − [x ≥ z])² dx between quantiles and z: (n, K)."""
        mean, reach = self._moments[0], REACH * np.sqrt(self._moments[1])
        inner = (self._quantile(p) for p in PARTS)
        ends = np.sort(np.stack([mean - reach, *inner, mean + reach, z]), axis=0)  # (parts, n, K)
        nodes, weights = np.polynomial.legendre.leggauss(N_NODES)
        total = np.zeros_like(z)
        for low, high in pairwise(ends):
            middle, half = 0.5 * (low + high), 0.5 * (high - low)
            for node, weight in zip(nodes, weights, strict=True):
                x = middle + half * node
                total += half * weight * (self._cdf(x) - (x >= z)) ** 2
        return total

    def _counts_crps(self, z: Floats) -> Floats:
        """Return Σ (F(k) − [k ≥ z])² over counts k: (n, K)."""
        last = int(max(np.max(self._quantile(1.0 - 1e-9), initial=0.0), np.max(z, initial=0.0)))
        total = np.zeros_like(z)
        for k in range(last + 1):
            total += (self._cdf(np.full_like(z, k)) - (k >= z)) ** 2
        return total

    def _cdf(self, z: Floats) -> Floats:
        """Return the probability of scaled targets up to z: (n, K)."""
        target_cdf = getattr(self.likelihood, "target_cdf", None)
        if target_cdf is None:
            raise TypeError(
                f"the likelihood {self.likelihood!r} has no target_cdf(y, mean, variance), which "
                "probabilities, quantiles and CRPS need: add it, or use predict and log_density"
            )
        flat = target_cdf(z.ravel(), self.location.ravel(), self.variance.ravel())
        return np.reshape(flat, z.shape)

    def _quantile(self, p: float) -> Floats:
        """Return the scaled target at which the probability reaches p: (n, K)."""
        mean, variance = self._moments
        low = np.full_like(mean, -1.0) if self.is_discrete else mean - np.sqrt(variance)
        high = mean + np.sqrt(variance) + (1.0 if self.is_discrete else 0.0)
        for _ in range(N_DOUBLINGS):
            above, below = self._cdf(low) >= p, self._cdf(high) < p
            if not np.any(above | below):
                break
            low, high = (
                np.where(above, low - (high - low), low),
                np.where(below, high + (high - low), high),
            )
        return self._count_between(low, high, p) if self.is_discrete else self._root(low, high, p)

    def _root(self, low: Floats, high: Floats, p: float) -> Floats:
        """Return the root of F(z) = p in brackets, by the Illinois method: (n, K)."""
        at_low, at_high = self._cdf(low) - p, self._cdf(high) - p
        z, side = high, np.zeros_like(low)
        for _ in range(N_STEPS):
            z = (low * at_high - high * at_low) / np.maximum(at_high - at_low, TOLERANCE)
            z = np.clip(z, low, high)
            value = self._cdf(z) - p
            if np.all((np.abs(value) < TOLERANCE) | (z == low) | (z == high)):
                break
            right = value >= 0.0
            # an end that stays twice counts half, so that it moves
            at_low = np.where(right & (side > 0), 0.5 * at_low, at_low)
            at_high = np.where(~right & (side < 0), 0.5 * at_high, at_high)
            low, at_low = np.where(right, low, z), np.where(right, at_low, value)
            high, at_high = np.where(right, z, high), np.where(right, value, at_high)
            side = np.where(right, 1.0, -1.0)
        return z

    def _count_between(self, low: Floats, high: Floats, p: float) -> Floats:
        """Return the smallest count above low, up to high, whose probability reaches p: (n, K)."""
        low, high = np.floor(low), np.floor(high) + 1.0
        while np.any(high - low > 1.0):
            middle = np.floor(0.5 * (low + high))
            reached = self._cdf(middle) >= p
            low, high = np.where(reached, low, middle), np.where(reached, middle, high)
        return high

    def _targets(self, y: Any) -> Floats:
        """Return targets as (n, K); raise if they do not match."""
        target = np.asarray(y, dtype=np.float64)
        target = target[:, None] if target.ndim == 1 else target
        if target.shape != self.location.shape:
            raise ValueError(
                f"y has shape {target.shape}, but the prediction has {self.location.shape}"
            )
        return target

    def _shaped(self, values: Floats) -> Floats:
        """Return values (n, K, …) without the axis of a single output."""
        return values[:, 0, ...] if self.one_output else values

    def __len__(self) -> int:
        return len(self.location)

    def __repr__(self) -> str:
        return f"LikelihoodDistribution({len(self)} rows, {self.likelihood!r})"
