"""The inputs that basis vectors (inducing inputs) are selected from."""

from dataclasses import dataclass

from sparsegp.arrays import Array
from sparsegp.tables.out_of_core import AnyInputs, AnyRows

__all__ = ["Candidates"]


@dataclass(frozen=True)
class Candidates:
    """Inputs of the training rows, or inputs that the user gave."""

    X: AnyInputs  # (N, D)
    are_rows: bool  # whether candidate i is training row i

    @classmethod
    def of(cls, rows: AnyRows, given: Array | None = None) -> "Candidates":
        """Return the inputs that were given; without any, those of the rows."""
        return cls(rows.X, are_rows=True) if given is None else cls(given, are_rows=False)

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def among(self, rows: AnyRows) -> "Candidates":
        """Return the candidates of a fit that sees some of the rows only."""
        return Candidates.of(rows) if self.are_rows else self
