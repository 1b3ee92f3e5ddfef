"""Warps: monotone maps of a target to the scale of the Gaussian process, and back.

A warp scales the target, applies a curve (``curves``) and standardises the result:

    t = (y − offset)/scale,    g = curve(t),    z = (g − mean)/deviation.

Beyond the smallest and the largest training target it becomes linear, smoothly, with a slope dy/dz
no steeper than the mean slope over the training targets: a bijection of the real line whose inverse
grows moderately under extrapolation. The logarithm alone keeps its lower end, at zero.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import to_numpy
from sparsegp.arrays.placement import beside
from sparsegp.tables.policy import LINEAR_AFTER, TAIL_LAG, TAIL_WIDTH
from sparsegp.tables.transforms.curves import Curve, Logarithm
from sparsegp.tables.transforms.scaling import Scaling, fit_scaling

__all__ = ["Tail", "Warp", "Warps", "fit_warps", "inner_scaling"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Warp:
    """The map of one output.

    >>> warp = Warp(0.0, 1.0, Logarithm(), 0.01, 100.0, 0.0, 1.0)
    >>> warp.invert(warp.apply(np.array([1e-3, 1.0, 500.0])))
    array([1.e-03, 1.e+00, 5.e+02])
    """

    offset: float  # of the target
    scale: float
    curve: Curve
    low: float  # the smallest and the largest t of the training targets
    high: float
    mean: float  # of the curve's values
    deviation: float

    def apply(self, y: Floats) -> Floats:
        """Return z; −∞ where the curve has no value."""
        t, (below, above) = (y - self.offset) / self.scale, self.tails()
        g = self.curve.value(np.clip(t, self.floor, self.high))
        g = g + above.there(np.maximum(t - self.high, 0.0))
        g = g - below.there(np.maximum(self.floor - t, 0.0))
        return (g - self.mean) / self.deviation

    def invert(self, z: Floats) -> Floats:
        """Return y."""
        g, (below, above) = z * self.deviation + self.mean, self.tails()
        low, high = self.end_values()
        t = self.curve.inverse(np.clip(g, low, high))
        t = np.clip(t, self.floor, self.high)
        if np.any(g > high):  # seldom in quadrature, which splits its intervals there
            t = t + above.back(np.maximum(g - high, 0.0))
        if np.any(g < low):
            t = t - below.back(np.maximum(low - g, 0.0))
        return t * self.scale + self.offset

    def log_slope(self, y: Floats) -> Floats:
        """Return log dz/dy; −∞ where the curve has no value."""
        t, (below, above) = (y - self.offset) / self.scale, self.tails()
        slope = self.curve.log_slope(np.clip(t, self.floor, self.high))
        slope = np.where(t > self.high, above.log_slope(t - self.high), slope)
        if not self._ends_at_domain:
            slope = np.where(t < self.floor, below.log_slope(self.floor - t), slope)
        return slope - log(self.scale) - log(self.deviation)

    def marks(self, n_parts: int) -> Floats:
        """Return z, increasing, between which the map is smooth enough for quadrature.

        They cut the range of the training targets into n_parts and enclose the transitions to the
        linear tails; one is at g = 0, where curves have their largest curvature.
        """
        below, above = self.tails()
        g = self.curve.value(np.linspace(self.low, self.high, n_parts + 1))
        linear = [g[0] - LINEAR_AFTER * below.h, g[-1] + LINEAR_AFTER * above.h]
        g = np.sort(np.concatenate((g, [np.clip(0.0, g[0], g[-1])], linear)))
        return (g - self.mean) / self.deviation

    @property
    def _ends_at_domain(self) -> bool:
        return self.curve.lowest > -np.inf

    @property
    def floor(self) -> float:
        """The t below which the curve is left."""
        return self.curve.lowest if self._ends_at_domain else self.low

    def end_values(self) -> tuple[float, float]:
        """Return the curve's values at its ends."""
        low, high = self.curve.value(np.array([self.floor, self.high]))
        return float(low), float(high)

    def tails(self) -> tuple["Tail", "Tail"]:
        """Return the tails of the map below and above the training targets."""
        t = np.array([self.low, self.high])
        rise = float(np.ptp(self.curve.value(t)))
        whole = (self.high - self.low) / rise if rise > 0.0 else np.inf
        below, above = (self._tail(float(b), whole) for b in np.exp(-self.curve.log_slope(t)))
        return below, above

    def _tail(self, b: float, whole: float) -> "Tail":
        """Return the tail at an end of slope dt/dg = b."""
        a, h = min(b, whole), TAIL_WIDTH * self.deviation
        if b > a:
            h = min(h, TAIL_LAG * (self.high - self.low) / (b - a))
        return Tail(b, a, h)


@dataclass(frozen=True)
class Tail:
    """The continuation of a curve beyond an end.

    With ζ the distance from the end in g, that in t is Δ = aζ + (b − a)ζ/(1 + ζ/h): of slope b at
    the end and of slope a ≤ b for large ζ.
    """

    b: float
    a: float
    h: float

    def back(self, zeta: Floats) -> Floats:
        """Return Δ."""
        return self.a * zeta + (self.b - self.a) * zeta / (1.0 + zeta / self.h)

    def there(self, delta: Floats) -> Floats:
        """Return ζ, the positive root of aζ² + (bh − Δ)ζ − Δh = 0."""
        p = delta - self.b * self.h
        root = np.sqrt(p * p + 4.0 * self.a * self.h * delta)
        # of the two forms of the root the one without cancellation
        large = 0.5 * (np.maximum(p, 0.0) + root) / self.a
        small = 2.0 * self.h * delta / (np.maximum(-p, 0.0) + root)
        return np.where(p > 0.0, large, small)

    def log_slope(self, delta: Floats) -> Floats:
        """Return log dζ/dΔ."""
        zeta = self.there(np.maximum(delta, 0.0))
        return -np.log(self.a + (self.b - self.a) / (1.0 + zeta / self.h) ** 2)


@dataclass(frozen=True)
class Warps:
    """The maps of all outputs; the last axis of arrays is that of the outputs.

    Targets on a device are warped on the host, and moved back: the last bit of a logarithm is not
    the same on each device, and a search for hyperparameters would magnify it.
    """

    warps: tuple[Warp, ...]

    def apply(self, y: Floats) -> Floats:
        """Return z (…, p)."""
        return self._by_output(Warp.apply, y)

    def invert(self, z: Floats) -> Floats:
        """Return y (…, p)."""
        return self._by_output(Warp.invert, z)

    def log_slope(self, y: Floats) -> Floats:
        """Return log dz/dy (…, p)."""
        return self._by_output(Warp.log_slope, y)

    def _by_output(self, function: Callable[[Warp, Floats], Floats], values: Floats) -> Floats:
        here = to_numpy(values)
        found = [function(warp, here[..., i]) for i, warp in enumerate(self.warps)]
        return beside(np.stack(found, axis=-1), like=values)


def inner_scaling(standard: Scaling, curve: Curve) -> Scaling:
    """Return the scaling of a target before a curve, from its standardisation."""
    if isinstance(curve, Logarithm):  # its zero is the target's
        return Scaling(np.zeros_like(standard.offset), standard.scale)
    return standard


def fit_warps(y: Floats, weight: Floats | None, curves: Sequence[Curve]) -> Warps:
    """Return the warps of targets (n, p) by given curves of one family, one per output."""
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
                float(np.min(t[:, i])),
                float(np.max(t[:, i])),
                float(outer.offset[i]),
                float(outer.scale[i]),
            )
            for i, curve in enumerate(curves)
        )
    )
