"""``python -m benchmarks.hostile``: draws cases, prints findings and counts."""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.hostile.commands import try_commands
from benchmarks.hostile.files import try_files
from benchmarks.hostile.streams import try_streams
from benchmarks.hostile.tables import try_tables
from benchmarks.hostile.threads import try_threads
from benchmarks.hostile.watched import Trial

__all__ = ["main"]

#: The parts of the trial, in their order, and the options that say how many cases each has.
RUNS = {
    "table": "tables",
    "file": "files",
    "command": "commands",
    "threads": "threads",
    "stream": "streams",
}


def main(arguments: list[str] | None = None) -> int:
    """Run the trial; return 1 if there are findings."""
    parser = argparse.ArgumentParser(prog="benchmarks.hostile", description=__doc__)
    parser.add_argument("--tables", type=int, default=100, help="hostile tables")
    parser.add_argument("--files", type=int, default=1000, help="altered model files")
    parser.add_argument("--commands", type=int, default=50, help="command lines")
    parser.add_argument("--streams", type=int, default=0, help="streams that are killed")
    parser.add_argument("--threads", type=int, default=20, help="models and files in threads")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="the number of one case to repeat")
    parser.add_argument("--record", type=Path, help="a folder to go on from, after an interruption")
    options = parser.parse_args(arguments)
    if options.record is not None:
        options.record.mkdir(parents=True, exist_ok=True)
    trials: list[Trial] = []
    with TemporaryDirectory() as place:
        for part, counts in RUNS.items():
            if n_cases := getattr(options, counts):
                record = None if options.record is None else options.record / f"{part}.json"
                trials.append(Trial(part, n_cases, options.seed, options.only, record))
                _try(trials[-1], Path(place))
    for trial in trials:
        print(trial)
    n_findings = sum(len(trial.findings) for trial in trials)
    print(f"{n_findings} findings")
    return 1 if n_findings else 0


def _try(trial: Trial, folder: Path) -> None:
    """Run the cases of a part."""
    match trial.part:
        case "table":
            try_tables(trial)
        case "file":
            try_files(trial, folder)
        case "command":
            try_commands(trial)
        case "threads":
            try_threads(trial, folder)
        case _:
            try_streams(trial)


if __name__ == "__main__":
    sys.exit(main())
