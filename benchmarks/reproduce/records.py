"""Results on disk, and the loop that fills them.

An experiment is a list of jobs. A job has a key (a set, a partition, …) and yields records,
flat dicts of numbers and names, one a run. They are written after each job, in one step, so an
interrupted experiment goes on with the first job that is not in the file.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import PAPER_SETS
from benchmarks.machine import commit

__all__ = [
    "RESULTS",
    "Job",
    "missing",
    "one_a_line",
    "read_records",
    "reproduce",
    "standard_options",
    "write_text",
]

RESULTS = Path(__file__).parent / "results"
SIGNIFICANT_DIGITS = 7

Record = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """What is computed together: its key, and the work that yields its records."""

    key: Mapping[str, Any]
    work: Callable[[], Iterator[Record]]


def standard_options(
    doc: str,
    experiment: str,
    sets: Iterable[str],
    partitions: int | None = None,
    known: Iterable[str] = PAPER_SETS,
) -> argparse.ArgumentParser:
    """Return a parser with the options that all experiments have.

    ``sets`` are those of the experiment, ``known`` those that may be asked for.
    """
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", default=list(sets), choices=list(known))
    parser.add_argument(
        "--partitions",
        type=int,
        default=partitions,
        help="how many (default: %(default)s)" if partitions else "instead of 5 or 50 by set",
    )
    parser.add_argument("--out", type=Path, default=RESULTS / f"{experiment}.json")
    return parser


def read_records(folder: Path, experiment: str) -> list[Record]:
    """Return the records of an experiment, of all files that begin with its name.

    Several, since parts may have run side by side with an ``--out`` each.
    """
    files = sorted(folder.glob(f"{experiment}*.json"))
    return [record for file in files for record in json.loads(file.read_text())]


def missing(command: str) -> str:
    """Return what is said of an experiment without records."""
    return f"Not run yet: `python -m benchmarks.reproduce.{command}`."


def write_text(file: Path, text: str) -> None:
    """Write in one step: a reader never sees half a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}.part")
    part.write_text(text)
    part.replace(file)


def reproduce(jobs: Iterable[Job], out: Path) -> list[Record]:
    """Run the jobs that are not in the file yet, print a line a run, return all records.

    A record has the commit of the code that made it.
    """
    records: list[Record] = json.loads(out.read_text()) if out.exists() else []
    made_by = {"commit": commit()}
    for job in jobs:
        if any(all(r.get(key) == v for key, v in job.key.items()) for r in records):
            continue
        for record in job.work():
            records.append(
                {key: _short(v) for key, v in (dict(job.key) | record | made_by).items()}
            )
            print(_line(records[-1]), flush=True)
        write_text(out, one_a_line(records))
    return records


def _short(value: Any) -> Any:
    """Return plain numbers, rounded."""
    if isinstance(value, list | tuple | np.ndarray):
        return [_short(v) for v in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.{SIGNIFICANT_DIGITS}g}")
    return int(value) if isinstance(value, np.integer) else value


def one_a_line(records: list[Record]) -> str:
    """Return the text of a file of records."""
    return "[\n" + ",\n".join(json.dumps(record) for record in records) + "\n]\n"


def _line(record: Record) -> str:
    shown = (
        f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in record.items()
        if not isinstance(value, list)
    )
    return "  ".join(shown)
