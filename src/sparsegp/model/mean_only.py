"""A posterior reduced to its mean: m·(D + p) numbers instead of m²."""

from dataclasses import dataclass
from typing import NoReturn

from sparsegp.arrays import Array
from sparsegp.exceptions import NotInFileError
from sparsegp.kernels.base import Kernel
from sparsegp.model.approximation import Approximation
from sparsegp.model.posterior import Posterior, weighted_columns

__all__ = ["MeanOnly"]


@dataclass(frozen=True)
class MeanOnly:
    """Replaces the ``Posterior`` in a model file without variances."""

    kernel: Kernel
    Z: Array  # (m, D)
    alpha: Array  # (m, p), weights of the kernel columns
    rule: Approximation

    @classmethod
    def of(cls, posterior: Posterior) -> "MeanOnly":
        """Drop the variance."""
        basis = posterior.basis
        return cls(basis.kernel, basis.Z, posterior.alpha, posterior.rule)

    def mean(self, X: Array) -> Array:
        """Return E f: (n, p)."""
        return weighted_columns(self.kernel, self.Z, self.alpha, X)

    def mean_and_variance(self, X: Array) -> NoReturn:
        """Raise NotInFileError: there is no variance."""
        raise _without("standard deviations")

    def mean_and_covariance(self, X: Array) -> NoReturn:
        """Raise NotInFileError: there is no covariance."""
        raise _without("covariances and samples")

    def prefix(self, n_basis: int) -> NoReturn:
        """Raise NotInFileError: there are no factors of a prefix."""
        raise _without("shorter models")


def _without(what: str) -> NotInFileError:
    return NotInFileError(
        f"this model was saved with variance=False and has no {what}: save it with variance=True"
    )
