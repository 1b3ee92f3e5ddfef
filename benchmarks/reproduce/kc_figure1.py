"""KC figure 1: five ways to choose a basis of kin40k, hyperparameters fixed.

    python -m benchmarks.reproduce.kc_figure1 [--partitions N] [--sizes D ...] [--out FILE]

10,000 training and 30,000 test rows; hyperparameters from an exact Gaussian process on 2,000.
INFO, KAPPA and SB do not know how far they will go, so one selection of the largest size holds
those of all smaller ones. DMAX caches as many candidates as it will choose, and RAND is hardly
more than the final pass: these two are run for every size.

The target is standardised. Times are CPU seconds: until the last basis vector was chosen, and
of the final pass over the rows, which for the nested ones is that of RAND. With
``OMP_NUM_THREADS=1`` they contain no waiting threads.
"""

from collections.abc import Iterator, Sequence
from functools import partial as bound

from benchmarks.datasets import PAPER_SETS, DataSet, partition
from benchmarks.reproduce.experiment import (
    FRESH,
    Method,
    Record,
    fit_fixed,
    fixed_parameters,
    score,
    standardise_target,
)
from benchmarks.reproduce.records import Job, reproduce, standard_options
from sparsegp.learning.hyperparameters.parameters import Parameters

SIZES = (100, 200, 300, 500, 700, 900, 1200)
ROWS_FOR_PARAMETERS = 2000
PARTITIONS = 5

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


def run(name: str, k: int, sizes: Sequence[int], n_rows: int) -> Iterator[Record]:
    train, test = standardise_target(*partition(name, k))
    parameters = fixed_parameters(train, n_rows, k, bias=True)
    final_pass: dict[int, float] = {}
    for size in sizes:
        record = run_one_size(RAND, train, test, parameters, size, k)
        final_pass[size] = record["final_pass_seconds"]
        yield record
    for method in NESTED:
        fit = fit_fixed(method, train, parameters, max(sizes), k)
        for size in sizes:
            reached = min(size, fit.model.n_basis_)  # fewer if only duplicates are left
            yield {
                "method": method.name,
                "d_max": size,
                **score(fit.model.prefix(reached), test),
                "selection_seconds": fit.selection_seconds[reached - 1],
                "final_pass_seconds": final_pass[size],
            }
    for size in sizes:
        yield run_one_size(dmax(size), train, test, parameters, size, k)


def run_one_size(
    method: Method, train: DataSet, test: DataSet, parameters: Parameters, size: int, k: int
) -> Record:
    fit = fit_fixed(method, train, parameters, size, k)
    selection = fit.selection_seconds[-1]
    return {
        "method": method.name,
        "d_max": size,
        **score(fit.model, test),
        "selection_seconds": selection,
        "final_pass_seconds": fit.seconds - selection,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = standard_options(__doc__, "kc_figure1", ["kin40k"], PARTITIONS)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--subset", type=int, default=ROWS_FOR_PARAMETERS)
    options = parser.parse_args(arguments)
    for name in options.sets:
        if max(options.sizes) > PAPER_SETS[name].n_training:
            parser.error(f"{name} has {PAPER_SETS[name].n_training} training rows only")
    jobs = (
        Job({"set": name, "partition": k}, bound(run, name, k, options.sizes, options.subset))
        for name in options.sets
        for k in range(options.partitions)
    )
    reproduce(jobs, options.out)


if __name__ == "__main__":
    main()
