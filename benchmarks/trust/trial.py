"""More is never worse: fits on ladders of rows, basis vectors and seconds; and what seeds change.

    python -m benchmarks.trust [--ladders rows basis seconds states] [--sets …] [--seeds 0 1 …]
                               [--most-rows 10000] [--budget SECONDS]
    python -m benchmarks.trust.trial_page

A step of a ladder doubles (about) what the model is given, everything else is the same: the split,
which is drawn by the seed, the rows in it, the random state. The steps of ``states`` are random
states, with one split: what is left to chance. Limits are seconds of the process, not
of the clock on the wall: what else the machine does must not decide what is compared. Every fit is
a line of ``benchmarks/results/trust.jsonl``; a fit that has a record is not repeated, so a long
trial may be run in parts. ``--budget`` ends a part after some seconds.
"""

import argparse
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.machine import commit
from benchmarks.trust.cases import (
    LARGE_CLASS_SETS,
    REGRESSION_SETS,
    SMALL_CLASS_SETS,
    Record,
    Records,
    Split,
    nested_split,
)
from benchmarks.trust.small import class_scores
from sparsegp.learning.budget.time_budget import TimeBudget

__all__ = ["CLASSES", "LADDERS", "RESULTS", "fit_one", "main"]

RESULTS = Path(__file__).parents[1] / "results" / "trust.jsonl"
#: What a model is given on each ladder; 0 rows are all of them, 0 elsewhere the default.
LADDERS: dict[str, tuple[int, ...]] = {
    "rows": (100, 300, 1_000, 3_000, 10_000, 0),
    "basis": (50, 100, 200, 400, 800, 1_600, 3_000),
    "seconds": (1, 2, 4, 8, 16, 32, 60),
    "states": (1, 2, 3, 4, 5),
}
#: Training rows of the ladders of basis vectors and seconds, if the set has them.
ROWS_OF_LADDER = {"basis": 3_000, "seconds": 20_000, "states": 10_000}
#: Rows that a set needs for the ladder of random states.
MIN_ROWS_OF_STATES = 5_000
CLASSES = (*SMALL_CLASS_SETS, *LARGE_CLASS_SETS)
SETS = (*REGRESSION_SETS, *CLASSES)


Case = tuple[str, str, int, int]  # set, ladder, step, seed


def regression_scores(given: Split, options: dict[str, object]) -> Record:
    """Fit a regression; scores are in standard deviations of the test target.

    Those of the training target differ from step to step of the ladder of rows: by a third between
    100 and 300 rows with a heavy tail, which is no error of a model.
    """
    from sparsegp import SparseGPRegressor

    X, y, X_test, y_test = given
    unit = float(np.std(y_test)) or 1.0
    start = time.process_time()
    model = SparseGPRegressor(**options).fit(X, y / unit)  # type: ignore[arg-type]
    seconds = time.process_time() - start
    target = y_test / unit
    low, high = model.predict_interval(X_test, level=0.95)
    return {
        "error": float(np.sqrt(np.mean((model.predict(X_test) - target) ** 2))),
        "nlpd": float(-np.mean(model.log_density(X_test, target))),
        "coverage": float(np.mean((low <= target) & (target <= high))),
        "constant": float(np.sqrt(np.mean((target - np.mean(y) / unit) ** 2))),
        "n_basis": int(model.n_basis_),
        "seconds": round(seconds, 2),
    }


def classification_scores(given: Split, options: dict[str, object]) -> Record:
    """Fit a classifier; its constant rival predicts the class frequencies."""
    from sparsegp import SparseGPClassifier

    X, y, X_test, y_test = given
    start = time.process_time()
    model = SparseGPClassifier(**options).fit(X, y)  # type: ignore[arg-type]
    seconds = time.process_time() - start
    scores = class_scores(y_test, model.classes_, model.predict_proba(X_test))
    frequency = np.mean(y_test[:, None] == model.classes_, axis=0)
    return {
        "error": scores["error"],
        "nlpd": scores["nlp"],
        "constant": float(1.0 - np.max(frequency)),
        "n_basis": int(model.n_basis_),
        "seconds": round(seconds, 2),
    }


@contextmanager
def by_process_time() -> Iterator[None]:
    """Let time budgets read the clock of the process."""
    original = TimeBudget.__init__
    with patch.object(
        TimeBudget,
        "__init__",
        lambda self, limit=None, clock=time.process_time: original(self, limit, clock),
    ):
        yield


def fit_one(name: str, ladder: str, step: int, seed: int) -> Record:
    """Fit a step of a ladder and score it on the test rows of the split."""
    n = step if ladder == "rows" else ROWS_OF_LADDER[ladder]
    given = nested_split(name, seed, n or None, 0.9 if name not in SMALL_CLASS_SETS else 0.7)
    options: dict[str, object] = {"random_state": seed}
    if ladder == "states":
        options["random_state"] = step
    if ladder == "basis":
        options["max_basis"] = step
    if ladder == "seconds":
        options["time_limit"] = step
    scores = classification_scores if name in CLASSES else regression_scores
    with warnings.catch_warnings(), by_process_time():
        warnings.simplefilter("ignore")
        return scores(given, options) | {"n": len(given[1]), "n_test": len(given[3])}


def _steps(ladder: str, n_rows: int, most_rows: int) -> list[int]:
    """Return the steps that differ from each other with so few rows."""
    steps = LADDERS[ladder]
    if ladder == "rows":
        fewer = [step for step in steps if 0 < step < min(n_rows, most_rows)]
        return [*fewer, 0] if n_rows <= most_rows else [*fewer, most_rows]
    if ladder == "basis":
        rows = min(n_rows, ROWS_OF_LADDER[ladder])
        return [step for step in steps if step < rows]
    if ladder == "states" and n_rows < MIN_ROWS_OF_STATES:
        return []
    return list(steps)


def trial(
    sets: list[str], ladders: list[str], seeds: list[int], most_rows: int
) -> Iterator[Record]:
    """Yield the fits of a trial, seed by seed, so that any beginning of it is of use."""
    for seed in seeds:
        for ladder in ladders:
            if ladder == "states" and seed != seeds[0]:
                continue
            for name in sets:
                share = 0.9 if name not in SMALL_CLASS_SETS else 0.7
                n_rows = len(nested_split(name, seed, None, share)[1])
                for step in _steps(ladder, n_rows, most_rows):
                    yield name, ladder, step, seed


def main() -> None:
    """Fit what has no record yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ladders", nargs="+", default=list(LADDERS), choices=list(LADDERS))
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--seeds", nargs="+", type=int, default=list(range(5)))
    parser.add_argument("--most-rows", type=int, default=10_000)
    parser.add_argument("--most-steps", type=int, default=10**9, help="the largest step")
    parser.add_argument("--budget", type=float, default=float("inf"), help="seconds of this part")
    parser.add_argument("--results", type=Path, default=RESULTS)
    asked = parser.parse_args()
    records, start = Records(asked.results, ("ladder", "set", "step", "seed")), time.perf_counter()
    made_by: Record = {"commit": commit()}
    for case in trial(asked.sets, asked.ladders, asked.seeds, asked.most_rows):
        name, ladder, step, seed = case
        key: Record = {"ladder": ladder, "set": name, "step": step, "seed": seed}
        if key in records or step > asked.most_steps:
            continue
        if time.perf_counter() - start > asked.budget:
            break
        records.add(key | fit_one(*case) | made_by)
        print(records.all[-1], flush=True)


if __name__ == "__main__":
    main()
