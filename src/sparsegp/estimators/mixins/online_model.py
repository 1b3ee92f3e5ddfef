"""What the on-line estimators share: a stream behind scikit-learn's API."""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from sparsegp.estimators.mixins.encoding import EncodingMixin
from sparsegp.estimators.mixins.fit_summary import FitSummaryMixin
from sparsegp.estimators.mixins.online_parameters import OnlineParametersMixin
from sparsegp.estimators.mixins.persistence import PersistenceMixin
from sparsegp.estimators.mixins.reporting import listener_for
from sparsegp.estimators.mixins.rollback import dtypes_of
from sparsegp.estimators.options.checks import check_integer
from sparsegp.estimators.options.online import (
    check_rate,
    forgetting_of,
    lag_options,
    rule_of,
    stream_settings,
)
from sparsegp.estimators.options.online_changes import check_as_decided, decided_parameters
from sparsegp.estimators.options.transforms import named_columns
from sparsegp.kernels import Kernel
from sparsegp.learning.fit_stream import Stream
from sparsegp.learning.streams.config import StreamSettings
from sparsegp.tables.encoded_inputs import check_inputs, input_names
from sparsegp.tables.validation import check_same_rows, check_sample_weight

__all__ = ["OnlineModel"]

Floats = npt.NDArray[np.float64]


class StreamOptions(NamedTuple):
    """Settings of a stream, and its inputs."""

    settings: StreamSettings
    names: list[str] | None
    n_features: int
    n_lags: int  # the number of features, the last ones, that are earlier values


class OnlineModel(
    OnlineParametersMixin, EncodingMixin, FitSummaryMixin, PersistenceMixin, BaseEstimator
):
    """An estimator that holds a stream in ``_stream``; abstract."""

    _stream: Stream
    _decided_with: dict[str, Any]

    def prune(self, n_basis: int) -> Self:
        """Delete basis vectors, the least valuable first, until ``n_basis`` are left.

        The limit ``max_basis`` is unchanged: later rows may fill the basis again.
        """
        check_is_fitted(self)
        self._stream.prune(check_integer("n_basis", n_basis, 1))
        return self

    def forget(self, rate: float) -> Self:
        """Move the posterior towards the prior by a share.

        Parameters
        ----------
        rate : float
            From 0, forget nothing, to 1, forget everything. After k calls a row counts
            (1 − rate)ᵏ: a memory of 1/rate calls.
        """
        check_is_fitted(self)
        self._stream.forget(check_rate(rate))
        return self

    @property
    def effective_memory_(self) -> float:
        """How many rows the model looks back: the sum of the shares by which past rows count.

        The number of rows learned if nothing is forgotten, about 1/rate rows otherwise.
        """
        return self._stream.model.memory.effective_rows

    def relearn(self) -> Self:
        """Learn the kernel's parameters again, from the posterior at the basis.

        No rows are needed. Noise and scaling are unchanged. It ends the warm-up.
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
        """The transform of each column, by its name if it has one, else by its position."""
        return named_columns(self._stream.columns, self._names())

    @property
    def basis_vectors_(self) -> Floats:
        """The basis vectors, in the units of X: (n_basis_, n_features)."""
        return self._stream.scaling_x.invert(self._stream.state.basis)

    @property
    def n_basis_(self) -> int:
        """The number of basis vectors."""
        return self._stream.state.n_basis

    @property
    def n_seen_(self) -> int:
        """The number of rows learned."""
        return self._stream.state.n_seen

    def _mean_at(self, Z: Floats) -> Floats:
        return self._stream.state.mean(Z)

    def _basis_inputs(self) -> Floats:
        return self._stream.state.basis

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether the estimator is fitted."""
        return hasattr(self, "_stream")

    def _inputs(self, X: Any, *, first: bool, stream: bool = False) -> Floats:
        """Return the inputs of rows: the first ones, more of a ``stream``, or rows to predict."""
        if first:
            self._feature_dtypes = dtypes_of(X)
        elif _is_checked(self, X):
            return X
        return check_inputs(self, "X", X, reset=first, stream=stream)

    def _inputs_of_columns(self) -> list[list[int]] | None:
        """Return the inputs of each column of the table, and of each lag after them."""
        columns = super()._inputs_of_columns()
        if columns is None:
            return None
        n_inputs = sum(map(len, columns))
        return columns + [[i] for i in range(n_inputs, self._stream.shape[0])]

    def _stream_options(self, n_columns: int, n_outputs: int) -> StreamOptions:
        """Return settings of a stream, and names and numbers of its inputs and lags."""
        lags = lag_options(self, input_names(self), n_columns)
        n_lags, names = lags.n_features(n_outputs), self._names(n_outputs)
        settings = stream_settings(self, names, n_columns + n_lags, lags)
        return StreamOptions(settings, names, n_columns + n_lags, n_lags)

    def _names(self, n_outputs: int | None = None) -> list[str] | None:
        """Return the names of the inputs, with those of lags after them; None if they have none."""
        names = input_names(self)
        if names is None:
            return None
        lags = lag_options(self, names, len(names))
        outputs = self._stream.shape[1] if n_outputs is None else n_outputs
        return names + lags.names(outputs, names)

    def _counted(
        self, X: Floats, y: npt.NDArray[Any], sample_weight: Any, *, first: bool
    ) -> tuple[Floats, npt.NDArray[Any], Floats | None]:
        """Return rows, targets and weights without the rows of weight zero.

        After the first call that may be all of them.
        """
        if len(X) != len(y):
            check_same_rows(X, y)  # raises the error
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
        """Return a new stream that has learned all rows, in random order and ``n_sweeps`` times."""
        stream, listener = new_stream(), listener_for(self.verbose, None)
        if self.shuffle and not stream.settings.lags.any:
            order = np.random.default_rng(stream.settings.seed).permutation(len(X))
            X, Y, weight = X[order], Y[order], None if weight is None else weight[order]
        more = self.n_sweeps - 1
        # rows in random order have no age, and a sweep learns rows that are old and new at once
        ordered = not more and (not self.shuffle or stream.settings.lags.any)
        learned = stream.take(X, Y, weight, whole=True, ordered=ordered, listener=listener)
        if more and learned is not None:
            stream.go_over_again(
                X, Y, weight, learned, more, recycled=self.recycle, listener=listener
            )
        self._decided_with = decided_parameters(self)
        return stream

    def _begin(self, stream: Stream, X: Floats, Y: Floats, weight: Floats | None) -> None:
        """Learn the first rows of a new stream."""
        stream.take(X, Y, weight, listener=listener_for(self.verbose, None))
        self._stream, self._decided_with = stream, decided_parameters(self)

    def _go_on(self, X: Floats, Y: Floats, weight: Floats | None) -> None:
        """Learn more rows of the stream, by the current rule."""
        check_as_decided(self, self._decided_with)
        known = self._stream.settings.rule
        now = (self.max_basis, self.tolerance, self.deletion)
        same = now == (known.max_basis, known.tolerance, known.deletion)
        rule = known if same else rule_of(self)
        if self.forgetting != self._stream.settings.forgetting:
            self._stream.change_forgetting(**forgetting_of(self))
        if len(X):
            listener = listener_for(self.verbose, None)
            self._stream.take(X, Y, weight, rule=rule, listener=listener)


def _is_checked(estimator: OnlineModel, X: Any) -> bool:
    """Tell whether rows of a fitted stream need no further check: plain finite doubles."""
    return (
        type(X) is np.ndarray
        and X.dtype == np.float64
        and X.ndim == 2
        and len(X) > 0
        and X.shape[1] == estimator.n_features_in_
        and estimator.encoding_ is None
        and not hasattr(estimator, "feature_names_in_")
        and bool(np.isfinite(X).all())
    )
