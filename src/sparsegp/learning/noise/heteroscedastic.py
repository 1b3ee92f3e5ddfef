"""Heteroscedastic noise: a log noise that is a function of the inputs, learned from errors.

The squared leave-one-out error e² of a row has the mean c + σ² exp g(x), with c the variance of f
there, and g is a second, small sparse Gaussian process. Its kernel is learned from log(e²/σ²),
which is g plus noise of known mean and variance (the logarithm of χ²). Its posterior comes from the
errors themselves, by Fisher scoring: a few Gaussian regressions on

    g + (e²/v − 1)/a   with noise 2/(p a²),   v = c + σ² exp g,   a = σ² exp g/v,

which uses 2.5 times as much information of a row as its logarithm does.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import digamma, polygamma

from sparsegp.arrays import Array, to_numpy
from sparsegp.kernels import Constant
from sparsegp.kernels.base import FIXED, Kernel, Vector
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.exact_subsets import first_parameters
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.noise import policy
from sparsegp.model.approximation import DTC
from sparsegp.model.features import make_basis
from sparsegp.model.leave_one_out.predictions import LeftOut
from sparsegp.model.moments import collect_moments
from sparsegp.model.noise.log_noise_gp import LogNoiseGP
from sparsegp.model.posterior import Posterior, solve_posterior
from sparsegp.tables.rows import Rows

__all__ = ["LogNoise", "choose_log_noise", "learn_log_noise_gp"]


@dataclass(frozen=True)
class LogNoise:
    """The prior of g: its kernel and its basis vectors."""

    kernel: Kernel
    Z: Array  # (m, D)


@dataclass(frozen=True)
class _Errors:
    """What leave-one-out errors tell about the noise."""

    square: Vector  # (n,), e², averaged over the outputs
    known: Vector  # (n,), c
    variance: float  # σ², times the average factor
    n_outputs: int

    @classmethod
    def of(cls, left_out: LeftOut, variance: float) -> "_Errors":
        square = np.mean(to_numpy(left_out.error) ** 2, axis=1)
        known = to_numpy(left_out.residual) + to_numpy(left_out.weights)
        return cls(square, known, variance, left_out.error.shape[1])

    def logarithms(self) -> tuple[Vector, float]:
        """Return g plus noise (n,), and the variance of the noise.

        The variance of f is no noise: an error counts by the share of the noise in it.
        """
        p, average = self.n_outputs, np.mean(self.square)
        share = self.variance / (self.variance + self.known)
        log_mean = float(digamma(0.5 * p) + np.log(2.0 / p))
        value = np.log((self.square * share + policy.TINY * average) / self.variance) - log_mean
        return np.maximum(value, -2.0 * policy.MAX_LOG_FACTOR), float(polygamma(1, 0.5 * p))

    def scored(self, g: Vector) -> tuple[Vector, Vector]:
        """Return targets and the shares a of one Fisher scoring at g: (n,) each."""
        noise = self.variance * np.exp(np.clip(g, -policy.MAX_LOG_FACTOR, policy.MAX_LOG_FACTOR))
        v = self.known + noise
        a = np.maximum(noise / v, policy.MIN_SHARE)
        return g + (np.minimum(self.square / v, policy.MAX_RATIO) - 1.0) / a, a


def choose_log_noise(
    left_out: LeftOut,
    rows: Rows,
    variance: float,
    kernel: Kernel,
    context: FitContext,
    stages: Sequence[tuple[int, int]] = policy.LONG_SEARCH,
) -> LogNoise:
    """Return the prior of g by the evidence of log errors; the search starts at ``kernel``."""
    value, noise = _Errors.of(left_out, variance).logarithms()
    # a search magnifies rounding, which depends on machine and device
    value = np.round(value, policy.LOG_ERROR_DECIMALS)
    targets = (value - np.average(value, weights=to_numpy(left_out.count)))[:, None]
    start = Parameters(Constant(policy.FIRST_LOG_NOISE_VARIANCE) * kernel, noise, FIXED)
    logarithms = Rows(rows.X, targets, rows.weight)
    found = first_parameters(logarithms, start, context.quiet(), stages=stages)
    best = found[-1].parameters if found else start
    chosen = context.rng.permutation(len(rows))[: policy.MAX_LOG_NOISE_BASIS]
    return LogNoise(best.kernel, rows.take(chosen).X)


def learn_log_noise_gp(
    prior: LogNoise, left_out: LeftOut, rows: Rows, variance: float
) -> LogNoiseGP:
    """Return the posterior of the log noise, given errors of the rows."""
    errors = _Errors.of(left_out, variance)
    value, noise = errors.logarithms()
    count, basis = to_numpy(left_out.count), make_basis(prior.kernel, prior.Z)
    Phi = to_numpy(basis.features(rows.X))  # (n, m)

    def regressed(targets: Vector, noise: float, noise_factor: Vector | None) -> Posterior:
        used = Rows(rows.X, targets[:, None], rows.weight, noise_factor)
        return solve_posterior(basis, collect_moments(basis, used, noise, DTC), DTC)

    offset = float(np.average(value, weights=count))
    errors = _Errors(errors.square, errors.known, variance * np.exp(offset), errors.n_outputs)
    posterior = regressed(value - offset, noise, None)
    for _ in range(policy.N_SCORINGS):
        g = (Phi @ to_numpy(posterior.beta))[:, 0]
        targets, a = errors.scored(g)
        posterior = regressed(targets, 2.0 / errors.n_outputs, a**-2)
    g = (Phi @ to_numpy(posterior.beta))[:, 0]
    low, high = np.clip([g.min(), g.max()], -policy.MAX_LOG_FACTOR, policy.MAX_LOG_FACTOR)
    return LogNoiseGP(prior.kernel, prior.Z, posterior.alpha, float(low), float(high))
