"""The number that an estimator predicts, beside a predictive distribution that is already there."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.model.predictive_distribution import PredictiveDistribution

__all__ = ["point_prediction"]


def point_prediction(
    model: Any, X: Any, predicted: PredictiveDistribution
) -> npt.NDArray[np.float64]:
    """Return ``model.predict(X)``, given ``model.predict_distribution(X)``.

    It is the mean of the distribution, which costs nothing more, unless the mean of a warped target
    is mixed with a linear prediction of it.
    """
    is_mixed = getattr(model, "_target_mean", None) is not None
    return np.asarray(model.predict(X) if is_mixed else predicted.mean)
