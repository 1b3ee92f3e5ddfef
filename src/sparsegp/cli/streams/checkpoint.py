"""Checkpoints: a model file that also records the position in input and output.

The order of writes makes it safe. First the output is flushed to the disk, then the checkpoint with
the size of the output atomically replaces the previous one. Output beyond that size was written
after the checkpoint, and its rows will be predicted again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparsegp.cli.errors import BadInputError
from sparsegp.estimators.mixins.encoding import of_inputs
from sparsegp.files import info, load, save
from sparsegp.tables.encoding import TableEncoding

__all__ = ["Checkpoint", "Position", "read_checkpoint", "remove_partial_files", "write_checkpoint"]


@dataclass(frozen=True)
class Position:
    """The position in a stream."""

    rows: int = 0  # read from the input
    digest: str = ""  # of these rows
    offset: int | None = None  # bytes of the output, if it is a file


@dataclass(frozen=True)
class Checkpoint:
    """Everything needed to resume a stream."""

    model: Any
    position: Position
    encoding: TableEncoding
    counts: Mapping[str, int]
    target: str
    begun_with: Mapping[str, Any]  # options that must be the same on resuming


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Replace the checkpoint."""
    position = checkpoint.position
    notes = {
        "table": checkpoint.encoding.as_json(),
        "target": checkpoint.target,
        "stream": {
            "rows": position.rows,
            "digest": position.digest,
            "offset": position.offset,
            "counts": dict(checkpoint.counts),
            "begun_with": dict(checkpoint.begun_with),
        },
    }
    save(checkpoint.model, path, notes=notes)


def read_checkpoint(path: Path) -> Checkpoint:
    """Return the checkpoint in a file."""
    model, notes = load(path), info(path)["notes"]
    try:
        stored = notes["stream"]
        position = Position(int(stored["rows"]), str(stored["digest"]), stored["offset"])
        if position.offset is not None and type(position.offset) is not int:
            raise TypeError("an offset counts bytes")
        counts, begun_with = dict(stored["counts"]), dict(stored["begun_with"])
        target = str(notes["target"])
    except (KeyError, TypeError, ValueError) as error:
        raise BadInputError(
            f"{path} is a model, but not a checkpoint of a stream: give another --checkpoint"
        ) from error
    encoding = TableEncoding.from_json(notes["table"])
    return Checkpoint(of_inputs(model), position, encoding, counts, target, begun_with)


def remove_partial_files(path: Path) -> None:
    """Remove temporary files of a process that was killed while it wrote this checkpoint."""
    for part in path.parent.glob(f".{path.name}.*.part"):
        part.unlink(missing_ok=True)
