"""Streams one step ahead: ours with default options beside river's learners.

    python -m benchmarks.streams [--streams NAME ...] [--methods NAME ...] [--seeds N]
                                 [--rows N] [--again] [--out FILE] [--page]

Each row is predicted, then learned. Every run is a line of ``benchmarks/results/streams.jsonl``;
what is recorded there is not run again without ``--again``. ``--page`` alone writes
``benchmarks/streams.md`` with its plots from the records.
"""

import argparse
import json
import warnings
from pathlib import Path
from typing import Any

from benchmarks.machine import commit
from benchmarks.streams.data import STREAMS
from benchmarks.streams.page import RECORDS, read_records, write_page
from benchmarks.streams.rivals import CLASSIFIERS, REGRESSORS
from benchmarks.streams.run import prequential


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.streams",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = list(dict.fromkeys((*REGRESSORS, *CLASSIFIERS)))
    made.add_argument("--streams", nargs="+", default=list(STREAMS), choices=STREAMS)
    made.add_argument("--methods", nargs="+", default=names, choices=names, metavar="NAME")
    made.add_argument("--seeds", type=int, nargs="+", help="default: all of a stream")
    made.add_argument("--rows", type=int, help="most rows of a stream")
    made.add_argument("--again", action="store_true", help="repeat recorded runs")
    made.add_argument("--out", type=Path, default=RECORDS)
    made.add_argument("--page", action="store_true", help="write the page and run nothing")
    return made


def main() -> None:
    options = parser().parse_args()
    if not options.page:
        for stream in options.streams:
            _run_stream(stream, options)
    if options.out == RECORDS:
        write_page()


def _run_stream(name: str, options: argparse.Namespace) -> None:
    stream = STREAMS[name]
    methods = CLASSIFIERS if stream.is_labels else REGRESSORS
    seeds = range(stream.n_seeds) if options.seeds is None else options.seeds
    for seed in seeds:
        for method in (one for one in methods if one in options.methods):
            if " " in method and not stream.in_time:
                continue  # features of time, where there is none
            n_rows = min(options.rows or stream.n_rows, stream.n_rows)
            if not options.again and _is_recorded(options.out, name, method, seed, n_rows):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                record = prequential(name, method, n_rows, seed)
            _append(options.out, {**record, "commit": commit()})
            whole = ", ".join(f"{key} {value:.4g}" for key, value in record["first"].items())
            speed = f"{record['rows_per_second']:.0f} rows/s"
            print(f"{name} {seed} {method}: {whole}, {speed}", flush=True)


def _is_recorded(path: Path, stream: str, method: str, seed: int, n_rows: int) -> bool:
    wanted = (stream, method, seed)
    return any(
        (r["stream"], r["method"], r["seed"]) == wanted and r["n_rows"] == n_rows
        for r in read_records(path)
    )


def _append(path: Path, record: dict[str, Any]) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
