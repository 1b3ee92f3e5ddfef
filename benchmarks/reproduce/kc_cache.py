"""KC's extra cache: what it saves to keep the kernel rows of discarded candidates.

    python -m benchmarks.reproduce.kc_cache [--sets NAME ...] [--partitions N] [--sizes D ...]
                                            [--subset N] [--out FILE]

The selections of KC with 59 fresh candidates a step, all training rows selecting (4,500 of bank8fm,
10,000 of kin40k), with room for the kernel rows of all candidates and with room for none, in turn.
The choices are the same; CPU seconds until d_max basis vectors were chosen are compared.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.datasets import partition
from benchmarks.reproduce.experiment import (
    Method,
    Record,
    fit_fixed,
    fixed_parameters,
    standardise_target,
)
from benchmarks.reproduce.kc_selections import NESTED, Selections, dmax, run_selections

SIZES = (100, 300, 500)
ROWS_FOR_PARAMETERS = 500
#: Memory of a fit, of which the cache may take a quarter: room for all rows, and for too few.
MEMORY = {True: "8GB", False: "64MB"}
METHODS = ("KAPPA", "SB", "DMAX")


def _method(name: str, size: int) -> Method:
    return dmax(size) if name == "DMAX" else next(m for m in NESTED if m.name == name)


def run(name: str, k: int, sizes: Sequence[int], n_rows: int) -> Iterator[Record]:
    train, _ = standardise_target(*partition(name, k))
    parameters = fixed_parameters(train, n_rows, k, bias=True)
    most = max(sizes)
    for method in METHODS:
        chosen = _method(method, most)
        fits = {
            cached: fit_fixed(
                replace(chosen, settings={**chosen.settings, "memory_limit": limit}),
                train,
                parameters,
                most,
                k,
            )
            for cached, limit in MEMORY.items()
        }
        first, second = (fit.model.basis_indices_ for fit in fits.values())
        for cached, fit in fits.items():
            reached = [min(size, fit.model.n_basis_) for size in sizes]
            yield {
                "method": method,
                "cached": cached,
                "sizes": list(sizes),
                "selection_seconds": [fit.selection_seconds[size - 1] for size in reached],
                "same_choices": bool(np.array_equal(first, second)),
            }


CACHE = Selections("kc_cache", run, ("bank8fm", "kin40k"), SIZES, ROWS_FOR_PARAMETERS, partitions=1)


def main(arguments: Sequence[str] | None = None) -> None:
    run_selections(__doc__, CACHE, arguments)


if __name__ == "__main__":
    main()
