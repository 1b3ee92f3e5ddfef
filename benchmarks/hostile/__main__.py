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
    options = parser.parse_args(arguments)
    trials: list[Trial] = []
    with TemporaryDirectory() as place:
        folder = Path(place)
        if options.tables:
            trials.append(try_tables(options.tables, options.seed, options.only))
        if options.files:
            trials.append(try_files(options.files, options.seed, folder, options.only))
        if options.commands:
            trials.append(try_commands(options.commands, options.seed, options.only))
        if options.threads:
            trials.append(try_threads(options.threads, options.seed, folder, options.only))
        if options.streams:
            trials.append(try_streams(options.streams, options.seed, options.only))
    for trial in trials:
        print(trial)
    n_findings = sum(len(trial.findings) for trial in trials)
    print(f"{n_findings} findings")
    return 1 if n_findings else 0


if __name__ == "__main__":
    sys.exit(main())
