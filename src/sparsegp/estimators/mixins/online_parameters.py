"""The posterior of a stream in the parameters of Csató & Opper (2002): α, C, Q and a prior mean.

With k_x the kernel between an input and the basis vectors, in units of the scaled inputs and
target (eq. 2.8),

    E f(x) = mean + k_xᵀα,    Cov(f(x), f(x′)) = k(x, x′) + k_xᵀC k_x′,    Q = K_zz⁻¹.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from sparsegp.likelihoods import Shifted

__all__ = ["OnlineParametersMixin"]

Floats = npt.NDArray[np.float64]


class OnlineParametersMixin:
    """Attributes of an estimator that holds a stream in ``_stream``; K is the number of outputs."""

    _stream: Any

    @property
    def alpha_(self) -> Floats:
        """Csató & Opper's α, for each basis vector and output: (n_basis_, K)."""
        check_is_fitted(self)
        return np.asarray(self._stream.state.alpha)

    @property
    def C_(self) -> Floats:
        """Csató & Opper's C, of each output: (K, n_basis_, n_basis_)."""
        check_is_fitted(self)
        return np.asarray(self._stream.state.C)

    @property
    def Q_(self) -> Floats:
        """Csató & Opper's Q, the inverse Gram matrix of the basis: (n_basis_, n_basis_)."""
        check_is_fitted(self)
        return np.asarray(self._stream.state.block(self._stream.state.Q))

    @property
    def bias_(self) -> Floats:
        """The prior mean of each latent function, in units of the scaled target: (K,)."""
        check_is_fitted(self)
        likelihood = self._stream.decided.likelihood
        offset = likelihood.offset if isinstance(likelihood, Shifted) else 0.0
        return np.broadcast_to(np.asarray(offset, dtype=np.float64), self._stream.shape[1:]).copy()
