"""SKS section 3.3 and remarks of sections 2 and 4: what the paper describes and does not run.

    python -m benchmarks.reproduce.sks_rules [--sets NAME ...] [--partitions N] [--max-basis M]
                                             [--out FILE]

Leave-one-out measures of SoR, DTC and FITC select the basis of their own model; basis vectors among
the test inputs (transduction); pseudo-inputs by NLGPP; hyperparameters by NLGPP. Hyperparameters
are those of the tables unless they are what is learned. The paper has no numbers for any of it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial as bound
from typing import Any

from benchmarks.datasets import PAPER_SETS, DataSet, partition
from benchmarks.reproduce.experiment import (
    ADAPTATIONS,
    EVALUATIONS,
    FRESH,
    Record,
    fit_until_turned,
    fixed_parameters,
    score,
)
from benchmarks.reproduce.options import sks_options
from benchmarks.reproduce.records import Job, reproduce, standard_options
from benchmarks.reproduce.sks_tables import CRITERIA, methods
from sparsegp import SparseGPRegressor
from sparsegp.learning.hyperparameters.parameters import Parameters

SETS = ("friedman3", "boston")
RULES = ("sor", "dtc", "fitc")
MEASURES = ("LOO-CVE", "NLGPP", "GPE")
PARTITIONS = 3
MAX_BASIS = 75
MOST_CANDIDATES = 500  # of the test inputs


def run(name: str, k: int, max_basis: int) -> Iterator[Record]:
    train, test = partition(name, k)
    parameters = fixed_parameters(train, PAPER_SETS[name].n_subset, k, bias=False)
    for method in (m for m in methods(name, "fixed") if m.name in MEASURES):
        for rule in RULES:
            own = replace(method, settings={**method.settings, "approximation": rule})
            model = fit_until_turned(own, train, parameters, max_basis, k).model
            end = model.selection_path_[model.n_basis_ - 1]
            yield {"method": method.name, "approximation": rule, **score(model, test), "end": end}
    yield from _others(train, test, parameters, max_basis, k)


def _others(
    train: DataSet, test: DataSet, start: Parameters, max_basis: int, k: int
) -> Iterator[Record]:
    given: dict[str, Any] = {
        "kernel": start.kernel,
        "noise_variance": start.noise_variance,
        "selection": CRITERIA["NLGPP"],
        "n_candidates": FRESH,
        "cache_size": FRESH,
        "max_basis": max_basis,
        "random_state": k,
    }
    learning = {
        "optimizer": "at_basis",
        "objective": "loo_density",
        "n_adaptations": ADAPTATIONS,
        "n_evaluations": EVALUATIONS,
    }
    cases = {
        "transduction": ({}, test.X[:MOST_CANDIDATES]),
        "pseudo-inputs": ({**learning, "approximation": "fitc", "refine_basis": True}, None),
        "hyperparameters": (learning, None),
    }
    for case, (said, candidates) in cases.items():
        model = SparseGPRegressor(**sks_options(given | said))
        model.fit(train.X, train.y, candidates=candidates)
        yield {"method": case, **score(model, test)}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = standard_options(__doc__, "sks_rules", SETS, PARTITIONS)
    parser.add_argument("--max-basis", type=int, default=MAX_BASIS)
    options = parser.parse_args(arguments)
    jobs = (
        Job({"set": name, "partition": k}, bound(run, name, k, options.max_basis))
        for k in range(options.partitions)
        for name in options.sets
    )
    reproduce(jobs, options.out)


if __name__ == "__main__":
    main()
