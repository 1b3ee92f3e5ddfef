"""SKS figures 2 to 4: measure, NMSE and NLPD against the number of basis vectors.

    python -m benchmarks.reproduce.sks_figures [--sets NAME ...] [--partitions N]
                                               [--max-basis M] [--out FILE]

Fixed hyperparameters, 59 random candidates a step, no cache, and no stop. A selection of the
largest size holds all smaller ones: the records have lists, over ``sizes``, of the measure on the
training rows, of NMSE and NLPD on the test rows, and of CPU seconds until so many were chosen. The
last one answers what the paper says of times.
"""

from collections.abc import Iterator, Sequence
from functools import partial as bound

from benchmarks.datasets import PAPER_SETS, partition
from benchmarks.reproduce.experiment import Record, fit_fixed, fixed_parameters, score
from benchmarks.reproduce.records import Job, reproduce, standard_options
from benchmarks.reproduce.sks_tables import LIMIT_FRIEDMAN, SETS, methods

__all__ = ["FIGURES"]

#: Figure → set → number of runs that the paper averages.
FIGURES = {
    2: {"boston": 20, "abalone": 10, "bank8fm": 5},
    3: {"cpusmall": 5, "cpuact": 5, "bank32nh": 5},
    4: {"friedman2": 20, "friedman3": 20},
}
SIZES = (5, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 250, 300, 400, 500)
PARTITIONS = 1


def largest(name: str) -> int:
    """Return where the curves of a set end."""
    return LIMIT_FRIEDMAN if name.startswith("friedman") else PAPER_SETS[name].max_basis


def run(name: str, k: int, max_basis: int) -> Iterator[Record]:
    train, test = partition(name, k)
    parameters = fixed_parameters(train, PAPER_SETS[name].n_subset, k, bias=False)
    for method in methods(name, "fixed"):
        fit = fit_fixed(method, train, parameters, max_basis, k)
        sizes = [size for size in SIZES if size <= fit.model.n_basis_]
        scores = [score(fit.model.prefix(size), test) for size in sizes]
        yield {
            "method": method.name,
            "sizes": sizes,
            "measure_curve": [fit.model.selection_path_[size - 1] for size in sizes],
            "nmse_curve": [s["nmse"] for s in scores],
            "nlpd_curve": [s["nlpd"] for s in scores],
            "selection_seconds": [fit.selection_seconds[size - 1] for size in sizes],
        }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = standard_options(__doc__, "sks_figures", SETS["fixed"], PARTITIONS)
    parser.add_argument("--max-basis", type=int, help="instead of the paper's")
    options = parser.parse_args(arguments)
    jobs = (
        Job(
            {"set": name, "partition": k},
            bound(run, name, k, options.max_basis or largest(name)),
        )
        for k in range(options.partitions)
        for name in options.sets
    )
    reproduce(jobs, options.out)


if __name__ == "__main__":
    main()
