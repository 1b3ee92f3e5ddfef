"""The density of left-out errors as a function of the scales, with two derivatives.

Row i has the error e and, with the scales a and τ, a slope b and a curvature c of log noise by the
standardised mean t,

    v = τ·d + a·(h + σ² exp(b t + c (t² − 1))).

What is minimised is minus the mean log density of the errors, normal or Student's t with ν degrees
of freedom, and of a prior: b, c and log τ − log τ₀ are standard normal. Where the rows say
nothing of τ, as d vanishes at all of them, it stays at τ₀. The arguments
are log a, log τ, b, c and for Student's t log ν. With z = log v and ℓ the loss of a row, by the
arguments j and k,

    ∂²ℓ = (ℓ_zz − ℓ_z) z_j z_k + ℓ_z v_jk/v.
"""

from dataclasses import dataclass, replace
from math import exp, log, pi

import numpy as np
import numpy.typing as npt
from scipy.special import digamma, gammaln, polygamma

from sparsegp.arrays import to_numpy
from sparsegp.kernels.base import Vector
from sparsegp.model.leave_one_out.predictions import LeftOut
from sparsegp.model.noise.predictive import LOG_LIMIT

__all__ = ["ErrorDensity", "Expansion"]

Matrix = npt.NDArray[np.float64]
Expansion = tuple[float, Vector, Matrix]  # a value, its gradient and its Hessian


@dataclass(frozen=True)
class ErrorDensity:
    """Minus the mean log density of errors as a function of log a, log τ, b, c, and log ν."""

    square: Vector  # (n,), squared errors, averaged over the outputs
    d: Vector  # (n,)
    h: Vector  # (n,)
    share: Vector  # (n,), adds up to one
    n: float
    variance: Vector | float  # of the noise
    t: Vector  # (n,), standardised means
    n_outputs: int
    middle: Vector  # (3,), of the prior: log τ₀ and two zeros

    @classmethod
    def of(
        cls,
        left_out: LeftOut,
        variance: float,
        factor: Vector | None = None,
        around: float = 1.0,
    ) -> "ErrorDensity":
        """Return that of rows; ``factor`` (n,) is on the noise variance at each row.

        ``around`` is τ₀.
        """
        count = to_numpy(left_out.count)
        square = np.mean(to_numpy(left_out.error) ** 2, axis=1)
        d, h = to_numpy(left_out.residual), to_numpy(left_out.weights)
        total = float(count.sum())
        own = variance if factor is None else variance * factor
        n_outputs = left_out.error.shape[1]
        middle = np.array([log(around), 0.0, 0.0])
        return cls(square, d, h, count / total, total, own, np.zeros(len(d)), n_outputs, middle)

    def at_level(self, t: Vector) -> "ErrorDensity":
        """Return the same with standardised means (n,)."""
        return replace(self, t=t)

    def variances(self, at: Vector) -> tuple[Vector, Vector]:
        """Return the predictive variances, and the noise in them before it is scaled: (n,)."""
        a, tau = np.exp(at[:2])
        exponent = at[2] * self.t + at[3] * (self.t**2 - 1.0)
        noise = self.variance * np.exp(np.clip(exponent, -LOG_LIMIT, LOG_LIMIT))
        return tau * self.d + a * (self.h + noise), noise

    def expansion(self, at: Vector) -> Expansion:
        """Return the loss, its gradient (q,) and its Hessian (q, q); q is 5 for Student's t."""
        a, tau = np.exp(at[:2])
        t, t_2 = self.t, self.t**2 - 1.0
        v, noise = self.variances(at)
        inside = np.abs(at[2] * t + at[3] * t_2) < LOG_LIMIT
        by_exponent = a * noise * inside / v
        J = np.stack(
            (a * (self.h + noise) / v, tau * self.d / v, by_exponent * t, by_exponent * t_2)
        )
        loss, by_z, by_zz, tails = self._by_log_variance(v, at[4:])
        slopes = self.share * by_z  # (n,)
        gradient = J @ slopes
        hessian = (J * (self.share * by_zz - slopes)) @ J.T
        hessian += np.diag([gradient[0], gradient[1], 0.0, 0.0])
        hessian[0, 2:] += gradient[2:]
        hessian[2:, 0] += gradient[2:]
        both = np.stack((t, t_2))
        hessian[2:, 2:] += (both * (slopes * by_exponent)) @ both.T
        apart = at[1:4] - self.middle
        gradient[1:] += apart / self.n  # the prior
        hessian[1:, 1:] += np.eye(3) / self.n
        loss += 0.5 * float(apart @ apart) / self.n
        if tails is None:
            return loss, gradient, hessian
        by_tails, by_tails_twice, by_both = tails
        beside = J @ (self.share * by_both)  # (4,)
        whole = np.block([[hessian, beside[:, None]], [beside[None, :], by_tails_twice]])
        return loss, np.append(gradient, by_tails), whole

    def _by_log_variance(
        self, v: Vector, log_df: Vector
    ) -> tuple[float, Vector, Vector, tuple[float, float, Vector] | None]:
        """Return the loss, and by z = log v of each row its derivatives (n,), once and twice.

        For Student's t also those of the loss by log ν, once and twice, and of rows by both (n,).
        """
        if not len(log_df):
            half = 0.5 * self.square / v
            return float(self.share @ (0.5 * np.log(2.0 * pi * v) + half)), 0.5 - half, half, None
        p, df = self.n_outputs, exp(log_df[0])
        ratio = p * self.square / (df * v)
        q, log_ratio = ratio / (1.0 + ratio), np.log1p(ratio)
        weight = 0.5 * (df + p) / p
        rows = 0.5 * np.log(v) + weight * log_ratio
        constant, once, twice = _constant(df, p)
        loss = float(self.share @ rows) - constant / p
        curved = weight * q * (1.0 - q)
        mean_log, mean_q = float(self.share @ log_ratio), float(self.share @ q)
        half_df = 0.5 * df / p
        by_tails = half_df * mean_log - weight * mean_q - once / p
        by_tails_twice = half_df * (mean_log - 2.0 * mean_q) + float(self.share @ curved)
        own = (by_tails, by_tails_twice - twice / p, curved - half_df * q)
        return loss, 0.5 - weight * q, curved, own


def _constant(df: float, p: int) -> tuple[float, float, float]:
    """Return log Γ((ν + p)/2) − log Γ(ν/2) − ½p log πν, and its derivatives by log ν."""
    low, high = 0.5 * df, 0.5 * (df + p)
    value = gammaln(high) - gammaln(low) - 0.5 * p * log(pi * df)
    first = low * (digamma(high) - digamma(low)) - 0.5 * p
    second = low * (digamma(high) - digamma(low))
    second += low * low * (polygamma(1, high) - polygamma(1, low))
    return float(value), float(first), float(second)
