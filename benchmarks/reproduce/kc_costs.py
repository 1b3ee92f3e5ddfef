"""What a selection costs beside random rows: KC section 5 and its figure 1, bottom, in one run.

    python -m benchmarks.reproduce.kc_costs [--sets NAME ...] [--partitions N] [--sizes D ...]
                                            [--subset N] [--out FILE]

All training rows select (4,500 of bank8fm, 10,000 of kin40k). CPU seconds until d_max basis vectors
were chosen, and of the final pass over the rows, which is that of RAND. ``--subset`` rows have
fixed the hyperparameters: times hardly depend on them. SB is NLPP of SKS. The last three are this
library's own way: one pool of candidates for the whole selection, and one Gram matrix of it. With
``OMP_NUM_THREADS=1`` the seconds contain no waiting threads.
"""

from collections.abc import Iterator, Sequence

from benchmarks.datasets import partition
from benchmarks.reproduce.experiment import (
    FRESH,
    Fit,
    Method,
    Record,
    fit_fixed,
    fixed_parameters,
    score,
    standardise_target,
)
from benchmarks.reproduce.kc_selections import NESTED, RAND, Selections, dmax, run_selections

__all__ = ["POOLED"]

SIZES = (100, 200, 300, 500)
ROWS_FOR_PARAMETERS = 500
POOL = 2000

NLML = Method(
    "NLML",
    {"selection": "marginal_likelihood", "n_candidates": FRESH, "cache_size": FRESH},
)
POOLED = tuple(
    Method(f"{name}, one pool", {"selection": selection, "n_candidates": 0, "cache_size": POOL})
    for name, selection in (
        ("SB", "log_posterior"),
        ("KC", "matching_pursuit"),
        ("NLML", "marginal_likelihood"),
    )
)


def run(name: str, k: int, sizes: Sequence[int], n_rows: int) -> Iterator[Record]:
    train, test = standardise_target(*partition(name, k))
    parameters = fixed_parameters(train, n_rows, k, bias=True)
    final_pass = {}
    for size in sizes:
        fit = fit_fixed(RAND, train, parameters, size, k)
        final_pass[size] = fit.seconds - fit.selection_seconds[-1]
        yield {"method": RAND.name, **_at(fit, size, final_pass), **score(fit.model, test)}
    for method in (*NESTED, NLML, *POOLED):
        fit = fit_fixed(method, train, parameters, max(sizes), k)
        for size in sizes:
            scores = score(fit.model.prefix(min(size, fit.model.n_basis_)), test)
            yield {"method": method.name, **_at(fit, size, final_pass), **scores}
    for size in sizes:
        fit = fit_fixed(dmax(size), train, parameters, size, k)
        yield {"method": "DMAX", **_at(fit, size, final_pass), **score(fit.model, test)}


def _at(fit: Fit, size: int, final_pass: dict[int, float]) -> Record:
    reached = min(size, fit.model.n_basis_)
    return {
        "d_max": size,
        "selection_seconds": fit.selection_seconds[reached - 1],
        "final_pass_seconds": final_pass[size],
    }


COSTS = Selections("kc_costs", run, ("bank8fm", "kin40k"), SIZES, ROWS_FOR_PARAMETERS, partitions=1)


def main(arguments: Sequence[str] | None = None) -> None:
    run_selections(__doc__, COSTS, arguments)


if __name__ == "__main__":
    main()
