"""Predictive distributions of a regression on a stream."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from sparsegp.estimators.mixins.distribution import DistributionMixin
from sparsegp.estimators.mixins.renamed import latent_answer
from sparsegp.estimators.mixins.rowwise import like_its_inputs, rowwise
from sparsegp.estimators.options.checks import check_integer
from sparsegp.learning.fit_stream import Stream
from sparsegp.likelihoods import Gaussian
from sparsegp.likelihoods.named import NAMES
from sparsegp.model.likelihood_distribution import LikelihoodDistribution
from sparsegp.model.predictive_distribution import PredictiveDistribution
from sparsegp.model.uncertainty import Uncertainty

__all__ = ["OnlinePredictionMixin"]

Floats = npt.NDArray[np.float64]


class OnlinePredictionMixin(DistributionMixin):
    """A regressor that holds a stream and a likelihood; abstract."""

    _stream: Stream
    _one_target: bool
    _decided_with: dict[str, Any]

    if TYPE_CHECKING:

        def _inputs(self, X: Any, *, first: bool, stream: bool = False) -> Floats: ...

    @rowwise
    @like_its_inputs
    def predict_latent(
        self, X: Any, return_std: bool | None = None
    ) -> Floats | tuple[Floats, Floats]:
        """Predict the latent function; in units of the target, if y = f + noise.

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
        mean, variance = self._latent(X)
        scaling = self._stream.scaling_y
        std = self._as_given(np.sqrt(variance) * scaling.scale)
        return latent_answer(self._as_given(scaling.invert(mean)), std, return_std)

    def predict_distribution(self, X: Any) -> PredictiveDistribution | LikelihoodDistribution:
        """Return the predictive distribution of the target of each row, noise included.

        It has ``mean``, ``std``, ``quantile``, ``interval``, ``cdf``, ``log_density`` and ``crps``;
        the functions of ``sparsegp.metrics`` take it. A likelihood object of your own needs
        ``target_cdf(y, mean, variance)`` for all but ``log_density``, ``mean`` and ``std``.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        """
        mean, variance = self._latent(X)  # (n, K)
        scaling, likelihood = self._stream.scaling_y, self._own_likelihood()
        if isinstance(likelihood, Gaussian):
            total, tails = variance + likelihood.noise_variance, self._stream.tails
            total = total * self._stream.variance_factors(total)
            spread = np.sqrt(total) / tails.deviation
            return PredictiveDistribution(mean, spread, scaling, tails, self._one_target)
        return LikelihoodDistribution(mean, variance, likelihood, scaling, self._one_target)

    def predict_uncertainty(self, X: Any) -> Uncertainty:
        """Return the standard deviation of the target and its two parts.

        ``total`` is that of ``predict``. ``epistemic`` is the uncertainty about the function, which
        more rows nearby would reduce; ``aleatoric`` is the noise. By the law of total variance

            total² = epistemic² + aleatoric²,    epistemic² = Var_f E[y | f].

        Parameters
        ----------
        X : array-like (n_samples, n_features)

        Returns
        -------
        total, epistemic, aleatoric : ndarray (n_samples,) or (n_samples, n_outputs)
            A named tuple, in units of y.
        """
        distribution = self.predict_distribution(X)
        if isinstance(distribution, LikelihoodDistribution):
            return distribution.uncertainty
        own, noise = self._latent(X)[1], self._own_likelihood().noise_variance
        scale = np.sqrt(self._stream.variance_factors(own + noise)) * self._stream.scaling_y.scale
        epistemic = self._as_given(np.sqrt(own) * scale)
        return Uncertainty.of_target(distribution.std, epistemic)

    def sample_f(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Floats:
        """Draw latent functions from the joint posterior, as ``predict_latent`` describes them.

        Parameters
        ----------
        X : array-like (n_rows, n_features)
        n_samples : int, default=1
        random_state : int, RandomState instance or None, default=0

        Returns
        -------
        samples : ndarray (n_rows, n_samples) or (n_rows, n_outputs, n_samples)
        """
        f, _ = self._functions(X, n_samples, random_state)
        return self._in_units(f)

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
        f, rng = self._functions(X, n_samples, random_state)
        likelihood = self._own_likelihood()
        if not hasattr(likelihood, "draw"):
            raise TypeError(
                f"the likelihood {likelihood!r} has no draw(f, rng), which samples of targets "
                "need: add it, or use sample_f"
            )
        drawn = likelihood.draw(f, rng)
        if isinstance(likelihood, Gaussian):  # of others errors are left as they are
            mean, variance = (a[:, :, None] for a in self._latent(X))  # (n, K, 1)
            factors = self._stream.variance_factors(variance[:, :, 0] + likelihood.noise_variance)
            tails = self._stream.tails
            precision = tails.precisions((len(f), 1, n_samples), rng)
            scale = np.sqrt(factors[:, :, None] / precision) / tails.deviation
            drawn = mean + scale * (drawn - mean)
        return self._in_units(drawn)

    @property
    def noise_variance_(self) -> float:
        """The noise variance that was learned with the kernel, of the scaled target."""
        return self._stream.decided.noise_variance

    @property
    def variance_scale_(self) -> Floats:
        """Factors on the predictive variances without the last target: (n_outputs,)."""
        return self._stream.variance_scale

    @property
    def noise_(self) -> str:
        """The name of the likelihood, as in ``likelihood``; "custom" for an object."""
        named = self._decided_with["likelihood"]
        return named if isinstance(named, str) and named in NAMES else "custom"

    @property
    def noise_std_(self) -> Any:
        """Standard deviation of the noise in units of y: a float, or (n_outputs,) for several.

        Only for likelihoods with y = f + noise: "gaussian", "laplace", "student_t", "one_sided".
        """
        if self.noise_ in ("poisson", "custom"):
            raise AttributeError(f"likelihood {self.noise_!r} has no noise variance")
        std = np.sqrt(self.noise_variance_) * self._stream.scaling_y.scale  # (K,)
        return float(std[0]) if self._one_target else std

    def _functions(
        self, X: Any, n_samples: int, random_state: Any
    ) -> tuple[Floats, np.random.Generator]:
        """Return samples of the scaled latent functions: (n, K, n_samples)."""
        check_integer("n_samples", n_samples, 1)
        rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
        mean = self._latent(X)[0]  # (n, K)
        deviations = self._stream.latent_deviations(self._inputs(X, first=False), n_samples, rng)
        return mean[:, :, None] + deviations, rng

    def _in_units(self, samples: Floats) -> Floats:
        """Return scaled samples (n, K, s) in units of the target, in the shape that y had."""
        targets = self._stream.scaling_y.invert(np.moveaxis(samples, 1, 2))
        return targets[:, :, 0] if self._one_target else np.moveaxis(targets, 1, 2)

    def _latent(self, X: Any) -> tuple[Floats, Floats]:
        """Return mean and variance of the scaled latent functions: (n, K) each."""
        raise NotImplementedError

    def _own_likelihood(self) -> Any:
        """Return p(y | f) of the scaled target."""
        raise NotImplementedError

    def _as_given(self, values: Floats) -> Floats:
        """Return values (n, K) in the shape that y had."""
        raise NotImplementedError
