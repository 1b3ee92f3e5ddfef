"""LightGBM, tuned for as long as our default fit takes: a random search with early stopping.

The first trial has the library's own settings, so that a search without time has them, too. A tenth
of the rows stops each trial and chooses among them; the quantile fits of the density have the
settings and the number of trees of the best.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.comparison.encodings import as_categories
from benchmarks.comparison.fitted import FittedModel, Task
from benchmarks.comparison.trees import trees
from benchmarks.peers.tuned_lightgbm import MOST_TREES, PATIENCE

__all__ = ["drawn", "tuned_lightgbm"]


def drawn(rng: np.random.Generator) -> dict[str, Any]:
    """Return settings drawn from wide ranges."""
    return {
        "learning_rate": float(np.exp(rng.uniform(np.log(0.01), np.log(0.3)))),
        "num_leaves": int(np.exp(rng.uniform(np.log(7), np.log(256)))),
        "min_child_samples": int(np.exp(rng.uniform(np.log(2), np.log(100)))),
        "colsample_bytree": float(rng.uniform(0.4, 1.0)),
        "subsample": float(rng.uniform(0.5, 1.0)),
        "subsample_freq": 1,
        "reg_lambda": float(np.exp(rng.uniform(np.log(1e-3), np.log(10.0)))),
    }


def tuned_lightgbm(task: Task) -> FittedModel:
    """Search for ``task.seconds``, then fit all rows."""
    import lightgbm as library

    if task.seconds is None:
        raise ValueError("needs the seconds of our default fit: run sparsegp on this split first")
    kind = library.LGBMClassifier if task.labels else library.LGBMRegressor
    shared = {"random_state": task.seed, "n_jobs": task.threads, "verbose": -1}
    ready, (rest, held) = as_categories(task.X), task.validation()
    X, X_held = ready(rest.X), ready(held.X)
    rng, end = np.random.default_rng(task.seed), time.perf_counter() + task.seconds
    best: dict[str, Any] = {}
    lowest, n_trials = np.inf, 0
    while n_trials == 0 or time.perf_counter() < end:
        options = drawn(rng) if n_trials else {}
        model = kind(**{"n_estimators": MOST_TREES, **shared, **options})
        stop = [library.early_stopping(PATIENCE, verbose=False), _stop_at(end)]
        model.fit(X, rest.y, eval_set=[(X_held, held.y)], callbacks=stop)
        (loss,) = model.best_score_["valid_0"].values()
        if loss < lowest:
            best, lowest = options | {"n_estimators": int(model.best_iteration_)}, loss
        n_trials += 1

    def quantile(level: float) -> dict[str, Any]:
        return {"objective": "quantile", "alpha": level}

    def make(**more: Any) -> Any:
        return kind(**shared, **best, **more)

    return trees(task, make, as_categories, quantile, n_trials=n_trials, settings=best)


def _stop_at(end: float) -> Callable[[Any], None]:
    """Return a callback that ends a trial when the time is over, with the trees that it has."""
    from lightgbm.callback import EarlyStopException

    def check(state: Any) -> None:
        if time.perf_counter() > end:
            raise EarlyStopException(state.iteration, state.evaluation_result_list)

    return check
