"""A regressor of an RBF and standardised columns: for tests that are not about choices."""

from sparsegp import SparseGPRegressor

__all__ = ["PLAIN", "plain_regressor"]

PLAIN = {"kernel": None, "transform_X": "standard", "transform_y": "standard"}


def plain_regressor(kernel=None, **options):
    """Return a regressor to which nothing is left open, unless an option says so."""
    return SparseGPRegressor(**PLAIN | options | {"kernel": kernel})
