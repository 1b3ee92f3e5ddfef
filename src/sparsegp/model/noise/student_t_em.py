"""Student's t noise as a scale mixture of Gaussians, by variational EM.

A row has the noise N(0, σ²/λ) with λ ~ Gamma(ν/2, ν/2), one λ for all p outputs of the row. With
q(f) q(λ) for the posterior, λ is a Gamma variable again, and the rest of the model depends on its
mean alone: a row has the noise r σ² with

    r = 1/⟨λ⟩ = (ν + S/σ²)/(ν + p),    S = ⟨‖y − f‖²⟩.

Given r, the evidence of the Gaussian model is the variational bound up to a constant, so that
kernel, σ² and posterior are found as for Gaussian noise. Outliers get a large r.
"""

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

from sparsegp.arrays import Array, namespace, row_sums_of_squares, to_numpy
from sparsegp.model.moments import map_rows, row_noise
from sparsegp.model.policy import FEWEST_DF, MOST_DF
from sparsegp.model.posterior import Posterior
from sparsegp.tables.rows import Rows

__all__ = ["FEWEST_DF", "MOST_DF", "expected_squares", "factors", "likeliest_df", "log_student"]

Floats = npt.NDArray[np.float64]


def expected_squares(posterior: Posterior, rows: Rows, variance: float) -> Array:
    """Return S, the expected squared distance of f from the targets of each row: (n,).

    Under VFE f has the residual variance d, under FITC the part of d that the row's target leaves;
    SoR and DTC have none.
    """
    basis, rule, n_outputs = posterior.basis, posterior.rule, rows.y.shape[1]
    xp = namespace(rows.X)

    def of_block(block: Rows) -> tuple[Array, ...]:
        Phi = basis.features(block.X)  # (b, m)
        noise = row_noise(basis, block, Phi, variance, rule)
        square = row_sums_of_squares(block.y - Phi @ posterior.beta)  # (b,)
        h = row_sums_of_squares(posterior.precision.divide(Phi, overwrite=True))  # (b,)
        S = square + n_outputs * h
        d = xp.clip(noise.residual, 0.0, None)
        if rule.in_bound:
            S = S + n_outputs * d
        elif rule.in_noise:  # λ = r σ² + d: f moves part of the way to the target
            share = 1.0 - d / noise.noise
            S = share * share * S + n_outputs * share * d
        return (S,)

    return map_rows(of_block, rows, basis.Z.shape[0])[0]


def factors(square: Array, variance: float, df: float, n_outputs: int) -> Array:
    """Return r of rows, (n,), given S."""
    return (df + square / variance) / (df + n_outputs)


def log_student(square: Floats, variance: Floats | float, df: float, n_outputs: int) -> Floats:
    """Return log densities of Student's t over all outputs of a row, given squared distances."""
    p = n_outputs
    constant = gammaln(0.5 * (df + p)) - gammaln(0.5 * df) - 0.5 * p * np.log(np.pi * df)
    distance = np.log1p(square / (df * variance))
    return constant - 0.5 * p * np.log(variance) - 0.5 * (df + p) * distance


def likeliest_df(square: Array, count: Array | None, variance: float, n_outputs: int) -> float:
    """Return the maximum-likelihood degrees of freedom."""
    S = to_numpy(square)
    s = np.ones(len(S)) if count is None else to_numpy(count)

    def loss(log_df: float) -> float:
        return -float(s @ log_student(S, variance, float(np.exp(log_df)), n_outputs)) / s.sum()

    found = minimize_scalar(loss, bounds=(np.log(FEWEST_DF), np.log(MOST_DF)), method="bounded")
    return float(np.exp(found.x))
