"""What KC's experiments at fixed hyperparameters share: five ways to select, and several sizes.

A run takes a set, a partition, the sizes of the basis and the number of rows that fix the
hyperparameters.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial as bound

from benchmarks.datasets import PAPER_SETS
from benchmarks.reproduce.experiment import FRESH, Method, Record
from benchmarks.reproduce.records import Job, reproduce, standard_options

__all__ = ["NESTED", "RAND", "Selections", "dmax", "run_selections"]

RAND = Method("RAND", {"selection": "random"})
#: Methods whose choices do not depend on d_max.
NESTED = (
    Method("INFO", {"selection": "information_gain"}),
    Method(
        "KAPPA",
        {"selection": "matching_pursuit", "n_candidates": FRESH, "cache_size": FRESH},
    ),
    Method("SB", {"selection": "log_posterior", "n_candidates": FRESH, "cache_size": FRESH}),
)


def dmax(size: int) -> Method:
    """Return the method whose cache holds d_max candidates."""
    cache = max(size, FRESH)
    settings = {"selection": "matching_pursuit", "n_candidates": FRESH, "cache_size": cache}
    return Method("DMAX", settings)


@dataclass(frozen=True)
class Selections:
    """An experiment by its name, one run of it, and what is run if nothing else is asked for."""

    name: str
    run: Callable[[str, int, Sequence[int], int], Iterator[Record]]
    sets: tuple[str, ...]
    sizes: tuple[int, ...]
    n_rows: int  # that fix the hyperparameters
    partitions: int


def run_selections(
    doc: str, experiment: Selections, arguments: Sequence[str] | None = None
) -> None:
    """Run an experiment as its command line says."""
    parser = standard_options(doc, experiment.name, experiment.sets, experiment.partitions)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(experiment.sizes))
    parser.add_argument("--subset", type=int, default=experiment.n_rows)
    options = parser.parse_args(arguments)
    for name in options.sets:
        if max(options.sizes) > PAPER_SETS[name].n_training:
            parser.error(f"{name} has {PAPER_SETS[name].n_training} training rows only")
    jobs = (
        Job(
            {"set": name, "partition": k},
            bound(experiment.run, name, k, options.sizes, options.subset),
        )
        for name in options.sets
        for k in range(options.partitions)
    )
    reproduce(jobs, options.out)
