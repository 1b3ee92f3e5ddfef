"""SS figure 3, right: five ways to choose an active set, four sizes, six sets.

    python -m benchmarks.reproduce.ss_figure3_right [--sets NAME ...] [--sizes D ...]
                                                    [--methods NAME ...] [--partitions N]
                                                    [--rounds N] [--skip-validation-above D]
                                                    [--out FILE]

Error in percent and NLP of the test rows; CPU seconds of the fit and of one inner loop, the choice
of one active set. With ``OMP_NUM_THREADS=1`` they contain no waiting threads. All sets have their
smallest size before any has the next, and each partition before the next: what has run can be
compared. Validation looks at 59 candidates a step and takes most of the time.
"""

from collections.abc import Iterator, Sequence
from functools import partial as bound
from math import inf

from benchmarks.datasets import CLASS_SETS, class_partition
from benchmarks.reproduce.class_experiment import METHODS, ROUNDS, adapt_classes, score_classes
from benchmarks.reproduce.experiment import Method, Record
from benchmarks.reproduce.records import Job, reproduce, standard_options

SIZES = (40, 80, 160, 320)
PARTITIONS = 10


def run(name: str, k: int, method: Method, size: int, rounds: int) -> Iterator[Record]:
    train, test = class_partition(name, k)
    fit = adapt_classes(method, train, size, rounds, k)
    yield {
        **score_classes(fit.model, test),
        "n_basis": fit.model.n_basis_,
        "seconds": fit.seconds,
        "inner_loop_seconds": fit.inner_loop_seconds,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = standard_options(__doc__, "ss_figure3_right", CLASS_SETS, PARTITIONS, CLASS_SETS)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument(
        "--skip-validation-above", type=int, default=inf, metavar="D", help="(default: none)"
    )
    options = parser.parse_args(arguments)
    rounds = options.rounds
    jobs = (
        Job(
            {"set": name, "d_max": size, "partition": k, "method": method, "rounds": rounds},
            bound(run, name, k, METHODS[method], size, rounds),
        )
        for size in sorted(options.sizes)
        for k in range(options.partitions)
        for name in options.sets
        for method in options.methods
        if method != "validation" or size <= options.skip_validation_above
    )
    reproduce(jobs, options.out)


if __name__ == "__main__":
    main()
