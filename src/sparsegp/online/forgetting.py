"""Forgetting at a rate, and a rate that is learned: posteriors of several rates on one basis.

With a rate ρ a row that is k rows old counts (1 − ρ)ᵏ: back-to-the-prior forgetting (Van
Vaerenbergh, Lázaro-Gredilla & Santamaría 2012), the posterior of a function that changes in time as
an Ornstein-Uhlenbeck process does. It is applied once every few rows, which costs less and is the
same in the long run.

If the rate is to be learned, the state has a posterior for each of several rates: R groups of K
outputs on one basis with one Q. The weight of a rate is its discounted predictive density,

    log w ← (1 − 1/H) log w + log p(y | past, rate),

so that the rate may change, too. Predictions are those of the Gaussian process with the first two
moments of the mixture, which is again a posterior at the basis:

    μ = Σ w_ρ μ_ρ,    Σ = Σ w_ρ (Σ_ρ + (μ_ρ − μ)(μ_ρ − μ)ᵀ).

Deletion scores are those of the rate that leads.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import exp, log
from operator import add

import numpy as np

from sparsegp.arrays import Array
from sparsegp.likelihoods.base import Likelihood, Shifted
from sparsegp.online.policy import (
    AUTO_RATES,
    LARGEST_FADE,
    LARGEST_GAIN,
    LEAD_MARGIN,
    RATE_HORIZON,
    ROWS_BETWEEN_FADES,
)
from sparsegp.online.recursion import Online

__all__ = [
    "Memory",
    "for_each_rate",
    "mixture",
    "new_memory",
    "rates_of",
    "repeated_likelihood",
]


@dataclass(frozen=True)
class Memory:
    """Rates of forgetting, their weights, and how many rows each remembers."""

    rates: Array  # (R,)
    log_weights: Array  # (R,), the largest is 0
    rows: Array  # (R,), Σ (1 − ρ)^age over the rows learned

    @property
    def weights(self) -> Array:
        """Weights of the rates, with sum 1: (R,)."""
        w = list(map(exp, self.log_weights.tolist()))
        return np.array(w) / sum(w)

    @property
    def forgets(self) -> bool:
        """Whether any rate is above zero."""
        return bool(self.rates[-1] > 0.0)

    @property
    def period(self) -> int:
        """The number of rows after which what was learned fades."""
        return _period(float(self.rates[-1]))

    @property
    def effective_rows(self) -> float:
        """How many rows the mixture remembers."""
        return float(self.weights @ self.rows)

    def after_rows(self, n_rows: float) -> "Memory":
        """Return the memory after this many rows without fading."""
        return Memory(self.rates, self.log_weights, self.rows + n_rows)

    def log_density(self, of_each: Sequence[float]) -> float:
        """Return the log density of a row by the mixture, from those of the rates (R,)."""
        log_w = self.log_weights.tolist()  # the largest is 0
        joint = list(map(add, log_w, of_each))
        top = max(joint)
        return top + log(sum(exp(one - top) for one in joint) / sum(map(exp, log_w)))

    def after_density(self, of_each: Sequence[float]) -> "Memory":
        """Return the memory after a row with these log densities of the rates (R,)."""
        top, kept = max(of_each), 1.0 - 1.0 / RATE_HORIZON
        gains = [max(one - top, -LARGEST_GAIN) for one in of_each]
        found = [kept * w + gain for w, gain in zip(self.log_weights.tolist(), gains, strict=True)]
        top = max(found)
        return Memory(self.rates, np.array([one - top for one in found]), self.rows)

    def forgotten(self, rate: Array | float) -> "Memory":
        """Return the memory after forgetting by a share."""
        return Memory(self.rates, self.log_weights, self.rows * (1.0 - rate))

    def fade(self, state: Online) -> "Memory":
        """Let the posteriors fade for the rows of one period; a better rate takes the lead."""
        rate = -np.expm1(self.period * np.log1p(-np.minimum(self.rates, 1.0 - 1e-16)))  # (R,)
        state.fade(rate)
        if len(self.rates) > 1:
            best = int(np.argmax(self.log_weights))
            if self.log_weights[best] > self.log_weights[state.lead] + LEAD_MARGIN:
                state.lead, state.deletion_scores = best, None
        return self.forgotten(rate)


@cache
def _period(rate: float) -> int:
    """Return the number of rows between two fadings at this rate."""
    steps = LARGEST_FADE / rate if rate > 0.0 else np.inf
    return int(max(1.0, min(ROWS_BETWEEN_FADES, steps)))


def new_memory(forgetting: str | float | None) -> Memory:
    """Return the memory of a stream before its first row: one rate, or several for "auto".

    >>> new_memory(0.01).rates
    array([0.01])
    """
    rates = rates_of(forgetting)
    return Memory(rates, np.zeros(rates.size), np.zeros(rates.size))


@cache
def rates_of(forgetting: str | float | None) -> Array:
    """Return the rates of an option: (R,)."""
    rates = np.array(AUTO_RATES if forgetting == "auto" else (forgetting or 0.0,), dtype=float)
    rates.flags.writeable = False
    return rates


def for_each_rate(state: Online, n_rates: int) -> None:
    """Give a state of one posterior a copy of it for each rate, in place."""
    state.mu = np.tile(state.mu, (n_rates, 1))
    state.Sigma = np.tile(state.Sigma, (n_rates, 1, 1))
    state.n_rates, state.lead = n_rates, 0


def mixture(state: Online, memory: Memory) -> Online:
    """Return the posterior of the mixture of rates; it shares the basis with the state."""
    R = state.n_rates
    if R == 1:
        return state
    w, M = memory.weights, state.mu.shape[1]
    mu = state.mu.reshape(R, -1, M)  # (R, K, M)
    mean = np.tensordot(w, mu, 1)  # (K, M)
    Sigma = np.tensordot(w, state.Sigma.reshape(R, -1, M, M), 1)  # (K, M, M)
    off = np.sqrt(w)[:, None, None] * (mu - mean)
    Sigma += np.einsum("rki,rkj->kij", off, off)
    return replace(state, mu=mean, Sigma=Sigma, n_rates=1, lead=0, deletion_scores=None)


def repeated_likelihood(likelihood: Likelihood, n_rates: int) -> Likelihood:
    """Return the likelihood for the outputs of all rates; an offset of each output is repeated."""
    if n_rates > 1 and isinstance(likelihood, Shifted) and np.size(likelihood.offset) > 1:
        return Shifted(likelihood.likelihood, np.tile(likelihood.offset, n_rates))
    return likelihood
