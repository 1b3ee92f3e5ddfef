"""Quantiles, intervals, probabilities and densities of targets, from a predictive distribution."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_consistent_length

from sparsegp.arrays import to_numpy
from sparsegp.estimators.mixins.renamed import checked_level
from sparsegp.estimators.mixins.rowwise import like_its_inputs, rowwise
from sparsegp.estimators.options.checks import check_probabilities
from sparsegp.tables.sources.device import as_host_array, on_device
from sparsegp.tables.validation import check_target

__all__ = ["DistributionMixin"]

Floats = npt.NDArray[np.float64]


class DistributionMixin:
    """A regressor that predicts a distribution for each row; abstract."""

    def predict_distribution(self, X: Any) -> Any:
        """Return the predictive distribution of the target of each row, noise included."""
        raise NotImplementedError

    @rowwise
    @like_its_inputs
    def predict_quantiles(self, X: Any, q: Any) -> Floats:
        """Return quantiles of the target, noise included.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        q : float or array-like (n_quantiles,)
            Probabilities between 0 and 1.

        Returns
        -------
        quantiles : ndarray (n_samples, n_quantiles) or (n_samples, n_outputs, n_quantiles)
            For a single number ``q`` the last axis is missing.
        """
        probabilities = check_probabilities("q", q)
        return self.predict_distribution(X).quantile(probabilities)

    @rowwise
    @like_its_inputs
    def predict_interval(
        self, X: Any, level: float = 0.95, *, coverage: float | None = None
    ) -> tuple[Floats, Floats]:
        """Return the central interval that holds the target with this probability.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        level : float, default=0.95
        coverage : float
            The old name of ``level``, for one release.

        Returns
        -------
        lower, upper : ndarray (n_samples,) or (n_samples, n_outputs)
        """
        level = checked_level(level, coverage)
        return self.predict_distribution(X).interval(level)

    @rowwise
    @like_its_inputs
    def log_density(self, X: Any, y: Any) -> Floats:
        """Return the logarithm of the predictive density at targets, in units of 1/target.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        y : array-like (n_samples,) or (n_samples, n_outputs)

        Returns
        -------
        log_density : ndarray (n_samples,) or (n_samples, n_outputs)
            Of each output by itself. −∞ for an impossible target, such as a negative one if
            ``transform_y="log"``.
        """
        distribution = self.predict_distribution(X)
        return distribution.log_density(_checked_target(y, distribution))

    @rowwise
    @like_its_inputs
    def cdf(self, X: Any, y: Any) -> Floats:
        """Return the probability that the target, noise included, is at most y.

        Over new rows it is uniform on [0, 1] if the model is calibrated: the probability integral
        transform (PIT).

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        y : array-like (n_samples,) or (n_samples, n_outputs)

        Returns
        -------
        probability : ndarray (n_samples,) or (n_samples, n_outputs)
            Of each output by itself.
        """
        distribution = self.predict_distribution(X)
        return distribution.cdf(_checked_target(y, distribution))


def _checked_target(y: Any, distribution: Any) -> Floats:
    """Return targets (n, p) that match a prediction."""
    target, _ = check_target(to_numpy(y) if on_device(y) else as_host_array("y", y))
    if len(target) != len(distribution):
        check_consistent_length(distribution.location, target)
    return target
