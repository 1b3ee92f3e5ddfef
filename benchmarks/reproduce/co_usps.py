"""CO figures 6 and 7: handwritten digits, the test error against the number of basis vectors.

    python -m benchmarks.reproduce.co_usps [--problems NAME ...] [--sizes D ...]
                                           [--deletions NAME ...] [--rows N] [--largest D]
                                           [--out FILE]

σ_K² = 1 (eq. 4.1, 256 columns as they are). ``four``: the digit 4 against all others (figure 6,
left); ``ten``: all digits (figure 6, right), each for some sizes of the basis, after one sweep and
after a second one that learns rows as if they were new, as in the paper, or recycles them.
``smoothed``: ten digits again, with a kernel that knows that pixels are neighbours: intensities are
smoothed and their square roots taken (width, root and length scale were chosen on 2,000 of the
training rows). ``removed``: ten digits learned with the largest basis, from which vectors are then
removed (figure 7). The paper sets the noise of the probit to zero; here its slope is 10.
"""

import time
from collections.abc import Iterator, Sequence
from functools import partial as bound
from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter

from benchmarks.datasets import DataSet, digits
from benchmarks.reproduce.options import co_classifier_options
from benchmarks.reproduce.records import Job, Record, reproduce, standard_options
from sparsegp import OnlineGPClassifier
from sparsegp.kernels import RBF
from sparsegp.online.deletion import DELETIONS

PROBLEMS = ("four", "ten", "smoothed", "removed")
SIZES = (50, 100, 150, 250, 350, 500)
#: Sweeps, and whether those after the first recycle.
SWEEPS = ((1, False), (2, False), (2, True))
LARGEST = 1500
REMOVED_TO = (1250, 1000, 750, 450)  # and the sizes above
FOUR = 4
SLOPE = 10.0  # of the probit; the paper sets its noise to zero
#: Of the paper, on raw pixels, and for smoothed ones.
LENGTH_SCALES = {"smoothed": 4.0}
PAPERS_LENGTH_SCALE = 256.0**0.5


def data(problem: str, n_rows: int | None) -> tuple[DataSet, DataSet]:
    train, test = digits()
    some = slice(n_rows)
    if problem == "four":
        return DataSet(train.X[some], train.y[some] == FOUR), DataSet(test.X, test.y == FOUR)
    if problem == "smoothed":
        return DataSet(smoothed(train.X[some]), train.y[some]), DataSet(smoothed(test.X), test.y)
    return DataSet(train.X[some], train.y[some]), test


def smoothed(X: np.ndarray, width: float = 1.25) -> np.ndarray:
    """Return square roots of smoothed intensities, for pixels from −1 to 1: (n, 256)."""
    images = (X.reshape(-1, 16, 16) + 1.0) / 2.0
    smooth = gaussian_filter(images, (0.0, width, width), mode="constant")
    return np.sqrt(np.maximum(smooth, 0.0)).reshape(len(X), -1)


def classifier(size: int, length_scale: float, **options: Any) -> OnlineGPClassifier:
    said = {"kernel": RBF(length_scale), "max_basis": size, "slope": SLOPE, "random_state": 0}
    return OnlineGPClassifier(**co_classifier_options(said | options))


def score(model: OnlineGPClassifier, test: DataSet) -> Record:
    p = model.predict_proba(test.X)
    rows, columns = np.arange(len(p)), np.searchsorted(model.classes_, test.y)
    error = 100.0 * np.mean(np.argmax(p, axis=1) != columns)
    return {"error": error, "nlp": -np.mean(np.log(p[rows, columns])), "n_basis": model.n_basis_}


def run(
    problem: str, size: int, sweeps: int, recycle: bool, deletion: str, n_rows: int | None
) -> Iterator[Record]:
    train, test = data(problem, n_rows)
    start = time.process_time()
    length_scale = LENGTH_SCALES.get(problem, PAPERS_LENGTH_SCALE)
    model = classifier(size, length_scale, n_sweeps=sweeps, recycle=recycle, deletion=deletion).fit(
        train.X, train.y
    )
    yield {"seconds": time.process_time() - start, **score(model, test)}


def remove(
    largest: int, sizes: Sequence[int], deletion: str, n_rows: int | None
) -> Iterator[Record]:
    train, test = data("ten", n_rows)
    model = classifier(largest, PAPERS_LENGTH_SCALE, deletion=deletion).fit(train.X, train.y)
    for size in sorted({largest, *sizes}, reverse=True):
        yield {"size": size, **score(model.prune(size), test)}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = standard_options(__doc__, "co_usps", (), 1)
    parser.add_argument("--problems", nargs="+", default=list(PROBLEMS), choices=PROBLEMS)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--deletions", nargs="+", default=list(DELETIONS), choices=DELETIONS)
    parser.add_argument("--rows", type=int, help="training rows (default: all)")
    parser.add_argument("--largest", type=int, default=LARGEST)
    options = parser.parse_args(arguments)
    rows = options.rows
    jobs = [
        Job(
            {
                "problem": problem,
                "size": size,
                "sweeps": sweeps,
                "recycle": recycle,
                "deletion": deletion,
                "rows": rows,
            },
            bound(run, problem, size, sweeps, recycle, deletion, rows),
        )
        for size in sorted(options.sizes)
        for problem in options.problems
        if problem != "removed"
        for sweeps, recycle in SWEEPS
        for deletion in options.deletions
    ]
    if "removed" in options.problems:
        down_to = [*options.sizes, *(size for size in REMOVED_TO if size < options.largest)]
        for deletion in options.deletions:
            key = {"problem": "removed", "largest": options.largest, "deletion": deletion}
            work = bound(remove, options.largest, down_to, deletion, rows)
            jobs.append(Job(key | {"rows": rows}, work))
    reproduce(jobs, options.out)


if __name__ == "__main__":
    main()
