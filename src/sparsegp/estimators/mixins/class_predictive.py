"""Predictions of a fitted classifier, for rows wherever they are."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from sparsegp.arrays import moved, to_numpy
from sparsegp.estimators.mixins.class_distribution import ClassDistributionMixin
from sparsegp.estimators.mixins.fit_summary import FitSummaryMixin
from sparsegp.estimators.mixins.rowwise import like_its_inputs, rowwise
from sparsegp.learning.classes.class_fit import ClassFit
from sparsegp.likelihoods import Probit
from sparsegp.model.classes import class_probabilities
from sparsegp.model.posterior import draw_samples, means, means_and_variances
from sparsegp.tables.labels import labels_beside
from sparsegp.tables.map_rows import labels_in_memory
from sparsegp.tables.open import open_inputs
from sparsegp.tables.transforms.columns import Columns
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.validation import within_reach

__all__ = ["ClassPredictionMixin"]

Floats = npt.NDArray[np.float64]


class ClassPredictionMixin(ClassDistributionMixin, FitSummaryMixin):
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
        return class_probabilities(self._probits(), *self._latent(X))

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
        Z = self._transformed(X)
        mean, variance = means_and_variances(self._fitted.posteriors, Z)
        return to_numpy(mean), to_numpy(variance)

    def _latent_samples(self, X: Any, n_samples: int, rng: np.random.Generator) -> Floats:
        Z = self._transformed(X)
        each = [draw_samples(p, Z, None, n_samples, rng) for p in self._fitted.posteriors]
        return np.concatenate([to_numpy(samples) for samples in each], axis=1)

    def _transformed(self, X: Any) -> Floats:
        check_is_fitted(self)
        return within_reach(
            "X", self._scaling_X.apply(open_inputs(self, X, like=self._fitted.posteriors[0].Z))
        )

    def _probits(self) -> Sequence[Probit]:
        check_is_fitted(self)
        return self._fitted.parameters.probits

    def _mean_at(self, Z: Floats) -> Floats:
        posteriors = self._fitted.posteriors
        return to_numpy(means(posteriors, moved(Z, like=posteriors[0].Z)))

    def _basis_inputs(self) -> Floats:
        return to_numpy(self._fitted.posteriors[0].Z)
