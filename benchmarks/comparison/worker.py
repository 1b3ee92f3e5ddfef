"""One fit in a process of its own: reads a request, writes measures and seconds.

    python -m benchmarks.comparison.worker REQUEST REPLY

A process of its own tells the peak of the memory and ends when its time is over; when memory runs
out, it fails alone.
"""

import json
import platform
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.comparison.densities import scores
from benchmarks.comparison.fitted import FittedModel, Task
from benchmarks.comparison.methods import METHODS
from benchmarks.comparison.sets import Split, split
from benchmarks.mixed_tables import class_scores
from benchmarks.peers.workers.protocol import bound_memory, peak_bytes, version_of

__all__ = ["fit_one", "main"]

Result = TypeVar("Result")


def fit_one(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a fit, without what the caller knows."""
    method = METHODS[request["method"]]
    given = split(request["set"], request["split"], request["rows"])
    about = {
        "labels": given.labels,
        "n_train": len(given.y),
        "n_test": len(given.y_test),
        "n_columns": given.X.shape[1],
    }
    if given.labels and method.regression_only:
        return about | {"not_for": "labels"}
    seed, threads = request["split"], request["threads"]
    task = Task(given.X, given.y, given.labels, seed, threads, request.get("seconds"))
    before = peak_bytes()
    with warnings.catch_warnings(), threadpool_limits(threads):
        warnings.simplefilter("ignore")
        try:
            found = _measured(lambda: method.fit(task), given)
        except NotImplementedError as error:  # not for such tables
            return about | {"not_for": str(error)}
    memory = {"peak_mb": peak_bytes() / 1e6, "peak_mb_before": before / 1e6}
    return about | found | {k: round(v, 1) for k, v in memory.items()}


def _measured(fit: Callable[[], FittedModel], given: Split) -> dict[str, Any]:
    model, fitting = _timed("fit", fit)
    predicted, predicting = _timed("predict", lambda: model.predict(given.X_test))
    _check_finite(predicted)
    found = dict(model.notes) | fitting | predicting
    if model.make_density is None:
        return found | class_scores(given.y_test, np.arange(predicted.shape[1]), predicted)
    (name, density), making = _timed("density", model.make_density)
    return found | making | {"density": name} | _scored(given, predicted, density)


def _scored(given: Split, predicted: np.ndarray, density: Any) -> dict[str, float]:
    measures = scores(given.y_test, predicted, density(given.X_test, predicted))
    _check_finite(np.array(list(measures.values())))
    return measures


def _timed(name: str, work: Callable[[], Result]) -> tuple[Result, dict[str, float]]:
    """Return a result, and seconds of the clock and of the processor."""
    start, used = time.perf_counter(), time.process_time()
    result = work()
    seconds = {
        f"{name}_seconds": time.perf_counter() - start,
        f"{name}_process_seconds": time.process_time() - used,
    }
    return result, {key: round(value, 3) for key, value in seconds.items()}


def _check_finite(values: np.ndarray) -> None:
    if not np.isfinite(values).all():
        raise ArithmeticError("its predictions or their scores are not finite")


def main() -> None:
    """Answer the request of the command line."""
    request = json.loads(Path(sys.argv[1]).read_text())
    bound_memory(request.get("memory_bytes"))
    try:
        reply = fit_one(request)
    except Exception as error:  # whatever goes wrong is what the record says
        reply = {"failed": f"{type(error).__name__}: {error}"[:300]}
    packages = ("numpy", "pandas", *METHODS[request["method"]].packages)
    known = {name: version_of(name) for name in packages}
    reply["versions"] = {"python": platform.python_version(), **known}
    Path(sys.argv[2]).write_text(json.dumps(reply))


if __name__ == "__main__":
    main()
