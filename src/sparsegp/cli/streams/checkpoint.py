"""Where a stream stands: a model file that also says how far input and output have come.

The order is what makes it safe. First the output goes to the disk, then the checkpoint that counts
it takes the place of the last one, all at once. Whatever is in the output beyond the count was
written after the checkpoint, and its rows will be predicted again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.tables.columns import Columns
from sparsegp.files import info, load, save

__all__ = ["Checkpoint", "Position", "read_checkpoint", "remove_parts", "write_checkpoint"]


@dataclass(frozen=True)
class Position:
    """How far a stream has come."""

    rows: int = 0  # taken from the input
    digest: str = ""  # of these rows
    offset: int | None = None  # bytes written to the output, if that is a file


@dataclass(frozen=True)
class Checkpoint:
    """All that a stream goes on with."""

    model: Any
    position: Position
    columns: Columns
    counts: Mapping[str, int]
    target: str
    begun_with: Mapping[str, Any]  # options that must stay what they were


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint in place of the last one."""
    position = checkpoint.position
    notes = {
        "table": checkpoint.columns.as_json(),
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
    """Return what was written."""
    model, notes = load(path), info(path)["notes"]
    try:
        kept = notes["stream"]
        position = Position(int(kept["rows"]), str(kept["digest"]), kept["offset"])
        if position.offset is not None and type(position.offset) is not int:
            raise TypeError("an offset counts bytes")
        counts, begun_with = dict(kept["counts"]), dict(kept["begun_with"])
        target = str(notes["target"])
    except (KeyError, TypeError, ValueError) as error:
        raise BadInputError(
            f"{path} is a model, but no checkpoint of a stream: give --checkpoint another name"
        ) from error
    columns = Columns.from_json(notes["table"])
    return Checkpoint(model, position, columns, counts, target, begun_with)


def remove_parts(path: Path) -> None:
    """Remove what a process that was killed while it wrote this checkpoint has left."""
    for part in path.parent.glob(f".{path.name}.*.part"):
        part.unlink(missing_ok=True)
