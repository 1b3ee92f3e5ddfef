"""Raw tables: a plain model, our defaults that choose kernel and transforms, tuned LightGBM.

    python -m benchmarks.reproduce.tables [--sets NAME ...] [--partitions N] [--methods NAME ...]
                                          [--max-basis M] [--out FILE]

Training and test sizes as in the papers, else 90 % and 10 %. NMSE in percent; NLPD of the target
divided by the standard deviation of the training rows; coverage of 95 % intervals; seconds of the
fit, tuning included. LightGBM needs ``pip install ".[peers]"``; its density is normal with one
variance, that of the errors on validation rows.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial as bound
from time import perf_counter

import numpy as np
from scipy.stats import norm

from benchmarks.datasets import TABLES, DataSet, table_partition
from benchmarks.peers.tuned_lightgbm import fit_lightgbm
from benchmarks.plain import PLAIN
from benchmarks.reproduce.experiment import Record, score
from benchmarks.reproduce.records import Job, reproduce, standard_options
from benchmarks.reproduce.tables_page import AUTO, BARS, LIGHTGBM, PLAINLY, table_of_tables
from sparsegp import SparseGPRegressor
from sparsegp.metrics import nmse

#: What differs from the defaults.
SETTINGS = {
    PLAINLY: PLAIN,
    AUTO: {},
}
MAX_BASIS = 1000


def run_ours(method: str, max_basis: int, train: DataSet, test: DataSet, k: int) -> Record:
    start = perf_counter()
    model = SparseGPRegressor(max_basis=max_basis, random_state=k, **SETTINGS[method])
    model.fit(train.X, train.y)
    seconds = perf_counter() - start
    chosen = [entry["kernel"] for entry in model.history_ if entry["phase"] == "kernel"]
    return {
        **score(model, test),
        "seconds": seconds,
        "kernel": chosen[0] if chosen else "RBF",
        "target": model.transform_y_,
        "n_bent": sum(kind in ("quantile", "log") for kind in model.transform_X_.values()),
        "pit": np.histogram(model.cdf(test.X, test.y), BARS, (0.0, 1.0))[0].tolist(),
    }


def run_lightgbm(train: DataSet, test: DataSet, k: int) -> Record:
    start = perf_counter()
    model = fit_lightgbm(train.X, train.y, seed=k)
    seconds = perf_counter() - start
    errors = test.y - model.predict(test.X)
    return {
        "nmse": 100 * nmse(test.y, test.y - errors),
        "nlpd": float(-np.mean(norm(0.0, model.deviation).logpdf(errors))),
        "coverage": float(np.mean(np.abs(errors) <= norm.ppf(0.975) * model.deviation)),
        "seconds": seconds,
        "n_leaves": model.n_leaves,
    }


def run(name: str, k: int, method: str, max_basis: int) -> Iterator[Record]:
    train, test = table_partition(name, k)
    work: Callable[..., Record] = bound(run_ours, method, max_basis)
    record = (run_lightgbm if method == LIGHTGBM else work)(train, test, k)
    yield {**record, "nlpd": record["nlpd"] - float(np.log(train.y.std()))}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = standard_options(__doc__, "tables", TABLES, partitions=3, known=TABLES)
    methods = (PLAINLY, AUTO, LIGHTGBM)
    parser.add_argument("--methods", nargs="+", default=list(methods), choices=methods)
    parser.add_argument("--max-basis", type=int, default=MAX_BASIS)
    options = parser.parse_args(arguments)
    jobs = (
        Job(
            _key(name, k, method, options.max_basis), bound(run, name, k, method, options.max_basis)
        )
        for k in range(options.partitions)
        for name in options.sets
        for method in options.methods
    )
    print(table_of_tables(reproduce(jobs, options.out), options.max_basis))


def _key(name: str, k: int, method: str, max_basis: int) -> Record:
    """Return what a run is known by; LightGBM has no basis."""
    key = {"set": name, "partition": k, "method": method}
    return key if method == LIGHTGBM else {**key, "max_basis": max_basis}


if __name__ == "__main__":
    main()
