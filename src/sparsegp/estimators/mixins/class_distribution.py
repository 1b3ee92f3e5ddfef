"""What classifiers tell beyond probabilities: latent functions, uncertainty, samples."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from sparsegp.estimators.mixins.renamed import latent_answer
from sparsegp.estimators.mixins.rowwise import like_its_inputs, rowwise
from sparsegp.estimators.options.checks import check_integer
from sparsegp.likelihoods import Probit
from sparsegp.model.uncertainty import Uncertainty, class_uncertainty

__all__ = ["ClassDistributionMixin"]

Floats = npt.NDArray[np.float64]


class ClassDistributionMixin:
    """A classifier with Gaussian beliefs about latent functions; abstract."""

    classes_: npt.NDArray[Any]

    def _latent(self, X: Any) -> tuple[Floats, Floats]:
        """Return mean and variance of the latent functions: (n, 1 or C) each."""
        raise NotImplementedError

    def _calibrated_latent(self, X: Any) -> tuple[Floats, Floats]:
        """Return mean and variance of the functions that probabilities are made of."""
        return self._latent(X)

    def _latent_samples(self, X: Any, n_samples: int, rng: np.random.Generator) -> Floats:
        """Return joint samples of the latent functions: (n, 1 or C, n_samples)."""
        raise NotImplementedError

    def _probits(self) -> Sequence[Probit]:
        """Return the probit of each latent function."""
        raise NotImplementedError

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class: (n_samples, n_classes)."""
        raise NotImplementedError

    @rowwise
    @like_its_inputs
    def predict_latent(
        self, X: Any, return_std: bool | None = None
    ) -> Floats | tuple[Floats, Floats]:
        """Predict the latent functions, before the probit.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        return_std : bool
            Also return the standard deviation. Without it the variance is returned, with a
            warning; from the next release on the default is False.

        Returns
        -------
        mean : ndarray (n_samples,) or (n_samples, n_classes)
            One function for two classes, positive where the second is likelier (if the bias is
            zero); one for each of more classes.
        std : ndarray of the same shape
            If ``return_std``.
        """
        mean, variance = self._latent(X)  # (n, 1 or C)
        std = np.sqrt(variance)
        two = len(self.classes_) == 2
        return latent_answer(*((mean[:, 0], std[:, 0]) if two else (mean, std)), return_std)

    def predict_uncertainty(self, X: Any) -> Uncertainty:
        """Return the entropy of the predicted label and its two parts, in nats.

        ``total`` is the entropy of ``predict_proba``. ``aleatoric`` is the expected entropy of the
        label given the latent functions: classes that overlap. ``epistemic`` is the rest, the
        mutual information of label and functions, which more rows nearby would reduce (Houlsby et
        al. 2011): total = epistemic + aleatoric.

        Parameters
        ----------
        X : array-like (n_samples, n_features)

        Returns
        -------
        total, epistemic, aleatoric : ndarray (n_samples,)
            A named tuple. The total is at most log(n_classes).
        """
        return Uncertainty(*self._uncertainty(X))

    @rowwise
    @like_its_inputs
    def _uncertainty(self, X: Any) -> tuple[Floats, Floats, Floats]:
        moments = self._calibrated_latent(X)
        total, epistemic, aleatoric = class_uncertainty(self._probits(), *moments)
        return total, epistemic, aleatoric

    @rowwise
    @like_its_inputs
    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithm of the probability of each class: (n_samples, n_classes)."""
        tiny = np.finfo(np.float64).tiny
        return np.log(np.maximum(self.predict_proba(X), tiny))

    def log_density(self, X: Any, y: Any) -> Floats:
        """Return the logarithm of the probability of labels.

        Minus its mean is scikit-learn's ``log_loss``.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        y : array-like (n_samples,)
            Labels among ``classes_``.

        Returns
        -------
        log_probability : ndarray (n_samples,)
        """
        log_proba, labels = self.predict_log_proba(X), np.asarray(y)
        position = {label: i for i, label in enumerate(self.classes_.tolist())}
        unknown = [label for label in labels.tolist() if label not in position]
        if unknown:
            raise ValueError(
                f"y holds the label {unknown[0]!r}, which is not among the classes "
                f"{self.classes_.tolist()}"
            )
        own = np.array([position[label] for label in labels.tolist()], dtype=np.intp)
        return log_proba[np.arange(len(own)), own]

    def sample_f(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Floats:
        """Draw latent functions from their joint posterior.

        Parameters
        ----------
        X : array-like (n_rows, n_features)
        n_samples : int, default=1
        random_state : int, RandomState instance or None, default=0

        Returns
        -------
        samples : ndarray (n_rows, n_samples) or (n_rows, n_classes, n_samples)
            One function for two classes, one for each of more.
        """
        samples = self._latent_samples(X, *_drawing(n_samples, random_state))
        return samples[:, 0] if len(self.classes_) == 2 else samples

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> npt.NDArray[Any]:
        """Draw labels from the joint predictive distribution.

        Parameters
        ----------
        X : array-like (n_rows, n_features)
        n_samples : int, default=1
        random_state : int, RandomState instance or None, default=0

        Returns
        -------
        samples : ndarray (n_rows, n_samples)
        """
        n_samples, rng = _drawing(n_samples, random_state)
        f, probits = self._latent_samples(X, n_samples, rng), self._probits()  # (n, 1 or C, s)
        f += (self._calibrated_latent(X)[0] - self._latent(X)[0])[:, :, None]
        bias = np.array([probit.bias for probit in probits])[:, None]
        noise = np.array([1.0 / probit.slope for probit in probits])[:, None]
        u = f + bias + noise * rng.standard_normal(f.shape)
        largest = (u[:, 0] > 0.0).astype(np.intp) if u.shape[1] == 1 else np.argmax(u, axis=1)
        return self.classes_[largest]


def _drawing(n_samples: int, random_state: Any) -> tuple[int, np.random.Generator]:
    n_samples = check_integer("n_samples", n_samples, 1)
    return n_samples, np.random.default_rng(check_random_state(random_state).randint(2**31))
