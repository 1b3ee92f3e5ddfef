"""The evidence of every prefix of a basis, from the moments of the whole of it.

Φ = K_xz L⁻ᵀ with a lower triangular L: the first m features are those of the first m basis
vectors. The leading blocks of ΦᵀWΦ and of the Cholesky factor of I + ΦᵀWΦ therefore belong to
the prefixes, and their evidences cost nothing beyond that of the last.
"""

import numpy as np

from sparsegp.arrays import add_to_diagonal, row_sums_of_squares, safe_cholesky, solve_lower
from sparsegp.kernels.base import Vector
from sparsegp.model.moments import Moments

__all__ = ["evidence_path"]


def evidence_path(moments: Moments) -> Vector:
    """Return the negative log evidence of the first 1, 2, …, m basis vectors: (m,).

    Parameters
    ----------
    moments : Moments
        Of all rows, with the rule of SoR or DTC, where the noise of a row does not depend on
        the basis and no trace term enters.
    """
    n_outputs = moments.target.shape[1]
    L_B = safe_cholesky(add_to_diagonal(moments.gram.copy(), 1.0)).L  # (m, m)
    log_det = 2.0 * np.cumsum(np.log(L_B.diagonal()))  # (m,)
    explained = np.cumsum(row_sums_of_squares(solve_lower(L_B, moments.target)))  # (m,)
    constant = n_outputs * moments.log_noise + moments.y_square
    return np.asarray(0.5 * (constant + n_outputs * log_det - explained))
