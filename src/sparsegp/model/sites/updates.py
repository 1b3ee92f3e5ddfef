"""Two ways to approximate a likelihood by Gaussian sites: EP and a variational bound.

Both update one row at a time, given the posterior N(μ, v) of what the basis explains there and the
residual variance d, and return the new site and the row's contribution to the log evidence.

- *Expectation propagation* (EP): remove the row's site from the posterior, multiply this cavity,
  widened by d, by the likelihood, and match the moments. With Gaussian noise this is FITC.
- *Variational*: the site has the mean slope and curvature of log p(y | f) under N(μ, v + d);
  the evidence is the lower bound Σ ⟨log p⟩ − KL(posterior ‖ prior). With Gaussian noise this is
  VFE. Basis inputs can be optimised by it without overfitting.

Newton's step to the mode is the variational one with the belief reduced to its mean.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sparsegp.arrays import Array, half_inverse_from_lower, namespace, to_numpy
from sparsegp.likelihoods import Probit, site_of
from sparsegp.model.approximation import FITC, VFE, Approximation
from sparsegp.model.policy import SMALLEST_CAVITY_SHARE
from sparsegp.model.posterior import Posterior

__all__ = ["SCHEMES", "ExpectationPropagation", "Scheme", "Update", "Variational", "newton_site"]


@dataclass(frozen=True)
class Update:
    """New sites of rows and their contributions to the log evidence: (b,) each."""

    local: Array  # contribution to the log evidence, at the old site
    w: Array  # precision of the new site
    tau: Array  # precision × location of the new site
    by_variance: Array  # derivatives of the contribution: by d,
    by_bias: Array  # by the bias
    by_log_slope: Array  # and by the logarithm of the slope


class Scheme(Protocol):
    """How sites are updated."""

    rule: Approximation
    is_bound: bool  # whether the evidence is a lower bound, which a good step does not decrease

    def update(
        self, probit: Probit, y: Array, mean: Array, variance: Array, d: Array, w: Array, tau: Array
    ) -> Update:
        """Update rows with posterior N(mean, variance), residual d and sites (w, tau)."""

    def log_normaliser(self, posterior: Posterior) -> float:
        """Return the part of the log evidence that is not a sum over rows."""


class ExpectationPropagation:
    """Minka (2001), on a basis: Naish-Guzman & Holden (2008)."""

    rule = FITC
    is_bound = False

    def update(
        self, probit: Probit, y: Array, mean: Array, variance: Array, d: Array, w: Array, tau: Array
    ) -> Update:
        """Match the moments of the cavity times the likelihood."""
        share = np.maximum(1.0 - w * variance, SMALLEST_CAVITY_SHARE)
        mu, v = (mean - variance * tau) / share, variance / share  # the cavity
        belief = probit.moment_match(y, mu, v + d)
        new_w, new_tau = site_of(belief, mu, v)
        return Update(
            belief.log_z - _log_overlap(mu, v, w, tau),
            new_w,
            new_tau,
            belief.by_variance,
            probit.by_bias(belief),
            probit.by_log_slope(belief),
        )

    def log_normaliser(self, posterior: Posterior) -> float:
        """Return log ∫ N(v; 0, I) Π sites dv = −½ log|B| + ½ βᵀBβ."""
        L_B = posterior.precision.L
        half = to_numpy(L_B.T @ posterior.beta)  # (m, 1)
        return float(0.5 * np.sum(half * half) - np.sum(np.log(_diagonal(L_B))))


def _log_overlap(mu: Array, v: Array, w: Array, tau: Array) -> Array:
    """Return log ∫ N(g; μ, v) exp(−½ w g² + τ g) dg: (b,)."""
    wider = 1.0 + w * v
    return -0.5 * np.log(wider) + 0.5 * (v * tau**2 + 2.0 * tau * mu - w * mu**2) / wider


class Variational:
    """Hensman et al. (2015), by natural gradients: Khan & Lin (2017)."""

    rule = VFE
    is_bound = True

    def update(
        self, probit: Probit, y: Array, mean: Array, variance: Array, d: Array, w: Array, tau: Array
    ) -> Update:
        """Take the mean slope q and curvature r of log p under the posterior."""
        scale = variance + d
        log_p, q, r = probit.expect(y, mean, scale)
        by_log_slope = (mean + probit.bias) * q + scale * r  # ⟨(f + b) ∂ log p/∂f⟩, by parts
        return Update(log_p, -r, q - r * mean, 0.5 * r, q, by_log_slope)

    def log_normaliser(self, posterior: Posterior) -> float:
        """Return −KL(N(β, B⁻¹) ‖ N(0, I))."""
        L_B, beta = posterior.precision.L, to_numpy(posterior.beta)
        trace = 2.0 * np.sum(_diagonal(half_inverse_from_lower(L_B)))  # of B⁻¹
        log_det = 2.0 * np.sum(np.log(_diagonal(L_B)))
        return float(-0.5 * (trace + np.sum(beta * beta) - len(beta) + log_det))


def _diagonal(A: Array) -> Array:
    """Return the diagonal on the host: (m,)."""
    return to_numpy(namespace(A).linalg.diagonal(A))


SCHEMES: dict[str, Scheme] = {"ep": ExpectationPropagation(), "variational": Variational()}


def newton_site(probit: Probit, y: Array, mean: Array, d: Array) -> tuple[Array, Array]:
    """Return the site with the slope and curvature of log p(y | g) at g = mean: (b,) each."""
    belief = probit.moment_match(y, mean, d)
    return site_of(belief, mean, np.zeros_like(mean))
