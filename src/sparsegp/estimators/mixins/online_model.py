"""What the on-line estimators have in common: a stream, seen through scikit-learn's API."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from sparsegp.estimators.mixins.persistence import PersistenceMixin
from sparsegp.estimators.mixins.reporting import listener_for
from sparsegp.estimators.mixins.rollback import dtypes_of
from sparsegp.estimators.options.checks import check_integer
from sparsegp.estimators.options.online import check_rate, rule_of
from sparsegp.estimators.options.online_changes import check_as_decided, decided_parameters
from sparsegp.estimators.options.transforms import named_columns
from sparsegp.kernels import Kernel
from sparsegp.learning.fit_stream import Stream
from sparsegp.tables.validation import check_inputs, check_sample_weight

__all__ = ["OnlineModel"]

Floats = npt.NDArray[np.float64]


class OnlineModel(PersistenceMixin, BaseEstimator):
    """An estimator that holds a stream in ``_stream``; abstract."""

    _stream: Stream
    _decided_with: dict[str, Any]

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
    def transform_X_(self) -> dict[str | int, str]:
        """What became of each column, by its name if it has one, else by its position."""
        return named_columns(self._stream.columns, self._names())

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
        if first:
            self._feature_dtypes = dtypes_of(X)
        return check_inputs(self, "X", X, reset=first)

    def _names(self) -> list[str] | None:
        return list(self.feature_names_in_) if hasattr(self, "feature_names_in_") else None

    def _counted(
        self, X: Floats, y: npt.NDArray[Any], sample_weight: Any, *, first: bool
    ) -> tuple[Floats, npt.NDArray[Any], Floats | None]:
        """Return rows, targets and weights without the rows that do not count.

        In mid-stream that may be all of them.
        """
        check_consistent_length(X, y)
        if sample_weight is None:
            return X, y, None
        nothing = not first and not np.any(np.asarray(sample_weight) != 0)
        weight = np.zeros(len(X)) if nothing else check_sample_weight(sample_weight, len(X))
        assert weight is not None
        counted = weight > 0.0
        return X[counted], y[counted], weight[counted]

    def _fit_all(
        self, X: Floats, Y: Floats, weight: Floats | None, new_stream: Callable[[], Stream]
    ) -> Stream:
        """Return a new stream that has learned all rows, in random order and as often as wanted."""
        stream, listener = new_stream(), listener_for(self.verbose, None)
        if self.shuffle:
            order = np.random.default_rng(stream.settings.seed).permutation(len(X))
            X, Y, weight = X[order], Y[order], None if weight is None else weight[order]
        learned = stream.take(X, Y, weight, whole=True, listener=listener)
        more = self.n_sweeps - 1
        if more and learned is not None:
            stream.go_over_again(
                X, Y, weight, learned, more, recycled=self.recycle, listener=listener
            )
        self._decided_with = decided_parameters(self)
        return stream

    def _begin(self, stream: Stream, X: Floats, Y: Floats, weight: Floats | None) -> None:
        """Learn the first rows of a stream, and make it that of the model."""
        stream.take(X, Y, weight, listener=listener_for(self.verbose, None))
        self._stream, self._decided_with = stream, decided_parameters(self)

    def _go_on(self, X: Floats, Y: Floats, weight: Floats | None) -> None:
        """Learn more rows of the stream, by the rule that holds now."""
        check_as_decided(self, self._decided_with)
        rule = rule_of(self)
        if len(X):
            listener = listener_for(self.verbose, None)
            self._stream.take(X, Y, weight, rule=rule, listener=listener)
