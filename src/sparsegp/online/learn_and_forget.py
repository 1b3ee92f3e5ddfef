"""Learning rows while older ones fade, at one rate or at several that are compared.

Rows are learned up to the next fading, then the posteriors fade, and so on: how rows are cut into
calls makes no difference. Without forgetting this is ``learn`` itself.
"""

from math import log
from operator import mul
from typing import NamedTuple

import numpy as np

from sparsegp.arrays import Array
from sparsegp.likelihoods.base import Likelihood
from sparsegp.online.forgetting import Memory, repeated_likelihood
from sparsegp.online.learn import Learned, Rule, learn
from sparsegp.online.policy import LOWEST_LOG_DENSITY, SMALLEST_NUMBER
from sparsegp.online.recursion import Online
from sparsegp.online.running_scale import RunningScale

__all__ = ["Progressed", "concatenated", "learn_and_forget"]


class Progressed(NamedTuple):
    """Memory and scale of variances after rows, and what was predicted of them."""

    learned: Learned
    memory: Memory
    scale: RunningScale | None
    log_density: Array  # (n,), log predictive density of each row, with the scale
    squares: Array  # (n, K), z² = (y − mean)²/variance of each, zero without a scale


def learn_and_forget(
    state: Online,
    memory: Memory,
    scale: RunningScale | None,
    X: Array,
    Y: Array,
    likelihood: Likelihood,
    rule: Rule,
    weight: Array | None = None,
) -> Progressed:
    """Learn rows X (n, D) with targets Y (n, K) in order; the state changes in place."""
    R = state.n_rates
    likelihood, Y = repeated_likelihood(likelihood, R), np.concatenate((Y,) * R, axis=1)
    parts, done = [], 0
    forgets, period = memory.forgets, memory.period
    while done < len(X):
        n = len(X) - done
        if forgets:
            n = min(n, period - state.n_seen % period)
        rows = slice(done, done + n)
        own = None if weight is None else weight[rows]
        learned = learn(state, X[rows], Y[rows], likelihood, rule, own)
        parts.append(_compared(learned, memory, scale, own))
        memory, scale = parts[-1].memory, parts[-1].scale
        memory = memory.after_rows(float(n) if own is None else float(np.sum(own)))
        if forgets and state.n_seen % period == 0:
            memory = memory.fade(state)
        done += n
    if len(parts) == 1:
        return Progressed(parts[0].learned, memory, *parts[0][2:])
    learned = concatenated([part.learned for part in parts])
    density, squares = (
        np.concatenate(each) for each in zip(*(part[3:] for part in parts), strict=True)
    )
    return Progressed(learned, memory, scale, density, squares)


def concatenated(parts: list[Learned]) -> Learned:
    """Return what was learned of several parts as one."""
    if len(parts) == 1:
        return parts[0]
    return Learned(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def _compared(
    learned: Learned, memory: Memory, scale: RunningScale | None, weight: Array | None
) -> Progressed:
    """Return what the mixture of rates predicted, and weights and scale after the rows."""
    n, R = len(learned.log_z), len(memory.rates)
    share = [1.0] * n if weight is None else weight.tolist()
    density, squares = np.empty(n), np.zeros((n, learned.log_z.shape[1] // R))
    if R > 1:
        each_rate = np.array(learned).reshape(5, n, R, -1)  # (5, n, R, K)
        mixed = np.empty((5, *squares.shape))
    # the errors of a row are so few numbers that operations on arrays would take longer
    rows = zip(*(values.tolist() for values in learned[:3]), strict=True)
    for i, row in enumerate(rows):
        log_z, q, r = row
        each = _log_densities(log_z, q, r, R, scale)  # (R,)
        density[i] = each[0]
        if R > 1:
            w = memory.weights
            mixed[:, i] = w @ each_rate[:, i]
            if scale is None:  # labels are calibrated by the beliefs that predictions have
                mixed[4, i] += w @ (each_rate[3, i] - mixed[3, i]) ** 2
            else:
                q, r = mixed[1:3, i] = _mixed_errors(w.tolist(), q, r)
            density[i] = memory.log_density(each)
            memory = memory.after_density(each)
        if scale is not None:
            square = list(map(_squared_z, q, r))
            squares[i], scale = square, scale.after_row(square, share[i])
    return Progressed(Learned(*mixed) if R > 1 else learned, memory, scale, density, squares)


def _squared_z(q: float, r: float) -> float:
    return q * q / max(-r, SMALLEST_NUMBER)


def _log_densities(
    log_z: list[float], q: list[float], r: list[float], n_rates: int, scale: RunningScale | None
) -> list[float]:
    """Return the log density of a row by each rate, with the variances scaled: (R,).

    log N(y; m, c v) follows from log N(y; m, v).
    """
    if scale is not None:
        terms = zip(log_z, q, r, scale.value.tolist() * n_rates, strict=True)
        log_z = [
            one + 0.5 * (_squared_z(a, b) * (1.0 - 1.0 / c) - log(c)) for one, a, b, c in terms
        ]
    K = len(log_z) // n_rates
    each = log_z if K == 1 else [sum(log_z[g * K : (g + 1) * K]) for g in range(n_rates)]
    # an impossible target has none
    return each if n_rates == 1 else [max(LOWEST_LOG_DENSITY, one) for one in each]


def _mixed_errors(w: list[float], q: list[float], r: list[float]) -> list[list[float]]:
    """Return q and r of the outputs by the mixture of rates, (2, K), from those of each rate."""
    K = len(q) // len(w)
    moments = [_moments(w, q[k::K], r[k::K]) for k in range(K)]
    return [
        [centre / spread for centre, spread in moments],
        [-1.0 / spread for _, spread in moments],
    ]


def _moments(w: list[float], q: list[float], r: list[float]) -> tuple[float, float]:
    """Return the mean of y minus the predictions of the rates (R,), and the variance of y."""
    total = [1.0 / max(-one, SMALLEST_NUMBER) for one in r]
    error = list(map(mul, q, total))
    centre = sum(map(mul, w, error))
    spread = [v + (one - centre) * (one - centre) for v, one in zip(total, error, strict=True)]
    return centre, sum(map(mul, w, spread))
