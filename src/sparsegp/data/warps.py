"""Warps: monotone maps of a target to the scale that the Gaussian process lives on, and back.

A warp scales the target, bends it by a curve (``curves``) and standardises the result:

    t = (y − offset)/scale,    g = curve(t),    z = (g − mean)/deviation.

Beyond the smallest and the largest target that it was learned on it goes on straight, with the
slope it has there: a bijection of the real line, smooth but for its curvature, whose inverse stays
finite wherever the model goes. The logarithm alone keeps its lower end, at zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt

from sparsegp.data.curves import Curve, Logarithm
from sparsegp.data.scaling import Scaling, fit_scaling

__all__ = ["Warp", "Warps", "fit_warps", "inner_scaling"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Warp:
    """The map of one output.

    >>> warp = Warp(0.0, 1.0, Logarithm(), 0.0, 100.0, 0.0, 1.0)
    >>> warp.invert(warp.apply(np.array([1e-3, 1.0, 500.0])))
    array([1.e-03, 1.e+00, 5.e+02])
    """

    offset: float  # of the target
    scale: float
    curve: Curve
    low: float  # the curve is straight below and above these t
    high: float
    mean: float  # of the curve's values
    deviation: float

    def apply(self, y: Floats) -> Floats:
        """Return z; −∞ where the curve has no value."""
        t = (y - self.offset) / self.scale
        low, high = self._slopes()
        beyond = low * np.minimum(t - self.low, 0.0) + high * np.maximum(t - self.high, 0.0)
        g = self.curve.value(np.clip(t, self.low, self.high)) + beyond
        return (g - self.mean) / self.deviation

    def invert(self, z: Floats) -> Floats:
        """Return y."""
        g = z * self.deviation + self.mean
        g_low, g_high = self._values()
        low, high = self._slopes()
        beyond = np.minimum(g - g_low, 0.0) / low + np.maximum(g - g_high, 0.0) / high
        t = np.clip(self.curve.inverse(np.clip(g, g_low, g_high)), self.low, self.high)
        return (t + beyond) * self.scale + self.offset

    def log_slope(self, y: Floats) -> Floats:
        """Return log dz/dy; −∞ where the curve has no value."""
        t = np.clip((y - self.offset) / self.scale, self.low, self.high)
        return self.curve.log_slope(t) - log(self.scale) - log(self.deviation)

    @property
    def ends(self) -> tuple[float, float]:
        """The z between which the map is bent."""
        low, high = (np.array(self._values()) - self.mean) / self.deviation
        return float(low), float(high)

    def _values(self) -> tuple[float, float]:
        """Return g at the ends."""
        low, high = self.curve.value(np.array([self.low, self.high]))
        return float(low), float(high)

    def _slopes(self) -> tuple[float, float]:
        """Return g′ at the ends; nothing lies below a lower end that is that of the domain."""
        low, high = np.exp(self.curve.log_slope(np.array([self.low, self.high])))
        return (1.0 if self.low == self.curve.lowest else float(low)), float(high)


@dataclass(frozen=True)
class Warps:
    """The maps of all outputs; arrays have one output in each place of their last axis."""

    warps: tuple[Warp, ...]

    def apply(self, y: Floats) -> Floats:
        """Return z (…, p)."""
        return np.stack([w.apply(y[..., i]) for i, w in enumerate(self.warps)], axis=-1)

    def invert(self, z: Floats) -> Floats:
        """Return y (…, p)."""
        return np.stack([w.invert(z[..., i]) for i, w in enumerate(self.warps)], axis=-1)

    def log_slope(self, y: Floats) -> Floats:
        """Return log dz/dy (…, p)."""
        return np.stack([w.log_slope(y[..., i]) for i, w in enumerate(self.warps)], axis=-1)


def inner_scaling(standard: Scaling, curve: Curve) -> Scaling:
    """Return how a target is scaled before a curve, given how it would be standardised."""
    if isinstance(curve, Logarithm):  # its zero is the target's
        return Scaling(np.zeros_like(standard.offset), standard.scale)
    return standard


def fit_warps(y: Floats, weight: Floats | None, curves: Sequence[Curve]) -> Warps:
    """Return the warps of targets (n, p) by given curves of one kind, one an output."""
    inner = inner_scaling(fit_scaling(y, weight, "standard"), curves[0])
    t = inner.apply(y)  # (n, p)
    g = np.stack([curve.value(t[:, i]) for i, curve in enumerate(curves)], axis=1)
    outer = fit_scaling(g, weight, "standard")
    return Warps(
        tuple(
            Warp(
                float(inner.offset[i]),
                float(inner.scale[i]),
                curve,
                curve.lowest if curve.lowest > -np.inf else float(np.min(t[:, i])),
                float(np.max(t[:, i])),
                float(outer.offset[i]),
                float(outer.scale[i]),
            )
            for i, curve in enumerate(curves)
        )
    )
