"""The errors and warnings of sparsegp."""

__all__ = [
    "CannotSaveError",
    "ColumnWarning",
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
    """A part of a scikit-learn kernel expression has no counterpart in sparsegp."""


class CannotSaveError(SparseGPError, TypeError):
    """A part of a model cannot be saved, e.g. a user-defined kernel."""


class ModelFileError(SparseGPError, ValueError):
    """A file is not a model file, is damaged, or was written by a newer version."""


class NotInFileError(SparseGPError):
    """A loaded model lacks what a method needs, e.g. training rows, which files do not hold."""


class FitWarning(UserWarning):
    """A problem that did not stop a fit."""


class ColumnWarning(UserWarning):
    """A column of a table was left out, or has values that it had not in the training rows."""
