"""New hyperparameters for a stream, from the basis and its pseudo-observations."""

import numpy as np

from sparsegp.kernels.base import FIXED, Vector
from sparsegp.learning.hyperparameters.optimise import maximise_from_several
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.streams import policy
from sparsegp.online.pseudo_observations import change_kernel, pseudo_evidence, pseudo_observations
from sparsegp.online.recursion import Online

__all__ = ["relearn_kernel"]


def relearn_kernel(state: Online, noise_variance: float, seed: int) -> bool:
    """Give the state the kernel that its pseudo-observations find likeliest; tell if it has one."""
    if not state.n_basis:
        return False
    state.refactor()  # whitening needs a Gram matrix with an inverse
    Z, observed = state.basis, pseudo_observations(state)
    leading = observed[state.leading]
    if not any(len(output.t) for output in leading):  # everything was forgotten
        return False

    def objective(parameters: Parameters) -> tuple[float, Vector]:
        value, by_theta = pseudo_evidence(parameters.kernel, Z, leading)
        return value, parameters.gradient(by_theta, 0.0)

    start = Parameters(state.kernel, noise_variance, FIXED)
    if not len(start.vector):
        return False
    found = maximise_from_several(
        objective,
        start,
        0,
        np.random.default_rng(seed),
        max_evaluations=policy.EVALUATIONS_OF_RELEARNING,
        scale=float(max(len(Z), 1)),
    )
    change_kernel(state, found.parameters.kernel, observed)
    return True
