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

from benchmarks.datasets import DataSet, partition
from benchmarks.reproduce.experiment import (
    Method,
    Record,
    fit_fixed,
    fixed_parameters,
    score,
    standardise_target,
)
from benchmarks.reproduce.kc_selections import NESTED, RAND, Selections, dmax, run_selections
from sparsegp.learning.hyperparameters.parameters import Parameters

SIZES = (100, 200, 300, 500, 700, 900, 1200)
ROWS_FOR_PARAMETERS = 2000


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


FIGURE_1 = Selections("kc_figure1", run, ("kin40k",), SIZES, ROWS_FOR_PARAMETERS, partitions=5)


def main(arguments: Sequence[str] | None = None) -> None:
    run_selections(__doc__, FIGURE_1, arguments)


if __name__ == "__main__":
    main()
