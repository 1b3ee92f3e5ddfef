"""The errors and warnings that sparsegp raises on its own account."""

__all__ = [
    "FitWarning",
    "KernelTranslationError",
    "NonFiniteMatrixError",
    "NotPositiveDefiniteError",
    "OptimisationError",
    "SparseGPError",
]


class SparseGPError(Exception):
    """Base class of the errors below."""


class NotPositiveDefiniteError(SparseGPError):
    """A matrix could not be factorised, even with the largest jitter allowed."""


class NonFiniteMatrixError(SparseGPError):
    """A matrix that should be factorised holds NaN or infinity."""


class OptimisationError(SparseGPError):
    """The hyperparameters could not be optimised: the objective fails at the start."""


class KernelTranslationError(SparseGPError, ValueError):
    """A part of a scikit-learn kernel expression has no counterpart here."""


class FitWarning(UserWarning):
    """Something about a fit that its user should know, but that did not stop it."""
