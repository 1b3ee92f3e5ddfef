"""The options of ``sparsegp stream``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.policy import CHECKPOINT_ROWS, CHECKPOINT_SECONDS, INTERVAL_LEVEL
from sparsegp.cli.streams.row_reader import AUTO, FORMATS
from sparsegp.cli.tables.write import check_output

__all__ = ["StreamOptions"]


@dataclass(frozen=True)
class StreamOptions:
    """The options of the command line; None means the default of the estimator."""

    model: Path | None = None
    target: str | None = None
    new: bool = False
    checkpoint: Path | None = None
    every: int = CHECKPOINT_ROWS
    seconds: float = CHECKPOINT_SECONDS
    out: Path | None = None
    form: str = AUTO
    continues: bool = False
    classes: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    max_basis: int | None = None
    warmup: int | None = None
    forget: float = 0.0
    level: float = INTERVAL_LEVEL
    seed: int | None = None

    def check(self) -> None:
        """Refuse contradictory options before a row is read."""
        if self.new == (self.model is not None):
            raise BadInputError("give a MODEL to continue with, or --new to start one")
        if self.new and self.target is None:
            raise BadInputError("--new needs --target, the column to predict")
        if not self.new and (self.classes or self.categories or self.drop):
            raise BadInputError("--classes, --category and --drop need --new: MODEL has its own")
        if not self.new and not (self.warmup is self.seed is None):
            raise BadInputError("--warmup and --seed need --new: MODEL has its own")
        if self.form not in FORMATS:
            raise BadInputError(f"--format must be one of {', '.join(FORMATS)}, got {self.form!r}")
        for name, value in (("forget", self.forget), ("level", self.level)):
            if not 0.0 <= value < 1.0:
                raise BadInputError(f"--{name} must lie between 0 and 1, got {value:g}")
        if len(set(self.classes)) == 1:
            raise BadInputError("--classes needs at least two labels, separated by commas")
        for path in (self.checkpoint, self.out):
            if path is not None:
                check_output(path)

    @property
    def fixed(self) -> dict[str, Any]:
        """The options that must be the same when a stream is resumed."""
        return {
            "--target": self.target,
            "--classes": list(self.classes),
            "--category": list(self.categories),
            "--drop": list(self.drop),
            "--max-basis": self.max_basis,
            "--warmup": self.warmup,
            "--forget": self.forget,
            "--level": self.level,
            "--seed": self.seed,
            "--out": self.out is not None,
        }

    def check_same(self, begun_with: dict[str, Any]) -> None:
        """Refuse to resume from a checkpoint of a stream with other options."""
        for name, value in self.fixed.items():
            if begun_with.get(name) != value:
                raise BadInputError(
                    f"the checkpoint was started with {name} {begun_with.get(name)!r}, not "
                    f"{value!r}: give the same options, or another --checkpoint to start again"
                )
