"""The errors and warnings that sparsegp raises on its own account."""

__all__ = [
    "CannotSaveError",
    "FitWarning",
    "KernelTranslationError",
    "ModelFileError",
    "NonFiniteMatrixError",
    "NotInFileError",
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


class CannotSaveError(SparseGPError, TypeError):
    """A part of a model has no place in a model file, e.g. a kernel of the user's own."""


class ModelFileError(SparseGPError, ValueError):
    """A file is no model file, is damaged, or was written by a newer library."""


class NotInFileError(SparseGPError):
    """Something was asked of a loaded model that its file does not hold, e.g. training rows."""


class FitWarning(UserWarning):
    """Something about a fit that its user should know, but that did not stop it."""
