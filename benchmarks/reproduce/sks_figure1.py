"""SKS figure 1: the five measures on Friedman 3 against the number of basis vectors.

    python -m benchmarks.reproduce.sks_figure1 [--adaptations N] [--max-basis M] [--out FILE]

A line for each adaptation. The first hyperparameters are the start of a search. A basis is
chosen by the measure, up to ``--max-basis`` so that the whole curve is seen; it is cut back to
the measure's minimum (NLPP, which has none: to 75), and the evidence there is optimised for a
few steps, which gives the hyperparameters of the next line.
"""

from collections.abc import Iterator, Sequence
from functools import partial as bound

import numpy as np

from benchmarks.datasets import PAPER_SETS, partition
from benchmarks.reproduce.experiment import (
    EVALUATIONS,
    Record,
    fit_fixed,
    plain_parameters,
    scaled_rows,
)
from benchmarks.reproduce.records import Job, reproduce, standard_options
from benchmarks.reproduce.sks_tables import methods
from sparsegp.learning.hyperparameters.objectives import sparse_objective
from sparsegp.learning.hyperparameters.optimise import maximise
from sparsegp.model.approximation import DTC

ADAPTATIONS = 5
MAX_BASIS = 150


def run(name: str, k: int, n_adaptations: int, max_basis: int) -> Iterator[Record]:
    train, _ = partition(name, k)
    rows = scaled_rows(train)
    for method in methods(name, "fixed"):
        parameters = plain_parameters(train.X.shape[1], bias=False)
        for adaptation in range(n_adaptations + 1):
            model = fit_fixed(method, train, parameters, max_basis, k).model
            curve = model.selection_path_
            size = turning_point(name, method.name, curve)
            yield {
                "method": method.name,
                "adaptation": adaptation,
                "n_basis": size,
                "curve": curve,
            }
            objective = sparse_objective(rows, rows.X[model.basis_indices_[:size]], DTC)
            scale = float(len(rows))
            found = maximise(objective, parameters, max_evaluations=EVALUATIONS, scale=scale)
            parameters = found.parameters


def turning_point(name: str, method: str, curve: np.ndarray) -> int:
    """Return the number of basis vectors at the minimum; NLPP's is fixed."""
    if method == "NLPP":
        return min(PAPER_SETS[name].max_basis, len(curve))
    return int(np.argmin(curve)) + 1


def main(arguments: Sequence[str] | None = None) -> None:
    parser = standard_options(__doc__, "sks_figure1", ["friedman3"], 1)
    parser.add_argument("--adaptations", type=int, default=ADAPTATIONS)
    parser.add_argument("--max-basis", type=int, default=MAX_BASIS)
    options = parser.parse_args(arguments)
    jobs = (
        Job(
            {"set": name, "partition": k},
            bound(run, name, k, options.adaptations, options.max_basis),
        )
        for name in options.sets
        for k in range(options.partitions)
    )
    reproduce(jobs, options.out)


if __name__ == "__main__":
    main()
