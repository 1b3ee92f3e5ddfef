"""KC table 1: three methods with 500 basis vectors on seven sets.

    python -m benchmarks.reproduce.kc_table1 [--sets NAME ...] [--partitions N]
                                             [--methods NAME ...] [--out FILE]

FIXED-SB has its hyperparameters from an exact Gaussian process on 2,000 training rows;
ADAPT-INFO and ADAPT-DMAX adapt plain ones to the basis, from two starts, of which the one that ends
with more evidence counts. NMSE is in percent, NLPD in the units of y.
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
from benchmarks.reproduce.kc_figure1 import ROWS_FOR_PARAMETERS
from benchmarks.reproduce.kc_selections import dmax
from benchmarks.reproduce.records import Job, reproduce, standard_options
from sparsegp.learning.hyperparameters.parameters import Parameters

SETS = ("bank8fm", "bank32nh", "cpusmall", "cpuact", "calhouse", "house8l", "house16h")
PARTITIONS = 5
#: Length scales of the two starts, as multiples of ½√D. The adaptation is short, and the optimum it
#: finds depends on where it begins: on calhouse the first leads to more evidence and an NMSE of 20
#: instead of 22, on bank32nh it learns nothing.
STARTS = (0.5, 0.7)
METHODS = ("FIXED-SB", "ADAPT-INFO", "ADAPT-DMAX")


def method_of(name: str, max_basis: int) -> Method:
    """Return a method of the paper by its name."""
    of_each = {
        "FIXED-SB": {"selection": "log_posterior", "n_candidates": FRESH, "cache_size": FRESH},
        "ADAPT-INFO": {"selection": "information_gain"},
        "ADAPT-DMAX": dmax(max_basis).settings,
    }
    return Method(name, of_each[name])


def run(name: str, k: int, max_basis: int, method: str) -> Iterator[Record]:
    train, test = partition(name, k)
    chosen = method_of(method, max_basis)
    if method == "FIXED-SB":
        parameters = fixed_parameters(train, ROWS_FOR_PARAMETERS, k, bias=True)
        fits = [fit_fixed(chosen, train, parameters, max_basis, k)]
    else:
        fits = [adapt(chosen, train, max_basis, k, start) for start in starts(train.X.shape[1])]
    best = max(fits, key=lambda fit: fit.model.log_marginal_likelihood_value_)
    yield {**score(best.model, test), "seconds": sum(fit.seconds for fit in fits)}


def starts(n_features: int) -> list[Parameters]:
    """Return where the adaptations begin."""
    return [plain_parameters(n_features, bias=True, times_longer=longer) for longer in STARTS]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = standard_options(__doc__, "kc_table1", SETS, PARTITIONS)
    parser.add_argument("--max-basis", type=int, help="instead of the paper's")
    parser.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS)
    options = parser.parse_args(arguments)
    jobs = (
        Job(
            {"set": name, "partition": k, "method": method},
            bound(run, name, k, options.max_basis or PAPER_SETS[name].max_basis, method),
        )
        for name in options.sets
        for k in range(options.partitions)
        for method in options.methods
    )
    reproduce(jobs, options.out)


if __name__ == "__main__":
    main()
