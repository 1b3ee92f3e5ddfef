"""scikit-learn's own checks, every one of them, on every estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from sparsegp import SparseGPRegressor


def expected_failures(estimator):
    """Checks that cannot pass, with the reason."""
    if estimator.optimizer is None:
        return {}
    return {
        "check_sample_weight_equivalence_on_dense_data": (
            "the check wants predictions equal to 1e-7, but an iterative search for the "
            "hyperparameters amplifies the rounding of sums in another order to about 1e-5; it "
            "passes with optimizer=None, below, and tests/laws states what holds"
        )
    }


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [SparseGPRegressor(random_state=0), SparseGPRegressor(optimizer=None, random_state=0)],
    expected_failed_checks=expected_failures,
)
def test_sklearn_check(estimator, check):
    check(estimator)
