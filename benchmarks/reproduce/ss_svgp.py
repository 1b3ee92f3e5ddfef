"""GPyTorch's SVGP on the partitions on which our default classifier is judged.

    python -m benchmarks.reproduce.ss_svgp [--sets NAME ...] [--partitions N]
                                           [--environments FOLDER] [--out FILE]

80 inducing points that move, 100 epochs, as in the table of peers, where there are 320. Splice has
a column for each letter at each place. Runs have all cores, as ours have.
"""

import os
from collections.abc import Iterator, Sequence
from functools import partial as bound
from pathlib import Path

from benchmarks.datasets import CLASS_SETS
from benchmarks.peers.__main__ import HOME
from benchmarks.peers.environments import learn_transforms
from benchmarks.peers.registry import PEERS, SVGP
from benchmarks.peers.runner import Conditions, run
from benchmarks.reproduce.experiment import Record
from benchmarks.reproduce.records import Job, reproduce, standard_options
from benchmarks.reproduce.ss_ours import MAX_BASIS, PARTITIONS

SECONDS = 600.0
RECORDED = ("error", "nlp", "fit_seconds", "versions", "failed")


def run_svgp(name: str, k: int, python: Path) -> Iterator[Record]:
    peer = next(p for p in PEERS if p.name == SVGP and p.classification)
    conditions = Conditions(os.cpu_count() or 1, SECONDS, None, HOME / "splits")
    settings = {**peer.runs[0], "n_inducing": MAX_BASIS}
    for record in run(peer, settings, name, k, None, python, conditions):
        yield {key: record[key] for key in RECORDED if key in record}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = standard_options(__doc__, "ss_svgp", CLASS_SETS, PARTITIONS, CLASS_SETS)
    parser.add_argument("--environments", type=Path, default=HOME / "environments")
    options = parser.parse_args(arguments)
    ready = learn_transforms("gpytorch", options.environments)
    if ready.python is None:
        raise SystemExit(f"gpytorch cannot be installed: {ready.reason}")
    jobs = (
        Job({"set": name, "partition": k}, bound(run_svgp, name, k, ready.python))
        for k in range(options.partitions)
        for name in options.sets
    )
    reproduce(jobs, options.out)


if __name__ == "__main__":
    main()
