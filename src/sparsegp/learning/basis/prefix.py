"""A fitted model with fewer basis vectors, without a new selection."""

from dataclasses import replace

from sparsegp.kernels.base import Vector
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.model.evidence import evidence_of
from sparsegp.model.features import make_basis
from sparsegp.model.moments import collect_moments
from sparsegp.model.neighbours.prediction import NeighbourPosterior
from sparsegp.model.posterior import Posterior, solve_posterior
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import needed_rows

__all__ = ["shorten"]


def shorten(
    posterior: Posterior | NeighbourPosterior,
    evidences: Vector,
    rows: AnyRows | None,
    parameters: Parameters,
    n_basis: int,
    mean_scale: float = 1.0,
) -> tuple[Posterior | NeighbourPosterior, float]:
    """Return the posterior with the first basis vectors only, and its log evidence.

    The factors of a prefix are leading blocks, so this needs no row, except for FITC, where the
    noise of every row depends on the basis: one pass over the rows. Neighbours stay. The mean of
    the posterior was calibrated by ``mean_scale``.
    """
    if isinstance(posterior, NeighbourPosterior):
        rows = posterior.rows
        shorter, evidence = shorten(posterior.posterior, evidences, rows, parameters, n_basis)
        assert isinstance(shorter, Posterior)
        return replace(posterior, posterior=shorter), evidence
    rule, variance = posterior.rule, parameters.noise_variance
    if not rule.in_noise:
        return posterior.prefix(n_basis), float(evidences[n_basis - 1])
    rows = needed_rows(rows, "a shorter model of FITC")
    basis = make_basis(parameters.kernel, posterior.Z[:n_basis, :])
    moments = collect_moments(basis, rows, variance, rule)
    shorter = solve_posterior(basis, moments, rule)
    evidence = evidence_of(shorter, moments, variance, rule)
    scaled = replace(
        shorter,
        alpha=mean_scale * shorter.alpha,
        beta=mean_scale * shorter.beta,
        weight_scale=posterior.weight_scale,
        residual_scale=posterior.residual_scale,
    )
    return scaled, evidence
