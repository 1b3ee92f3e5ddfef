"""Two parts of the uncertainty of a prediction.

*Epistemic* uncertainty is that about the function: more rows nearby reduce it. *Aleatoric*
uncertainty is that of the target given the function: noise. For a target they are the parts of the
law of total variance,

    Var y = Var_f E[y | f] + E_f Var[y | f];

for a label those of the predictive entropy H (Houlsby et al. 2011),

    H[E_f p(y | f)] = I(y; f) + E_f H[p(y | f)],

the mutual information of label and function, and the expected entropy.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import entr, ndtr, ndtri
from scipy.stats import qmc

from sparsegp.likelihoods import Probit
from sparsegp.likelihoods.base import TargetLikelihood
from sparsegp.likelihoods.noisy_probit import label_noise_of
from sparsegp.likelihoods.quadrature import gauss_hermite
from sparsegp.model.classes import class_probabilities
from sparsegp.model.conditional_mean import alike_scales, conditional_means
from sparsegp.model.noise.distribution import NoiseDistribution
from sparsegp.model.policy import ROWS_AT_ONCE
from sparsegp.tables.transforms.warps import Warp

__all__ = ["Uncertainty", "class_uncertainty", "likelihood_noise_std", "warped_epistemic_std"]

Floats = npt.NDArray[np.float64]

# Beyond this |λ(f + b)| the label is certain: its entropy is below 10⁻¹⁶.
CERTAIN = 9.0
# Deviations of a normal belief that integrals reach, and nodes of their Gauss–Legendre rule.
REACH, N_ENTROPY_NODES = 9.0, 64
# Nodes of the Gauss–Hermite rule over f, and draws of the functions of several classes (a power of
# 2), for three significant figures.
N_NODES, N_DRAWS = 32, 256


class Uncertainty(NamedTuple):
    """Uncertainty of predictions and its two parts, one value for each row (and output).

    For targets they are standard deviations in units of y, with total² = epistemic² + aleatoric².
    For labels they are entropies in nats, with total = epistemic + aleatoric.
    """

    total: Floats
    epistemic: Floats
    aleatoric: Floats

    @classmethod
    def of_target(cls, total: Floats, epistemic: Floats) -> "Uncertainty":
        """Return the parts of standard deviations; the aleatoric one is what is left."""
        epistemic = np.minimum(epistemic, total)
        # (t − e)(t + e), not a difference of squares, which may overflow
        return cls(total, epistemic, np.sqrt(total - epistemic) * np.sqrt(total + epistemic))


def warped_epistemic_std(
    warp: Warp, mean: Floats, std: Floats, noise_std: Floats, tails: NoiseDistribution
) -> Floats:
    """Return the standard deviation of E[y | f] for f ~ N(mean, std²), z = f + noise: (n,).

    ``noise_std`` is the standard deviation of the noise of z, with these tails. By Gauss–Hermite
    quadrature over f.
    """
    nodes, weights = gauss_hermite(N_NODES)
    scale = noise_std / tails.deviation
    found = np.empty(len(mean))
    for at in alike_scales(scale, most=ROWS_AT_ONCE):
        f = mean[at, None] + std[at, None] * nodes  # (b, nodes)
        conditional = conditional_means(warp, f, scale[at], tails)
        deviation = conditional - (conditional @ weights)[:, None]
        found[at] = np.sqrt(deviation**2 @ weights)
    return found


def likelihood_noise_std(likelihood: TargetLikelihood, mean: Floats, variance: Floats) -> Floats:
    """Return the root of E_f Var[y | f] for f ~ N(mean, variance): (n,)."""
    nodes, weights = gauss_hermite(N_NODES)
    f = mean[:, None] + np.sqrt(variance)[:, None] * nodes  # (n, nodes)
    noise = likelihood.target_moments(f.ravel(), np.zeros(f.size))[1]
    return np.sqrt(np.reshape(noise, f.shape) @ weights)


def class_uncertainty(probits: Sequence[Probit], mean: Floats, variance: Floats) -> Uncertainty:
    """Return the entropy of labels in nats, and its parts: (n,) each.

    ``mean`` and ``variance`` (n, 1 or C) are those of the latent functions. The expected entropy is
    a Gauss–Legendre integral for two classes, and a mean over quasi-random draws of the functions
    for more.
    """
    total = np.sum(entr(class_probabilities(probits, mean, variance)), axis=1)  # (n,)
    if len(probits) == 1:
        expected = _expected_binary_entropy(probits[0], mean[:, 0], variance[:, 0])
    else:
        expected = _expected_entropy(probits, mean, variance)
    aleatoric = np.minimum(expected, total)  # quadrature may exceed it by rounding
    return Uncertainty(total, total - aleatoric, aleatoric)


def _expected_binary_entropy(probit: Probit, mean: Floats, variance: Floats) -> Floats:
    """Return ∫ H(p(t)) N(t; m, s²) dt with t = λ(f + b) and p = δ/2 + (1 − δ) Φ(t): (n,).

    Far out the entropy is that of labels of which a share δ is drawn at random. The integral is
    that of the excess over it.
    """
    noise = label_noise_of(probit)
    least = entr(0.5 * noise) + entr(1.0 - 0.5 * noise)
    m = probit.slope * (mean + probit.bias)
    s = np.maximum(probit.slope * np.sqrt(variance), np.finfo(np.float64).tiny)
    low, high = np.maximum(m - REACH * s, -CERTAIN), np.minimum(m + REACH * s, CERTAIN)
    nodes, weights = np.polynomial.legendre.leggauss(N_ENTROPY_NODES)
    half = 0.5 * np.maximum(high - low, 0.0)[:, None]
    t = 0.5 * (low + high)[:, None] + half * nodes  # (n, nodes)
    z = (t - m[:, None]) / s[:, None]
    density = np.exp(-0.5 * z**2) / (np.sqrt(2.0 * np.pi) * s[:, None])
    p, q = (0.5 * noise + (1.0 - noise) * ndtr(side) for side in (t, -t))
    return least + np.sum(half * weights * density * (entr(p) + entr(q) - least), axis=1)


def _expected_entropy(probits: Sequence[Probit], mean: Floats, variance: Floats) -> Floats:
    """Return the mean entropy of the labels given functions drawn from their beliefs: (n,)."""
    points = qmc.Sobol(len(probits), scramble=False).random(N_DRAWS)  # (draws, C), from 0 on
    draws = ndtri(points + 0.5 / N_DRAWS)
    std, known = np.sqrt(variance), np.zeros_like(mean)
    total = np.zeros(len(mean))
    for draw in draws:
        total += np.sum(entr(class_probabilities(probits, mean + std * draw, known)), axis=1)
    return total / len(draws)
