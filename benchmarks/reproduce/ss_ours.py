"""Our default classifier on the sets of SS, beside another library's sparse model.

    python -m benchmarks.reproduce.ss_ours [--sets NAME ...] [--partitions N] [--first K]
                                           [--settings JSON] [--usps] [--out FILE]

Only ``max_basis`` is set, to 80. Splice, whose columns are codes of letters, has a column for each
letter at each place, as SVGP has, and a length scale for each of them. ``--first`` begins with
another partition than 0. ``--settings`` changes other options, to explore; these runs are recorded
with them and are not on the page. ``--usps`` runs, instead of the six sets, the ten digits of USPS
with 500 basis vectors, on the one partition it has. Error is in percent, NLP the mean negative log
probability of the labels, ECE the expected calibration error over 15 bins of confidence; seconds
are those of the fit.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial as bound
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.datasets import CLASS_SETS, class_partition, digits
from benchmarks.peers.workers.protocol import one_hot
from benchmarks.reproduce.class_experiment import calibration_error, score_classes
from benchmarks.reproduce.experiment import Record, where
from benchmarks.reproduce.records import RESULTS, Job, read_records, reproduce, standard_options
from benchmarks.reproduce.ss_comparison import beside_svgp
from sparsegp.estimators.classifier import SparseGPClassifier
from sparsegp.kernels import RBF, Constant

__all__ = ["MAX_BASIS", "PARTITIONS", "USPS"]

PARTITIONS = 5
MAX_BASIS = 80
MAX_BASIS_USPS = 500
USPS = "usps"


def own_settings(name: str, n_columns: int) -> dict[str, Any]:
    """Return what is set for a set."""
    if name == USPS:
        return {"max_basis": MAX_BASIS_USPS}
    if name == "splice":  # which letter is where, of four at 60 places
        kernel = Constant(1.0) * RBF((6.0,) * n_columns)
        return {"max_basis": MAX_BASIS, "kernel": kernel, "transform_X": "none"}
    return {"max_basis": MAX_BASIS}


def run(name: str, k: int, settings: Mapping[str, Any]) -> Iterator[Record]:
    train, test = digits() if name == USPS else class_partition(name, k)
    if name == "splice":
        codes = np.unique(train.X)
        train, test = (replace(part, X=one_hot(part.X, codes)) for part in (train, test))
    options = {**own_settings(name, train.X.shape[1]), "random_state": k, **settings}
    start = perf_counter()
    model = SparseGPClassifier(**options).fit(train.X, train.y)
    seconds = perf_counter() - start
    yield {
        **score_classes(model, test),
        "ece": calibration_error(model, test),
        "d_max": options["max_basis"],
        "n_basis": model.n_basis_,
        "seconds": seconds,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = standard_options(__doc__, "ss_ours", CLASS_SETS, PARTITIONS, CLASS_SETS)
    parser.add_argument("--first", type=int, default=0, help="number of the first partition")
    parser.add_argument("--settings", type=json.loads, default={}, help="JSON of other settings")
    parser.add_argument("--usps", action="store_true", help="ten digits instead of the six sets")
    options = parser.parse_args(arguments)
    settings, first = options.settings, options.first
    sets, count = ([USPS], 1) if options.usps else (options.sets, options.partitions)
    jobs = (
        Job({"set": name, "partition": k, "settings": settings}, bound(run, name, k, settings))
        for k in range(first, first + count)
        for name in sets
    )
    records = reproduce(jobs, options.out)
    print(beside_svgp(where(records, settings=settings), read_records(RESULTS, "ss_svgp")))


if __name__ == "__main__":
    main()
