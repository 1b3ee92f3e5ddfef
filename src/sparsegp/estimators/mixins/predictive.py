"""Predictions of a fitted regression model, in the units of the target.

The model has a predictive distribution of each transformed target z, normal or Student's t; here it
is transformed back (``model.predictive_distribution``). An affine transform scales mean and
standard deviation. Through a warp quantiles, densities and samples are still exact, and moments
are integrals (``model.warped``).
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sparsegp.arrays import moved, namespace, to_numpy
from sparsegp.arrays.placement import beside
from sparsegp.estimators.mixins.distribution import DistributionMixin
from sparsegp.estimators.mixins.fit_summary import FitSummaryMixin
from sparsegp.estimators.mixins.renamed import latent_answer
from sparsegp.estimators.mixins.rowwise import like_its_inputs, rowwise
from sparsegp.estimators.options.checks import check_integer
from sparsegp.model.neighbours.prediction import NeighbourPosterior
from sparsegp.model.noise.distribution import NORMAL, NoiseDistribution
from sparsegp.model.noise.predictive import Noise
from sparsegp.model.posterior import Posterior, draw_samples
from sparsegp.model.predictive_distribution import PredictiveDistribution
from sparsegp.model.target_mean import TargetMean
from sparsegp.model.uncertainty import Uncertainty, warped_epistemic_std
from sparsegp.model.warped import warped_covariance, warped_moments
from sparsegp.tables.open import open_inputs
from sparsegp.tables.transforms.columns import Columns
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Warps
from sparsegp.tables.validation import within_reach, without_overflow

__all__ = ["RegressionPredictionMixin"]

Floats = npt.NDArray[np.float64]


class RegressionPredictionMixin(DistributionMixin, FitSummaryMixin):
    """An estimator with a posterior, a noise and transforms of inputs and targets; abstract."""

    _posterior: Posterior | NeighbourPosterior
    _noise: Noise
    noise_variance_: float
    _scaling_X: Scaling | Columns  # noqa: N815  (X is the table)
    _scaling_y: Scaling | Warps
    _target_mean: TargetMean | None
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
            Of the target, not of its transform: for a skewed target it is not the median. If the
            target is warped, the mean of the predictive distribution is mixed with a linear
            prediction of the target, in the proportion that left-out rows prefer.
        std : ndarray of the same shape
            If ``return_std``.
        cov : ndarray (n_samples, n_samples) or (n_samples, n_samples, n_outputs)
            If ``return_cov``.
        """
        if return_std and return_cov:
            raise ValueError("pass return_std or return_cov, not both")
        Z = self._transformed(X)
        if return_cov:
            mean, linear, covariance = self._split(self._both().mean_and_covariance(Z))
            covariance = self._noise.added_to(covariance, mean, Z)
            target, joint = self._joint_moments(mean, covariance)
            return self._shaped(self._mixed(target, linear)), joint
        if not return_std and isinstance(self._scaling_y, Scaling):
            found = self._scaling_y.invert(self._posterior.mean(Z))
            return self._shaped(without_overflow("X", found))
        mean, linear, variance = self._split(self._both().mean_and_variance(Z))
        target, std = self._moments(mean, variance + self._noise.at(mean, Z), self._noise.tails)
        target = self._mixed(target, linear)
        return (self._shaped(target), self._shaped(std)) if return_std else self._shaped(target)

    @rowwise
    @like_its_inputs
    def predict_latent(
        self, X: Any, return_std: bool | None = None
    ) -> Floats | tuple[Floats, Floats]:
        """Predict the function without noise, in units of the target.

        If the target is warped (``transform_y``), it is the back-transformed function.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        return_std : bool
            Also return the standard deviation. Without it the variance is returned, with a
            warning; from the next release on the default is False.

        Returns
        -------
        mean : ndarray (n_samples,) or (n_samples, n_outputs)
        std : ndarray of the same shape
            If ``return_std``.
        """
        Z = self._transformed(X)
        mean, variance = self._posterior.mean_and_variance(Z)
        latent, std = (self._shaped(a) for a in self._moments(mean, variance, NORMAL))
        return latent_answer(latent, std, return_std)

    def predict_uncertainty(self, X: Any) -> Uncertainty:
        """Return the standard deviation of the target and its two parts.

        ``total`` is that of ``predict``. ``epistemic`` is the uncertainty about the function, which
        more rows nearby would reduce; ``aleatoric`` is the noise. By the law of total variance

            total² = epistemic² + aleatoric²,    epistemic² = Var_f E[y | f],

        and aleatoric² is the mean variance of y given f. Unless the target is warped, ``epistemic``
        is the standard deviation of ``predict_latent``; if it is, the expectations are integrals by
        Gauss-Hermite quadrature, since the noise moves the mean of a warped target. With Student's
        t noise the aleatoric part is what the epistemic one leaves of the total.

        Parameters
        ----------
        X : array-like (n_samples, n_features)

        Returns
        -------
        total, epistemic, aleatoric : ndarray (n_samples,) or (n_samples, n_outputs)
            A named tuple, in units of y.
        """
        return Uncertainty(*self._uncertainty(X))

    @rowwise
    @like_its_inputs
    def _uncertainty(self, X: Any) -> tuple[Floats, Floats, Floats]:
        Z = self._transformed(X)
        mean, variance = self._posterior.mean_and_variance(Z)
        noise, tails = self._noise.at(mean, Z), self._noise.tails
        mean, variance, noise = (to_numpy(each) for each in (mean, variance, noise))
        total = self._moments(mean, variance + noise, tails)[1]  # (n, p)
        if isinstance(self._scaling_y, Scaling):
            epistemic = self._moments(mean, variance, NORMAL)[1]
        else:
            left = np.sqrt(tails.deviation**2 * (variance + noise) - variance)  # (n,), of z
            each = [
                warped_epistemic_std(warp, mean[:, i], np.sqrt(variance), left, tails)
                for i, warp in enumerate(self._scaling_y.warps)
            ]
            epistemic = np.stack(each, axis=1)
        first, second, third = (self._shaped(a) for a in Uncertainty.of_target(total, epistemic))
        return first, second, third

    def predict_distribution(self, X: Any) -> PredictiveDistribution:
        """Return the predictive distribution of the target of each row, noise included.

        It has ``mean``, ``std``, ``quantile``, ``interval``, ``cdf``, ``log_density`` and ``crps``;
        the functions of ``sparsegp.metrics`` take it. All of them then share one prediction. If the
        target is warped, ``predict`` may differ from ``mean``: it is made for squared errors.

        Parameters
        ----------
        X : array-like (n_samples, n_features)

        Returns
        -------
        PredictiveDistribution
            In memory, of NumPy arrays.
        """
        location, scale = (
            to_numpy(a.compute() if hasattr(a, "compute") else a) for a in self._predictive(X)
        )
        scaling = self._scaling_y
        scale = np.broadcast_to(scale, location.shape)
        return PredictiveDistribution(location, scale, scaling, self._noise.tails, self._one_target)

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
        return self._samples(X, self._noise_of_fit(), n_samples, random_state)

    @like_its_inputs
    def sample_f(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Floats:
        """Draw functions without noise from the joint posterior, in units of the target.

        If the target is warped, they are back-transformed functions, as in ``predict_latent``.

        Parameters
        ----------
        X : array-like (n_rows, n_features)
        n_samples : int, default=1
        random_state : int, RandomState instance or None, default=0

        Returns
        -------
        samples : ndarray (n_rows, n_samples) or (n_rows, n_outputs, n_samples)
        """
        return self._samples(X, None, n_samples, random_state)

    @property
    def noise_std_(self) -> Any:
        """Standard deviation of the noise in units of y: a float, or (n_outputs,) for several.

        That of a target whose function value is average: a warp makes the noise depend on it.
        """
        tails, scale = self._noise.tails, np.sqrt(np.array([self.noise_variance_]))  # (1,)
        if isinstance(self._scaling_y, Scaling):
            std = tails.deviation * scale * self._scaling_y.scale  # (p,)
        else:
            zero = np.zeros(1)
            each = [warped_moments(w, zero, scale, tails)[1] for w in self._scaling_y.warps]
            std = np.concatenate(each)
        return float(std[0]) if self._one_target else std

    def _mean_at(self, Z: Floats) -> Floats:
        posterior = getattr(self._posterior, "posterior", self._posterior)  # without neighbours
        return to_numpy(posterior.mean(moved(Z, like=posterior.Z)))

    def _basis_inputs(self) -> Floats:
        return to_numpy(self._posterior.Z)

    def _samples(self, X: Any, noise: Noise | None, n_samples: int, random_state: Any) -> Floats:
        check_integer("n_samples", n_samples, 1)
        rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
        Z = self._transformed(X)
        samples = draw_samples(self._posterior, Z, noise, n_samples, rng)
        xp = namespace(samples)
        targets = self._scaling_y.invert(xp.moveaxis(samples, 1, 2))  # (n, samples, p)
        return targets[:, :, 0] if self._one_target else xp.moveaxis(targets, 1, 2)

    def _noise_of_fit(self) -> Noise:
        check_is_fitted(self)
        return self._noise

    def _transformed(self, X: Any) -> Floats:
        """Return transformed inputs (n, D), on the device of the model."""
        check_is_fitted(self)
        return within_reach(
            "X", self._scaling_X.apply(open_inputs(self, X, like=self._posterior.Z))
        )

    def _both(self) -> Posterior | NeighbourPosterior:
        """Return the posterior, with the linear prediction of a warped target if there is one."""
        if self._target_mean is None or isinstance(self._scaling_y, Scaling):
            return self._posterior
        return self._target_mean.joined(self._posterior, self._scaling_y)

    def _split(self, found: tuple[Floats, Floats]) -> tuple[Floats, Floats | None, Floats]:
        """Return means of z and linear predictions (n, p), and the variance or covariance."""
        mean, variance = found
        if self._target_mean is None:
            return mean, None, variance
        mean, p = to_numpy(mean), mean.shape[1] // 2
        variance = np.array(to_numpy(variance))  # noise is added to it in place
        return mean[:, :p], mean[:, p:], variance

    def _mixed(self, target: Floats, linear: Floats | None) -> Floats:
        """Return the mean of the target from that of its distribution and a linear prediction."""
        if self._target_mean is None or linear is None:
            return target
        return self._target_mean.mixed(target, linear)

    @rowwise
    def _predictive(self, X: Any) -> tuple[Floats, Floats]:
        """Return centre (n, p) and scale (n, 1) of the noisy transformed target."""
        Z = self._transformed(X)
        mean, variance = self._posterior.mean_and_variance(Z)
        return mean, namespace(mean).sqrt(variance + self._noise.at(mean, Z))[:, None]

    def _moments(
        self, mean: Floats, variance: Floats, tails: NoiseDistribution
    ) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the target (n, p) from centre and scale² of z."""
        scaling, deviation = self._scaling_y, namespace(variance).sqrt(variance)  # (n,)
        if isinstance(scaling, Scaling):
            # not the root of a variance in units of y, which may overflow
            scale = beside(scaling.scale, like=mean)
            std = tails.deviation * deviation[:, None] * scale
            return without_overflow("X", scaling.invert(mean)), without_overflow("X", std)
        mean, deviation = to_numpy(mean), to_numpy(deviation)  # integrals are found on the host
        each = [
            warped_moments(w, mean[:, i], deviation, tails) for i, w in enumerate(scaling.warps)
        ]
        means, deviations = zip(*each, strict=True)
        return np.stack(means, axis=1), np.stack(deviations, axis=1)

    def _joint_moments(self, mean: Floats, covariance: Floats) -> tuple[Floats, Floats]:
        """Return mean (n, p) and covariance of the targets from centre and scale² of z."""
        scaling, tails = self._scaling_y, self._noise.tails
        mean, covariance = to_numpy(mean), to_numpy(covariance)
        if isinstance(scaling, Scaling):
            joint = tails.covariance(covariance)[:, :, None] * scaling.scale**2  # (n, n, p)
            return scaling.invert(mean), joint[:, :, 0] if self._one_target else joint
        each = [
            warped_covariance(w, mean[:, i], covariance, tails) for i, w in enumerate(scaling.warps)
        ]
        means, joints = zip(*each, strict=True)
        joint = np.stack(joints, axis=2)
        return np.stack(means, axis=1), joint[:, :, 0] if self._one_target else joint

    def _shaped(self, values: Floats) -> Floats:
        """Return values (n, p, …) as the target was given: without the axis of one output."""
        return values[:, 0, ...] if self._one_target else values
