"""Learning rows while older ones fade, at one rate or at several that are compared.

Rows are learned up to the next fading, then the posteriors fade, and so on: how rows are cut into
calls makes no difference. Without forgetting this is ``learn`` itself.
"""

from math import log
from typing import NamedTuple

import numpy as np

from sparsegp.arrays import Array
from sparsegp.likelihoods.base import Likelihood
from sparsegp.online.forgetting import Memory, repeated_likelihood
from sparsegp.online.learn import Learned, Rule, learn
from sparsegp.online.policy import LOWEST_LOG_DENSITY
from sparsegp.online.recursion import Online
from sparsegp.online.running_scale import RunningScale

__all__ = ["Progressed", "concatenated", "learn_and_forget"]


class Progressed(NamedTuple):
    """Memory and scale of variances after rows, and what was predicted of them."""

    learned: Learned
    memory: Memory
    scale: RunningScale | None
    log_density: Array  # (n,), log predictive density of each row, with the scale


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
    parts, densities, done = [], [], 0
    forgets, period = memory.forgets, memory.period
    while done < len(X):
        n = len(X) - done
        if forgets:
            n = min(n, period - state.n_seen % period)
        rows = slice(done, done + n)
        own = None if weight is None else weight[rows]
        learned = learn(state, X[rows], Y[rows], likelihood, rule, own)
        learned, memory, scale, density = _compared(learned, memory, scale, own)
        memory = memory.after_rows(float(n) if own is None else float(np.sum(own)))
        if forgets and state.n_seen % period == 0:
            memory = memory.fade(state)
        parts.append(learned)
        densities.append(density)
        done += n
    density = densities[0] if len(densities) == 1 else np.concatenate(densities)
    return Progressed(concatenated(parts), memory, scale, density)


def concatenated(parts: list[Learned]) -> Learned:
    """Return what was learned of several parts as one."""
    if len(parts) == 1:
        return parts[0]
    return Learned(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def _compared(
    learned: Learned, memory: Memory, scale: RunningScale | None, weight: Array | None
) -> tuple[Learned, Memory, RunningScale | None, Array]:
    """Return what the mixture of rates predicted, and weights and scale after the rows."""
    R = len(memory.rates)
    if R == 1:
        if scale is None:
            return learned, memory, None, np.sum(learned.log_z, axis=1)
        squares = learned.squared_z
        density, scale = _scaled_densities(learned.log_z, squares, scale, weight)
        return learned, memory, scale, density
    n = len(learned.log_z)
    each_rate = np.stack(learned).reshape(5, n, R, -1)  # (5, n, R, K)
    mixed = np.empty((5, n, each_rate.shape[3]))  # (5, n, K)
    density = np.empty(n)
    for i in range(n):
        log_z, q, r = each_rate[:3, i]  # (R, K)
        w, each = memory.weights, log_z.sum(axis=1)  # (R,)
        mixed[:, i] = w @ each_rate[:, i]
        if scale is None:  # the beliefs are those of predictions, as labels are calibrated by them
            mixed[4, i] += w @ (each_rate[3, i] - mixed[3, i]) ** 2
        if scale is not None:
            total, c = -1.0 / r, scale.value  # (R, K), variances of the target; (K,)
            error = q * total
            centre = w @ error  # (K,), y minus the mean of the mixture
            off = error - centre
            spread = w @ (total + off * off)
            mixed[1, i], mixed[2, i] = centre / spread, -1.0 / spread
            # log N(y; m, c v) from log N(y; m, v)
            each += 0.5 * (error * q * (1.0 - 1.0 / c) - np.log(c)).sum(axis=1)
            own = 1.0 if weight is None else float(weight[i])
            scale = scale.after_row((centre * centre / spread).tolist(), own)
        each = np.fmax(each, LOWEST_LOG_DENSITY)  # an impossible target has none
        density[i] = memory.log_density(each)
        memory = memory.after_density(each)
    return Learned(*mixed), memory, scale, density


def _scaled_densities(
    log_z: Array, squares: Array, scale: RunningScale, weight: Array | None
) -> tuple[Array, RunningScale]:
    """Return the log density of each row with the variances scaled, (n,), and the scale after."""
    density, share = np.empty(len(log_z)), [1.0] * len(log_z) if weight is None else weight.tolist()
    for i, (row, square) in enumerate(zip(log_z.tolist(), squares.tolist(), strict=True)):
        scaled = zip(row, square, scale.value.tolist(), strict=True)
        density[i] = sum(one + 0.5 * (z2 - z2 / c - log(c)) for one, z2, c in scaled)
        scale = scale.after_row(square, share[i])
    return density, scale
