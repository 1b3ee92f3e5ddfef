"""Curves that warp a target: smooth increasing functions g with parameters.

=============  ==========================================================  ==================
Straight       g(t) = t                                                    no parameter
Logarithm      g(t) = log t, t > 0                                         no parameter
YeoJohnson     ((1+u)^λ − 1)/λ, for u < 0  −((1−u)^(2−λ) − 1)/(2−λ)        λ, centre, scale
SinhArcsinh    sinh(δ asinh u − ε)                                         δ, ε, centre, scale
=============  ==========================================================  ==================

with u = (t − centre)/scale (Yeo & Johnson 2000; Jones & Pewsey 2009). Centre and scale are
learned too: the origin of a power or a logarithm matters as much as its exponent. t is in standard
deviations of the target. Besides value and slope a curve gives derivatives of both by its
parameters, for the gradient of the log marginal likelihood.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import exp, log
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import exprel

from sparsegp.tables.policy import CURVE_CENTRE_BOUNDS, CURVE_SCALE_BOUNDS

__all__ = ["CURVES", "Curve", "Logarithm", "SinhArcsinh", "Straight", "YeoJohnson"]

Floats = npt.NDArray[np.float64]


class Curve(ABC):
    """An increasing function of t; subclasses are frozen dataclasses of numbers."""

    #: The function is defined above this.
    lowest: ClassVar[float] = -np.inf

    @property
    def vector(self) -> Floats:
        """Free parameters, positive ones as logarithms: (k,)."""
        return np.empty(0)

    @property
    def bounds(self) -> Floats:
        """Limits of the vector: (k, 2)."""
        return np.empty((0, 2))

    def with_vector(self, vector: Floats) -> "Curve":
        """Return the curve at other parameters."""
        return self

    @abstractmethod
    def value(self, t: Floats) -> Floats:
        """Return g(t)."""

    @abstractmethod
    def log_slope(self, t: Floats) -> Floats:
        """Return log g′(t)."""

    @abstractmethod
    def inverse(self, g: Floats) -> Floats:
        """Return t with g(t) = g, for values that the function takes."""

    def derivatives(self, t: Floats) -> tuple[Floats, Floats]:
        """Return ∂g/∂vector and ∂(log g′)/∂vector for t (n,): (n, k) each."""
        return np.empty((len(t), 0)), np.empty((len(t), 0))


@dataclass(frozen=True)
class Straight(Curve):
    """g(t) = t."""

    def value(self, t: Floats) -> Floats:
        """Return t."""
        return t

    def log_slope(self, t: Floats) -> Floats:
        """Return zeros."""
        return np.zeros_like(t)

    def inverse(self, g: Floats) -> Floats:
        """Return g."""
        return g


@dataclass(frozen=True)
class Logarithm(Curve):
    """g(t) = log t for positive t."""

    lowest: ClassVar[float] = 0.0

    def value(self, t: Floats) -> Floats:
        """Return log t; −∞ where t is not positive."""
        return np.log(t, out=np.full(np.shape(t), -np.inf), where=t > 0.0)

    def log_slope(self, t: Floats) -> Floats:
        """Return −log t; −∞ where t is not positive: there is no density."""
        return -np.log(t, out=np.full(np.shape(t), np.inf), where=t > 0.0)

    def inverse(self, g: Floats) -> Floats:
        """Return exp g."""
        return np.exp(g)


@dataclass(frozen=True)
class _Shifted(Curve):
    """A curve of u = (t − centre)/scale."""

    centre: float = 0.0
    scale: float = 1.0

    def _u(self, t: Floats) -> Floats:
        return (t - self.centre) / self.scale

    def _by_location(self, u: Floats, by_u: Floats) -> Floats:
        """Return derivatives by centre and log scale (n, 2) from that by u (n,)."""
        return np.stack((-by_u / self.scale, -by_u * u), axis=1)

    @property
    def bounds(self) -> Floats:
        """Limits of centre and log scale."""
        return np.array([CURVE_CENTRE_BOUNDS, np.log(CURVE_SCALE_BOUNDS)])


@dataclass(frozen=True)
class YeoJohnson(_Shifted):
    """The Yeo–Johnson power transform; ``power`` 1 is linear, 0 a logarithm for positive u.

    >>> curve = YeoJohnson(power=0.0)
    >>> curve.value(np.array([np.e - 1.0])), curve.inverse(np.array([1.0])).round(4)
    (array([1.]), array([1.7183]))
    """

    power: float = 1.0  # λ

    @property
    def vector(self) -> Floats:
        """Return power, centre and log scale."""
        return np.array([self.power, self.centre, log(self.scale)])

    @property
    def bounds(self) -> Floats:
        """Limits of the vector."""
        return np.vstack(([(-2.0, 4.0)], super().bounds))

    def with_vector(self, vector: Floats) -> "YeoJohnson":
        """Return the curve at other parameters."""
        return YeoJohnson(float(vector[1]), exp(vector[2]), float(vector[0]))

    def _exponents(self, u: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the sign of u, L = log(1 + |u|) and what L is multiplied by in the power."""
        sign = np.where(u < 0.0, -1.0, 1.0)
        return sign, np.log1p(np.abs(u)), np.where(u < 0.0, 2.0 - self.power, self.power)

    def value(self, t: Floats) -> Floats:
        """Return ±(exp(pL) − 1)/p, continuous at p = 0."""
        sign, L, p = self._exponents(self._u(t))
        return sign * L * exprel(p * L)

    def log_slope(self, t: Floats) -> Floats:
        """Return (λ − 1)·(±L) − log scale."""
        sign, L, _ = self._exponents(self._u(t))
        return (self.power - 1.0) * sign * L - log(self.scale)

    def inverse(self, g: Floats) -> Floats:
        """Return centre + scale·u."""
        p, size = np.where(g < 0.0, 2.0 - self.power, self.power), np.abs(g)
        small = np.abs(p * size) < 1e-8  # there log(1 + x)/x is 1 − x/2 to rounding
        x = np.where(small, 1.0, p * size)
        L = size * np.where(small, 1.0 - 0.5 * p * size, np.log1p(x) / x)
        return self.centre + self.scale * np.sign(g) * np.expm1(L)

    def derivatives(self, t: Floats) -> tuple[Floats, Floats]:
        """Return derivatives of value and log slope."""
        u = self._u(t)
        sign, L, p = self._exponents(u)
        slope = np.exp((self.power - 1.0) * sign * L)  # by u
        by_power = L * L * _exprel_slope(p * L)  # both signs: p falls where λ rises, and so does g
        value = np.column_stack((by_power, self._by_location(u, slope)))
        curvature = (self.power - 1.0) / (1.0 + np.abs(u))  # derivative of the log slope by u
        shifted = self._by_location(u, curvature) - [0.0, 1.0]
        return value, np.column_stack((sign * L, shifted))


@dataclass(frozen=True)
class SinhArcsinh(_Shifted):
    """The sinh-arcsinh transform; ``tail`` 1 and ``skew`` 0 are linear.

    A small ``tail`` shortens both tails of the target; ``skew`` makes them unequal.

    >>> curve = SinhArcsinh(tail=0.5)
    >>> curve.inverse(curve.value(np.array([-7.0, 0.0, 100.0])))
    array([ -7.,   0., 100.])
    """

    tail: float = 1.0  # δ
    skew: float = 0.0  # ε

    @property
    def vector(self) -> Floats:
        """Return log tail, skew, centre and log scale."""
        return np.array([log(self.tail), self.skew, self.centre, log(self.scale)])

    @property
    def bounds(self) -> Floats:
        """Limits of the vector."""
        return np.vstack(([np.log((0.05, 3.0)), (-5.0, 5.0)], super().bounds))

    def with_vector(self, vector: Floats) -> "SinhArcsinh":
        """Return the curve at other parameters."""
        tail, skew, centre, scale = map(float, vector)
        return SinhArcsinh(centre, exp(scale), exp(tail), skew)

    def value(self, t: Floats) -> Floats:
        """Return sinh(δ asinh u − ε)."""
        return np.sinh(self.tail * np.arcsinh(self._u(t)) - self.skew)

    def log_slope(self, t: Floats) -> Floats:
        """Return log δ + log cosh(δ asinh u − ε) − ½ log(1 + u²) − log scale."""
        u = self._u(t)
        w = self.tail * np.arcsinh(u) - self.skew
        log_cosh = np.logaddexp(w, -w) - log(2.0)
        return log(self.tail / self.scale) + log_cosh - np.log(np.hypot(1.0, u))

    def inverse(self, g: Floats) -> Floats:
        """Return centre + scale·u."""
        return self.centre + self.scale * np.sinh((np.arcsinh(g) + self.skew) / self.tail)

    def derivatives(self, t: Floats) -> tuple[Floats, Floats]:
        """Return derivatives of value and log slope."""
        u = self._u(t)
        a, root = np.arcsinh(u), np.hypot(1.0, u)
        w = self.tail * a - self.skew
        cosh, tanh = np.cosh(w), np.tanh(w)
        location = self._by_location(u, self.tail * cosh / root)
        value = np.column_stack((self.tail * a * cosh, -cosh, location))
        curvature = self.tail * tanh / root - u / root**2  # derivative of the log slope by u
        shifted = self._by_location(u, curvature) - [0.0, 1.0]
        return value, np.column_stack((1.0 + self.tail * a * tanh, -tanh, shifted))


def _exprel_slope(x: Floats) -> Floats:
    """Return the derivative of (eˣ − 1)/x.

    >>> _exprel_slope(np.array([0.0, 1.0]))
    array([0.5, 1. ])
    """
    small = np.abs(x) < 0.05
    large = np.where(small, 1.0, x)
    series = 0.5 + x * (1 / 3 + x * (1 / 8 + x * (1 / 30 + x * (1 / 144 + x / 840))))
    return np.where(small, series, (np.exp(large) - exprel(large)) / large)


#: Curves by the names of ``transform_y``.
CURVES: dict[str, Curve] = {
    "standard": Straight(),
    "log": Logarithm(),
    "yeo-johnson": YeoJohnson(),
    "sinh-arcsinh": SinhArcsinh(),
}
