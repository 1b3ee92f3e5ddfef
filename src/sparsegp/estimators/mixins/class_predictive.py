"""Predictions of a fitted classifier, for rows wherever they are."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from sparsegp.arrays import to_numpy
from sparsegp.estimators.mixins.rowwise import like_its_inputs, rowwise
from sparsegp.learning.classes.class_fit import ClassFit
from sparsegp.model.classes import class_probabilities
from sparsegp.model.posterior import means_and_variances
from sparsegp.tables.labels import labels_beside
from sparsegp.tables.map_rows import labels_in_memory
from sparsegp.tables.open import open_inputs
from sparsegp.tables.transforms.columns import Columns
from sparsegp.tables.transforms.scaling import Scaling

__all__ = ["ClassPredictionMixin"]

Floats = npt.NDArray[np.float64]


class ClassPredictionMixin:
    """An estimator with a posterior for each column of labels; abstract."""

    classes_: npt.NDArray[Any]
    _fitted: ClassFit
    _scaling_X: Scaling | Columns  # noqa: N815  (X is the table)

    @rowwise
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable label of each row: (n_samples,)."""
        likeliest = np.argmax(self._probabilities(X), axis=1)  # (n,)
        return labels_beside(self.classes_[likeliest], X)

    @rowwise
    @like_its_inputs
    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class: (n_samples, n_classes)."""
        return self._probabilities(X)

    def _probabilities(self, X: Any) -> Floats:
        mean, variance = self._latent(X)
        return class_probabilities(self._fitted.parameters.probits, mean, variance)

    @rowwise
    @like_its_inputs
    def predict_latent(self, X: Any) -> tuple[Floats, Floats]:
        """Return mean and variance of the latent functions.

        Parameters
        ----------
        X : array-like (n_samples, n_features)

        Returns
        -------
        mean, variance : ndarray (n_samples,) or (n_samples, n_classes)
            One function for two classes, positive where the second is likelier (if the bias is
            zero); one for each of more classes.
        """
        mean, variance = self._latent(X)  # (n, 1 or C)
        return (mean[:, 0], variance[:, 0]) if len(self.classes_) == 2 else (mean, variance)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy: the share of rows whose label is the most probable one.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        y : array-like (n_samples,)
        sample_weight : array-like (n_samples,), default=None

        Returns
        -------
        score : float
        """
        given = (labels_in_memory(each) for each in (y, self.predict(X), sample_weight))
        labels, predicted, weight = given
        return float(accuracy_score(labels, predicted, sample_weight=weight))

    def _latent(self, X: Any) -> tuple[Floats, Floats]:
        check_is_fitted(self)
        X = open_inputs(self, X, like=self._fitted.posteriors[0].Z)
        mean, variance = means_and_variances(self._fitted.posteriors, self._scaling_X.apply(X))
        return to_numpy(mean), to_numpy(variance)
