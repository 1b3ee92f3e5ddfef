"""scikit-learn's own checks on the on-line estimators."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from sparsegp.estimators.online_classifier import OnlineGPClassifier
from sparsegp.estimators.online_regressor import OnlineGPRegressor


def expected_failures(estimator):
    """Checks that cannot pass, with the reason."""
    if isinstance(estimator, OnlineGPRegressor):
        return {}
    return {
        "check_sample_weight_equivalence_on_dense_data": (
            "filtering labels depends on their order, and the check shuffles rows: s equal labels "
            "at once, which is what a weight means, are not s labels scattered over a stream"
        )
    }


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [
        OnlineGPRegressor(n_warmup=100, random_state=0),
        OnlineGPRegressor(optimizer=None, n_sweeps=2, random_state=0),
        OnlineGPClassifier(n_warmup=100, random_state=0),
        OnlineGPClassifier(optimizer=None, n_sweeps=2, random_state=0),
    ],
    expected_failed_checks=expected_failures,
)
def test_sklearn_check(estimator, check):
    check(estimator)
