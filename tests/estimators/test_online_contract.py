"""scikit-learn's own checks on the on-line estimators."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from sparsegp.estimators.online_classifier import OnlineGPClassifier
from sparsegp.estimators.online_regressor import OnlineGPRegressor


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [
        OnlineGPRegressor(n_warmup=100, random_state=0),
        OnlineGPRegressor(optimizer=None, n_sweeps=2, random_state=0),
        OnlineGPClassifier(n_warmup=100, random_state=0),
        OnlineGPClassifier(optimizer=None, n_sweeps=2, random_state=0),
    ]
)
def test_sklearn_check(estimator, check):
    check(estimator)
