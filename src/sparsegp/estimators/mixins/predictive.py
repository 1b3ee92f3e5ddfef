"""Predictions of a fitted regression model, in the units of the target.

The model has a predictive distribution of each transformed target z, normal or Student's t
(``model.noise.distribution``); here it is transformed back. An affine transform scales mean and
standard deviation. Through a warp quantiles, densities and samples are still exact, and moments are
integrals (``model.warped``).
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from sparsegp.arrays import moved, namespace, to_numpy
from sparsegp.estimators.mixins.rowwise import like_its_inputs, rowwise
from sparsegp.estimators.options.checks import check_integer, check_probabilities
from sparsegp.model.neighbours.prediction import NeighbourPosterior
from sparsegp.model.noise.distribution import NORMAL, NoiseDistribution
from sparsegp.model.noise.predictive import Noise
from sparsegp.model.posterior import Posterior, draw_samples
from sparsegp.model.warped import warped_covariance, warped_moments
from sparsegp.tables.open import open_inputs
from sparsegp.tables.sources.device import as_host_array, on_device
from sparsegp.tables.transforms.columns import Columns
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Warps
from sparsegp.tables.validation import check_target

__all__ = ["RegressionPredictionMixin"]

Floats = npt.NDArray[np.float64]


class RegressionPredictionMixin:
    """An estimator with a posterior, a noise and transforms of inputs and targets; abstract."""

    _posterior: Posterior | NeighbourPosterior
    _noise: Noise
    _scaling_X: Scaling | Columns  # noqa: N815  (X is the table)
    _scaling_y: Scaling | Warps
    _one_target: bool

    @rowwise
    @like_its_inputs
    def predict(
        self, X: Any, return_std: bool = False, return_cov: bool = False
    ) -> Floats | tuple[Floats, Floats]:
        """Predict the target.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        return_std : bool, default=False
            Also return the standard deviation of the target, noise included.
        return_cov : bool, default=False
            Also return the covariance of the targets, noise included.

        Returns
        -------
        mean : ndarray (n_samples,) or (n_samples, n_outputs)
            Of the target, not of its transform: for a skewed target it is not the median.
        std : ndarray of the same shape
            If ``return_std``.
        cov : ndarray (n_samples, n_samples) or (n_samples, n_samples, n_outputs)
            If ``return_cov``.
        """
        if return_std and return_cov:
            raise ValueError("pass return_std or return_cov, not both")
        Z = self._transformed(X)
        if return_cov:
            mean, covariance = self._posterior.mean_and_covariance(Z)
            return self._joint_moments(mean, self._noise.added_to(covariance, mean, Z))
        if not return_std and isinstance(self._scaling_y, Scaling):
            return self._shaped(self._scaling_y.invert(self._posterior.mean(Z)))
        mean, variance = self._posterior.mean_and_variance(Z)
        target, std = self._moments(mean, variance + self._noise.at(mean, Z), self._noise.tails)
        return (self._shaped(target), self._shaped(std)) if return_std else self._shaped(target)

    @rowwise
    @like_its_inputs
    def predict_latent(self, X: Any) -> tuple[Floats, Floats]:
        """Return mean and variance of the function without noise, in units of the target.

        If the target is warped (``transform_y``), they are those of the back-transformed function.

        Parameters
        ----------
        X : array-like (n_samples, n_features)

        Returns
        -------
        mean, variance : ndarray (n_samples,) or (n_samples, n_outputs)
        """
        Z = self._transformed(X)
        mean, variance = self._posterior.mean_and_variance(Z)
        scaling = self._scaling_y
        if isinstance(scaling, Scaling):
            latent = scaling.invert(mean), variance[:, None] * scaling.scale**2  # (n, p)
        else:
            target, std = self._moments(mean, variance, NORMAL)
            latent = target, std**2
        return self._shaped(latent[0]), self._shaped(latent[1])

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
        mean, scale = self._predictive(X)  # (n, p), (n, 1)
        u = moved(self._noise.tails.quantile(np.atleast_1d(probabilities)), like=mean)
        z = mean + scale * u[:, None, None]  # (quantiles, n, p)
        quantiles = self._shaped(namespace(z).moveaxis(self._scaling_y.invert(z), 0, -1))
        return quantiles if np.ndim(q) else quantiles[..., 0]

    @rowwise
    @like_its_inputs
    def predict_interval(self, X: Any, coverage: float = 0.95) -> tuple[Floats, Floats]:
        """Return the central interval that holds the target with this probability.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        coverage : float, default=0.95

        Returns
        -------
        lower, upper : ndarray (n_samples,) or (n_samples, n_outputs)
        """
        tail = 0.5 - 0.5 * float(check_probabilities("coverage", coverage))
        both = self.predict_quantiles(X, [tail, 1.0 - tail])
        return both[..., 0], both[..., 1]

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
        target, u, scale = self._standardised(X, y)
        log_density = self._noise.tails.log_density(to_numpy(u), to_numpy(scale))
        return self._shaped(log_density + to_numpy(self._scaling_y.log_slope(target)))

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
        return self._shaped(self._noise.tails.cdf(to_numpy(self._standardised(X, y)[1])))

    @like_its_inputs
    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Floats:
        """Draw targets, noise included, from the joint predictive distribution.

        Parameters
        ----------
        X : array-like (n_rows, n_features)
        n_samples : int, default=1
        random_state : int, RandomState instance or None, default=0

        Returns
        -------
        samples : ndarray (n_rows, n_samples) or (n_rows, n_outputs, n_samples)
        """
        check_integer("n_samples", n_samples, 1)
        rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
        Z = self._transformed(X)
        samples = draw_samples(self._posterior, Z, self._noise, n_samples, rng)
        xp = namespace(samples)
        targets = self._scaling_y.invert(xp.moveaxis(samples, 1, 2))  # (n, samples, p)
        return targets[:, :, 0] if self._one_target else xp.moveaxis(targets, 1, 2)

    def _transformed(self, X: Any) -> Floats:
        """Return transformed inputs (n, D), on the device of the model."""
        check_is_fitted(self)
        return self._scaling_X.apply(open_inputs(self, X, like=self._posterior.Z))

    def _predictive(self, X: Any) -> tuple[Floats, Floats]:
        """Return centre (n, p) and scale (n, 1) of the noisy transformed target."""
        Z = self._transformed(X)
        mean, variance = self._posterior.mean_and_variance(Z)
        return mean, namespace(mean).sqrt(variance + self._noise.at(mean, Z))[:, None]

    def _standardised(self, X: Any, y: Any) -> tuple[Floats, Floats, Floats]:
        """Return the targets (n, p), their standardised residuals, and the scales (n, 1)."""
        mean, scale = self._predictive(X)  # (n, p), (n, 1)
        target, _ = check_target(to_numpy(y) if on_device(y) else as_host_array("y", y))
        if len(target) != mean.shape[0]:
            check_consistent_length(to_numpy(mean), target)
        target = moved(target, like=mean)
        if target.shape != mean.shape:
            raise ValueError(
                f"y has {target.shape[1]} outputs, but the model was fitted with {mean.shape[1]}"
            )
        return target, (self._scaling_y.apply(target) - mean) / scale, scale

    def _moments(
        self, mean: Floats, variance: Floats, tails: NoiseDistribution
    ) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the target (n, p) from centre and scale² of z."""
        scaling, deviation = self._scaling_y, namespace(variance).sqrt(variance)  # (n,)
        if isinstance(scaling, Scaling):
            # not the root of a variance in units of y, which may overflow
            return scaling.invert(mean), tails.deviation * deviation[:, None] * scaling.scale
        each = [
            warped_moments(w, mean[:, i], deviation, tails) for i, w in enumerate(scaling.warps)
        ]
        means, deviations = zip(*each, strict=True)
        return np.stack(means, axis=1), np.stack(deviations, axis=1)

    def _joint_moments(self, mean: Floats, covariance: Floats) -> tuple[Floats, Floats]:
        """Return mean and covariance of the targets from centre and scale² of z."""
        scaling, tails = self._scaling_y, self._noise.tails
        if isinstance(scaling, Scaling):
            joint = tails.covariance(covariance)[:, :, None] * scaling.scale**2  # (n, n, p)
            return self._shaped(scaling.invert(mean)), joint[:, :, 0] if self._one_target else joint
        each = [
            warped_covariance(w, mean[:, i], covariance, tails) for i, w in enumerate(scaling.warps)
        ]
        means, joints = zip(*each, strict=True)
        joint = np.stack(joints, axis=2)
        target = self._shaped(np.stack(means, axis=1))
        return target, joint[:, :, 0] if self._one_target else joint

    def _shaped(self, values: Floats) -> Floats:
        """Return values (n, p, …) as the target was given: without the axis of one output."""
        return values[:, 0, ...] if self._one_target else values
