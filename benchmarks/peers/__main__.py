"""Peers beside us on the same rows, one after another, each run in a process of its own.

    python -m benchmarks.peers [--sets NAME ...] [--peers NAME ...] [--partitions N] [--rows N]
                               [--environments FOLDER] [--threads N] [--limit SECONDS]
                               [--settings JSON] [--again] [--dry-run] [--out FILE]

Makes a virtual environment for each library where there is none yet, runs what is not recorded yet,
what tells most first, and writes the page. Stop it at any time: it goes on with the next run. Runs
that failed are not repeated unless ``--again`` says so, nor those of an older commit. ``--rows``
and ``--settings`` try things out on few rows; give them an ``--out`` of their own.
"""

import argparse
import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks.machine import describe
from benchmarks.peers.environments import Ready, prepare_environment
from benchmarks.peers.page import RECORDS, write_page
from benchmarks.peers.registry import CLASSIFICATION, ENVIRONMENTS, PEERS, REGRESSION, Peer
from benchmarks.peers.runner import ROOT, Conditions, run
from benchmarks.reproduce.records import Job, reproduce, write_text

HOME = ROOT / ".peers"  # environments and splits; ignored by git
SHARE_OF_MEMORY = 0.8


def parser() -> argparse.ArgumentParser:
    names = list(dict.fromkeys(peer.name for peer in PEERS))
    sets = (*REGRESSION, *CLASSIFICATION)
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.peers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--sets", nargs="+", default=list(sets), choices=sets, metavar="NAME")
    made.add_argument("--peers", nargs="+", default=names, choices=names, metavar="NAME")
    made.add_argument("--partitions", type=int, default=1, help="splits a set (default: 1)")
    made.add_argument("--rows", type=int, help="most training rows, and most test rows")
    made.add_argument("--environments", type=Path, default=HOME / "environments")
    made.add_argument("--threads", type=int, default=os.cpu_count(), help="default: all cores")
    made.add_argument("--limit", type=float, default=3600.0, help="seconds a run (default: 3600)")
    made.add_argument(
        "--settings", type=json.loads, default={}, help="JSON, over those written down"
    )
    made.add_argument("--again", action="store_true", help="repeat the runs that are asked for")
    made.add_argument("--dry-run", action="store_true", help="list what would run")
    made.add_argument("--out", type=Path, default=RECORDS, help=f"default: {RECORDS.name}")
    return made


def planned(
    options: argparse.Namespace,
) -> Iterator[tuple[dict[str, Any], Peer, Mapping[str, Any]]]:
    """Yield key, peer and settings of all runs, in their order."""
    for stage in sorted({peer.stage for peer in PEERS}):
        for k in range(options.partitions):
            for name in options.sets:
                for peer in PEERS:
                    if (
                        peer.stage != stage
                        or peer.name not in options.peers
                        or not peer.bears(name)
                    ):
                        continue
                    for settings in peer.runs:
                        used = {**settings, **_known(options.settings, settings)}
                        key = {"set": name, "partition": k, "rows": options.rows}
                        yield {**key, "method": peer.name, "settings": used}, peer, used


def _known(changes: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the changes of settings that there are."""
    return {name: value for name, value in changes.items() if name in settings}


def forget(keys: Sequence[Mapping[str, Any]], out: Path) -> None:
    """Drop the records of runs that are to be repeated."""
    records = json.loads(out.read_text()) if out.exists() else []
    kept = [r for r in records if not any(all(r.get(i) == key[i] for i in key) for key in keys)]
    if len(kept) < len(records):
        write_text(out, "[\n" + ",\n".join(json.dumps(record) for record in kept) + "\n]\n")


def main(arguments: Sequence[str] | None = None) -> None:
    options = parser().parse_args(arguments)
    plan = list(planned(options))
    if options.dry_run:
        for key, _, _ in plan:
            print("  ".join(f"{name} {value}" for name, value in key.items()))
        return
    if options.again:
        forget([key for key, _, _ in plan], options.out)
    total = (describe()["memory_gb"] or 0.0) * 1e9
    memory = int(SHARE_OF_MEMORY * total) or None
    conditions = Conditions(options.threads, options.limit, memory, HOME / "splits")
    ready = cache(partial(prepare_environment, folder=options.environments))
    states: dict[str, Ready] = {}
    for name in dict.fromkeys(peer.environment for _, peer, _ in plan):
        if name is not None:
            states[name] = ready(name)
    _write_states(states, options.out)
    jobs = (
        Job(
            key,
            partial(
                run, peer, settings, key["set"], key["partition"], options.rows, python, conditions
            ),
        )
        for key, peer, settings in plan
        if (python := ready(peer.environment).python) is not None
    )
    # an exception, as Ctrl-C is, so that the run in progress does not go on by itself
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    reproduce(jobs, options.out)
    if options.out == RECORDS:
        print(write_page())


def _write_states(states: Mapping[str, Ready], out: Path) -> None:
    """Record which environments there are, and why others are not; those not asked for stay."""
    file = out.with_name(f"{out.stem}_environments.json")
    known = json.loads(file.read_text()) if file.exists() else {}
    for name, state in states.items():
        wanted = list(ENVIRONMENTS[name].requirements)
        known[name] = {"requirements": wanted, "not_installed": state.reason}
        if state.reason:
            print(f"{name} is skipped: {state.reason}", flush=True)
    write_text(file, json.dumps({**known, "machine": describe()}, indent=1) + "\n")


if __name__ == "__main__":
    main()
