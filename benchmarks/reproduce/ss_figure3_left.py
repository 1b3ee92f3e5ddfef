"""SS figure 3, left: random against adaptive sampling of the κ candidates of a step.

    python -m benchmarks.reproduce.ss_figure3_left [--sets NAME ...] [--sizes D ...]
                                                   [--kappas K ...] [--partitions N]
                                                   [--rounds N] [--hyperparameters shared | own]
                                                   [--out FILE]

shared  hyperparameters are learned once for each set, partition and d_max, with adaptive sampling
        and κ = 2; every method then fills one active set at these
own     they are learned for each method and κ anew, as in the paper: about five times the cost
"""

from collections.abc import Iterator, Sequence
from functools import partial as bound

from benchmarks.datasets import CLASS_SETS, class_partition
from benchmarks.reproduce.class_experiment import (
    METHODS,
    ROUNDS,
    adapt_classes,
    learned_parameters,
    score_classes,
    score_inner_loop,
)
from benchmarks.reproduce.experiment import FRESH, Method, Record
from benchmarks.reproduce.records import Job, reproduce, standard_options

SETS = ("waveform", "twonorm")
SIZES = (40, 80)
KAPPAS = (1, 2, 5, 10, 20, FRESH)
SAMPLINGS = ("random", "adaptive")
PARTITIONS = 10


def methods(kappas: Sequence[int]) -> list[Method]:
    cases = [(sampling, kappa) for sampling in SAMPLINGS for kappa in kappas]
    return [
        Method(selection, {"selection": selection, "n_candidates": kappa})
        for selection, kappa in [*cases, ("validation", FRESH)]
    ]


def run_shared(
    name: str, k: int, size: int, kappas: Sequence[int], rounds: int
) -> Iterator[Record]:
    train, test = class_partition(name, k)
    learned = adapt_classes(METHODS["adaptive2"], train, size, rounds, k)
    parameters = learned_parameters(learned.model)
    for method in methods(kappas):
        scores = score_inner_loop(method, train, test, parameters, size, k)
        yield {"method": method.name, "kappa": method.settings["n_candidates"], **scores}


def run_own(name: str, k: int, size: int, kappas: Sequence[int], rounds: int) -> Iterator[Record]:
    train, test = class_partition(name, k)
    for method in methods(kappas):
        fit = adapt_classes(method, train, size, rounds, k)
        yield {
            "method": method.name,
            "kappa": method.settings["n_candidates"],
            **score_classes(fit.model, test),
            "n_basis": fit.model.n_basis_,
            "inner_loop_seconds": fit.inner_loop_seconds,
        }


RUNS = {"shared": run_shared, "own": run_own}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = standard_options(__doc__, "ss_figure3_left", SETS, PARTITIONS, CLASS_SETS)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--kappas", type=int, nargs="+", default=list(KAPPAS))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--hyperparameters", choices=list(RUNS), default="shared")
    options = parser.parse_args(arguments)
    rounds, source = options.rounds, options.hyperparameters
    jobs = (
        Job(
            {"set": name, "d_max": size, "partition": k, "rounds": rounds}
            | {"hyperparameters": source},
            bound(RUNS[source], name, k, size, options.kappas, rounds),
        )
        for k in range(options.partitions)
        for size in options.sizes
        for name in options.sets
    )
    reproduce(jobs, options.out)


if __name__ == "__main__":
    main()
