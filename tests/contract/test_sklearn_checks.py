"""scikit-learn's own checks, every one of them, on every estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from sparsegp import SparseGPClassifier, SparseGPRegressor

SAME_WEIGHTS = "check_sample_weight_equivalence_on_dense_data"


def expected_failures(estimator):
    """Checks that cannot pass, with the reason."""
    if getattr(estimator, "posterior", None) == "active":
        return {
            SAME_WEIGHTS: (
                "the model of an active set knows the labels of chosen rows only, and never "
                "chooses two equal rows: a row repeated s times has the site of one label, a row "
                "of weight s that of s labels"
            )
        }
    if estimator.optimizer is None:
        return {}
    return {
        SAME_WEIGHTS: (
            "the check wants predictions equal to 1e-7, but an iterative search for the "
            "hyperparameters amplifies the rounding of sums in another order to about 1e-5, and "
            "to 1e-3 where basis inputs move; it passes with optimizer=None, below, and "
            "tests/laws states what holds"
        )
    }


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [
        SparseGPRegressor(random_state=0),
        SparseGPRegressor(optimizer=None, random_state=0),
        SparseGPClassifier(random_state=0),
        SparseGPClassifier(optimizer=None, random_state=0),
        SparseGPClassifier(optimizer=None, posterior="active", random_state=0),
    ],
    expected_failed_checks=expected_failures,
)
def test_sklearn_check(estimator, check):
    check(estimator)
