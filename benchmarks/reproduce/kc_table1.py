"""KC table 1: three methods with 500 basis vectors on seven sets.

    python -m benchmarks.reproduce.kc_table1 [--sets NAME ...] [--partitions N] [--out FILE]

FIXED-SB has its hyperparameters from an exact Gaussian process on 2,000 training rows;
ADAPT-INFO and ADAPT-DMAX adapt plain ones to the basis. NMSE is in percent, NLPD in the units of y.
"""

from collections.abc import Iterator, Sequence
from functools import partial as bound

from benchmarks.datasets import PAPER_SETS, partition
from benchmarks.reproduce.experiment import (
    FRESH,
    Method,
    Record,
    adapt,
    fit_fixed,
    fixed_parameters,
    plain_parameters,
    score,
)
from benchmarks.reproduce.kc_figure1 import ROWS_FOR_PARAMETERS, dmax
from benchmarks.reproduce.records import Job, reproduce, standard_options

SETS = ("bank8fm", "bank32nh", "cpusmall", "cpuact", "calhouse", "house8l", "house16h")
PARTITIONS = 5

FIXED_SB = Method(
    "FIXED-SB", {"selection": "log_posterior", "n_candidates": FRESH, "cache_size": FRESH}
)


def adapted(max_basis: int) -> tuple[Method, ...]:
    return (
        Method("ADAPT-INFO", {"selection": "information_gain"}),
        Method("ADAPT-DMAX", dmax(max_basis).settings),
    )


def run(name: str, k: int, max_basis: int) -> Iterator[Record]:
    train, test = partition(name, k)
    parameters = fixed_parameters(train, ROWS_FOR_PARAMETERS, k, bias=True)
    fit = fit_fixed(FIXED_SB, train, parameters, max_basis, k)
    yield {"method": FIXED_SB.name, **score(fit.model, test), "seconds": fit.seconds}
    start = plain_parameters(train.X.shape[1], bias=True)
    for method in adapted(max_basis):
        fit = adapt(method, train, max_basis, k, start)
        yield {"method": method.name, **score(fit.model, test), "seconds": fit.seconds}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = standard_options(__doc__, "kc_table1", SETS, PARTITIONS)
    parser.add_argument("--max-basis", type=int, help="instead of the paper's")
    options = parser.parse_args(arguments)
    jobs = (
        Job(
            {"set": name, "partition": k},
            bound(run, name, k, options.max_basis or PAPER_SETS[name].max_basis),
        )
        for name in options.sets
        for k in range(options.partitions)
    )
    reproduce(jobs, options.out)


if __name__ == "__main__":
    main()
