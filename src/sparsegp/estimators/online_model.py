"""What the on-line estimators have in common: a stream, seen through scikit-learn's API."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from sparsegp.estimators.online_options import check_rate
from sparsegp.estimators.validation import check_finite, check_integer
from sparsegp.kernels import Kernel
from sparsegp.learning.stream import Stream

__all__ = ["OnlineModel"]

Floats = npt.NDArray[np.float64]


class OnlineModel(BaseEstimator):
    """An estimator that holds a stream in ``_stream``; abstract."""

    _stream: Stream

    def prune(self, n_basis: int) -> Self:
        """Give up basis vectors, the one worth least first, until ``n_basis`` are left.

        The limit ``max_basis`` stays: rows to come may fill the basis again.
        """
        check_is_fitted(self)
        self._stream.prune(check_integer("n_basis", n_basis, 1))
        return self

    def forget(self, rate: float) -> Self:
        """Let what was learned fade: the posterior goes back to the prior by this share.

        Parameters
        ----------
        rate : float
            From 0, nothing, to 1, everything. A row that was followed by k calls counts by
            (1 − rate)ᵏ: a memory of 1/rate calls.
        """
        check_is_fitted(self)
        self._stream.forget(check_rate(rate))
        return self

    def relearn(self) -> Self:
        """Learn the kernel's parameters anew, from the basis and what is known there.

        No row is needed. The noise stays, and so does the scaling. It ends the warm-up.
        """
        check_is_fitted(self)
        self._stream.relearn()
        return self

    @property
    def kernel_(self) -> Kernel:
        """The kernel with learned parameters, in units of the scaled inputs and target."""
        return self._stream.state.kernel

    @property
    def basis_vectors_(self) -> Floats:
        """The basis vectors, in the units of X: (n_basis_, n_features)."""
        return self._stream.scaling_x.invert(self._stream.state.basis)

    @property
    def n_basis_(self) -> int:
        """How many basis vectors there are."""
        return self._stream.state.n_basis

    @property
    def n_seen_(self) -> int:
        """How many rows have been learned."""
        return self._stream.state.n_seen

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether there is a model to predict with."""
        return hasattr(self, "_stream")

    def _inputs(self, X: Any, *, first: bool) -> Floats:
        X = validate_data(self, X, reset=first, dtype=np.float64, ensure_all_finite=False)
        check_finite("X", X, getattr(self, "feature_names_in_", None))
        return X

    def _names(self) -> list[str] | None:
        return list(self.feature_names_in_) if hasattr(self, "feature_names_in_") else None

    def _fit_all(self, X: Floats, Y: Floats, new_stream: Callable[[], Stream]) -> Stream:
        """Return a new stream that has learned all rows, in random order and as often as wanted."""
        stream = new_stream()
        if self.shuffle:
            order = np.random.default_rng(stream.settings.seed).permutation(len(X))
            X, Y = X[order], Y[order]
        learned = stream.take(X, Y, whole=True)
        more = self.n_sweeps - 1
        if more and learned is not None:
            stream.go_over_again(X, Y, learned, more, recycled=self.recycle)
        return stream
