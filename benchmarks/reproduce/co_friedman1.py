"""CO figure 5: Friedman's first function, the test error against the number of basis vectors.

    python -m benchmarks.reproduce.co_friedman1 [--partitions N] [--sizes D ...] [--out FILE]

300 training and 500 test rows, σ_K² = 1 (eq. 4.1), 50 runs. Three curves: ``full`` is the exact
process on the first d rows; ``fixed`` the on-line algorithm with at most d basis vectors on all
rows; ``removed`` the process of all rows from which basis vectors were removed one after the other
until d were left. ``kl`` is ``fixed`` with the other rule of deletion. The paper does not give the
noise or a scaling of the target: here it is standardised, and the noise is that of the function
(variance 1). Mean squared errors are in units of the target.
"""

from collections.abc import Iterator, Sequence
from functools import partial as bound

import numpy as np
from sklearn.datasets import make_friedman1

from benchmarks.reproduce.options import co_regressor_options
from benchmarks.reproduce.records import Job, Record, reproduce, standard_options
from sparsegp import OnlineGPRegressor
from sparsegp.kernels import RBF

SIZES = (25, 50, 75, 100, 125, 150, 200, 250, 300)
N_TRAINING, N_TEST = 300, 500
PARTITIONS = 50


def run(k: int, sizes: Sequence[int]) -> Iterator[Record]:
    X, y = make_friedman1(N_TRAINING + N_TEST, n_features=10, noise=1.0, random_state=k)
    train, test = slice(N_TRAINING), slice(N_TRAINING, None)
    scale, centre = np.std(y[train]), np.mean(y[train])
    target = (y - centre) / scale

    def model(size: int, deletion: str = "mean") -> OnlineGPRegressor:
        said = {
            "kernel": RBF(10.0**0.5),  # d σ_K² = 10
            "noise_variance": 1.0 / scale**2,
            "max_basis": size,
            "deletion": deletion,
            "random_state": k,
        }
        return OnlineGPRegressor(**co_regressor_options(said))

    def mse(fitted: OnlineGPRegressor) -> float:
        return float(np.mean((fitted.predict(X[test]) - target[test]) ** 2)) * scale**2

    shrinking = model(N_TRAINING).partial_fit(X[train], target[train])
    for size in sorted(sizes, reverse=True):
        some = slice(size)
        found = {
            "full": model(size).partial_fit(X[some], target[some]),
            "fixed": model(size).partial_fit(X[train], target[train]),
            "kl": model(size, "kl").partial_fit(X[train], target[train]),
            "removed": shrinking.prune(size),
        }
        for curve, fitted in found.items():
            yield {"size": size, "curve": curve, "mse": mse(fitted), "n_basis": fitted.n_basis_}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = standard_options(__doc__, "co_friedman1", (), PARTITIONS)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    options = parser.parse_args(arguments)
    jobs = (Job({"partition": k}, bound(run, k, options.sizes)) for k in range(options.partitions))
    reproduce(jobs, options.out)


if __name__ == "__main__":
    main()
