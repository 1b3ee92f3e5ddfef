"""USPS, ten digits with 500 basis vectors: least squares, the length scale by cross-validation.

    python -m benchmarks.reproduce.usps [--lengths L ...] [--folds K] [--out FILE]

Pixels are smoothed and their square roots taken, as in ``co_usps``. Neighbouring rows of the
training table are alike (500 basis vectors make 1.4 % of errors on a fifth of the rows drawn at
random, 1.7 % on a fifth of consecutive rows), and the test rows are less so: folds are consecutive
rows. The length scale with the lowest log loss over the folds is taken; signal variance and noise
maximise the marginal likelihood. The test rows have no part in a choice. Seconds are CPU
time, of the last fit and of all fits.
"""

from collections.abc import Iterator, Sequence
from functools import partial as bound
from time import process_time

import numpy as np
from sklearn.model_selection import GridSearchCV, KFold

from benchmarks.datasets import DataSet, digits
from benchmarks.reproduce.class_experiment import calibration_error, score_classes
from benchmarks.reproduce.co_usps import smoothed
from benchmarks.reproduce.records import Job, Record, reproduce, standard_options
from sparsegp import SparseGPClassifier
from sparsegp.kernels import RBF, Constant

MAX_BASIS = 500
LENGTHS = (3.5, 5.0, 7.0, 10.0)
FOLDS = 5


def run(lengths: Sequence[float], n_folds: int) -> Iterator[Record]:
    train, test = digits()
    model = SparseGPClassifier(
        max_basis=MAX_BASIS, inference="least_squares", transform_X="none", random_state=0
    )
    kernels = [Constant(1.0) * RBF(length, "fixed") for length in lengths]
    search = GridSearchCV(
        model,
        {"kernel": kernels},
        cv=KFold(n_folds),
        scoring={"nlp": "neg_log_loss", "accuracy": "accuracy"},
        refit=False,
        error_score="raise",
    )
    X, before = smoothed(train.X), process_time()
    found = search.fit(X, train.y).cv_results_
    best, start = int(np.argmax(found["mean_test_nlp"])), process_time()
    model.set_params(kernel=kernels[best]).fit(X, train.y)
    end, unseen = process_time(), DataSet(smoothed(test.X), test.y)
    yield {
        **score_classes(model, unseen),
        "ece": calibration_error(model, unseen),
        "length_scale": lengths[best],
        "n_basis": model.n_basis_,
        "seconds": end - start,
        "seconds_of_all": end - before,
        "nlp_of_folds": list(-found["mean_test_nlp"]),
        "error_of_folds": list(100.0 * (1.0 - found["mean_test_accuracy"])),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = standard_options(__doc__, "usps", (), 1)
    parser.add_argument("--lengths", type=float, nargs="+", default=list(LENGTHS))
    parser.add_argument("--folds", type=int, default=FOLDS)
    options = parser.parse_args(arguments)
    key = {"max_basis": MAX_BASIS, "lengths": options.lengths, "folds": options.folds}
    reproduce([Job(key, bound(run, options.lengths, options.folds))], options.out)


if __name__ == "__main__":
    main()
