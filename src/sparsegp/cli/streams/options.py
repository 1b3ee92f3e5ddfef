"""The options of ``sparsegp stream``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparsegp.cli.errors import BadInputError, check_seed
from sparsegp.cli.output_files import STANDARD_INPUT, check_output_files
from sparsegp.cli.policy import CHECKPOINT_ROWS, CHECKPOINT_SECONDS, INTERVAL_LEVEL
from sparsegp.cli.streams.row_reader import AUTO, FORMATS
from sparsegp.files.atomic import is_replaceable

__all__ = ["StreamOptions", "parse_forget", "parse_lags"]

#: The names of no forgetting and of a rate that is learned.
NONE, AUTO_RATE = "none", "auto"


def parse_forget(text: str | None) -> str | float | None:
    """Return the rate of forgetting that was asked for: 0 for none, None for the default.

    >>> parse_forget("none"), parse_forget("0.01"), parse_forget("auto")
    (0.0, 0.01, 'auto')
    """
    if text is None or text == AUTO_RATE:
        return text
    try:
        rate = 0.0 if text == NONE else float(text)
    except ValueError:
        rate = -1.0
    if not 0.0 <= rate < 1.0:
        raise BadInputError(f"--forget must be auto, none or a rate from 0 to 1, got {text!r}")
    return rate


def parse_lags(text: str | None) -> int | dict[str, int] | None:
    """Return how many earlier values are inputs, of the target or by column.

    >>> parse_lags("2"), parse_lags("target=1, load=3")
    (2, {'target': 1, 'load': 3})
    """
    if text is None:
        return None
    try:
        if "=" not in text:
            counts = {"target": int(text)}
        else:
            pairs = [part.rsplit("=", 1) for part in text.split(",")]
            counts = {name.strip(): int(count) for name, count in pairs}
    except ValueError:
        counts = {"": -1}
    if min(counts.values()) < 0:
        raise BadInputError(
            f"--lags must be a number, or names with numbers like target=1,load=3, got {text!r}"
        )
    return counts if "=" in text else counts["target"]


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
    forget: str | float | None = None
    lags: int | dict[str, int] | None = None
    mean: str | None = None
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
        own = (self.warmup, self.seed, self.lags, self.mean)
        if not self.new and any(value is not None for value in own):
            raise BadInputError("--warmup, --seed, --lags and --mean need --new: MODEL has its own")
        if self.mean not in (None, "auto", "zero", "last"):
            raise BadInputError(f"--mean must be auto, zero or last, got {self.mean!r}")
        if self.mean == "last" and self.classes:
            raise BadInputError("--mean last is for numbers: give --lags 1 for labels")
        if self.form not in FORMATS:
            raise BadInputError(f"--format must be one of {', '.join(FORMATS)}, got {self.form!r}")
        if not 0.0 <= self.level < 1.0:
            raise BadInputError(f"--level must lie between 0 and 1, got {self.level:g}")
        if len(set(self.classes)) == 1:
            raise BadInputError("--classes needs at least two labels, separated by commas")
        check_seed(self.seed)
        if self.checkpoint is not None and not is_replaceable(self.checkpoint):
            raise BadInputError(f"--checkpoint {self.checkpoint} is no file: give one")
        check_output_files(
            {"--checkpoint": self.checkpoint, "--out": self.out},
            {"MODEL": self.model, "standard input": STANDARD_INPUT},
        )

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
            "--lags": self.lags,
            "--mean": self.mean,
            "--level": self.level,
            "--seed": self.seed,
            "--out": self.out is not None,
        }

    def check_same(self, begun_with: dict[str, Any]) -> None:
        """Refuse to resume from a checkpoint of a stream with other options."""
        if begun_with.get("--forget") == 0.0 and self.forget is None:
            begun_with = {**begun_with, "--forget": None}  # the default before it could be learned
        for name, value in self.fixed.items():
            if begun_with.get(name) != value:
                raise BadInputError(
                    f"the checkpoint was started with {name} {begun_with.get(name)!r}, not "
                    f"{value!r}: give the same options, or another --checkpoint to start again"
                )
