"""Learning rows while older ones fade, at one rate or at several that are compared.

Rows are learned up to the next fading, then the posteriors fade, and so on: how rows are cut into
calls makes no difference. Without forgetting this is ``learn`` itself.
"""

from dataclasses import dataclass, fields

import numpy as np

from sparsegp.arrays import Array
from sparsegp.likelihoods.base import Likelihood
from sparsegp.online.forgetting import Memory, repeated_likelihood
from sparsegp.online.learn import Learned, Rule, learn
from sparsegp.online.policy import LOWEST_LOG_DENSITY
from sparsegp.online.recursion import Online
from sparsegp.online.running_scale import RunningScale

__all__ = ["Progressed", "concatenated", "learn_and_forget"]


@dataclass(frozen=True)
class Progressed:
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
    likelihood, Y = repeated_likelihood(likelihood, R), np.tile(Y, (1, R)) if R > 1 else Y
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
    names = [field.name for field in fields(Learned)]
    return Learned(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))


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
    log_z, q, r, mean, variance = (
        a.reshape(n, R, -1)
        for a in (learned.log_z, learned.q, learned.r, learned.mean, learned.variance)
    )
    mixed = np.empty((5, n, log_z.shape[2]))  # (5, n, K)
    density = np.empty(n)
    for i in range(n):
        w, each = memory.weights, log_z[i].sum(axis=1)  # (R,)
        mixed[:, i] = w @ np.stack((log_z[i], q[i], r[i], mean[i], variance[i]))
        if scale is not None:
            total, c = -1.0 / r[i], scale.value  # (R, K), variances of the target; (K,)
            error = q[i] * total
            centre = w @ error  # (K,), y minus the mean of the mixture
            spread = w @ (total + (error - centre) ** 2)
            mixed[1, i], mixed[2, i] = centre / spread, -1.0 / spread
            # log N(y; m, c v) from log N(y; m, v)
            z2 = error * q[i]
            each = each + 0.5 * (z2 * (1.0 - 1.0 / c) - np.log(c)).sum(axis=1)
            own = 1.0 if weight is None else float(weight[i])
            scale = scale.after_row(centre * centre / spread, own)
        each = np.fmax(each, LOWEST_LOG_DENSITY)  # an impossible target has none
        density[i] = memory.log_density(each)
        memory = memory.after_density(each)
    return Learned(*mixed), memory, scale, density


def _scaled_densities(
    log_z: Array, squares: Array, scale: RunningScale, weight: Array | None
) -> tuple[Array, RunningScale]:
    """Return the log density of each row with the variances scaled, (n,), and the scale after."""
    density = np.empty(len(log_z))
    for i, z2 in enumerate(squares):
        c = scale.value
        density[i] = (log_z[i] + 0.5 * (z2 - z2 / c - np.log(c))).sum()
        scale = scale.after_row(z2, 1.0 if weight is None else float(weight[i]))
    return density, scale
