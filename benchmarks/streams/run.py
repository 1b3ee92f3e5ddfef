"""One learner on one stream: each row is predicted, then learned (prequential)."""

import time
from typing import Any

import numpy as np

from benchmarks.streams.data import STREAMS, load
from benchmarks.streams.rivals import learner, log_probability

__all__ = ["N_POINTS", "prequential"]

N_POINTS = 50  # of a plot over the stream


def prequential(stream: str, method: str, n_rows: int | None, seed: int) -> dict[str, Any]:
    """Return the scores of a learner, in parts of the stream and over all of it."""
    is_labels = STREAMS[stream].is_labels
    X, y = load(stream, n_rows, seed)
    model: Any = learner(method, np.unique(y) if is_labels else None)
    scores, memory = np.zeros((3, len(X))), []  # error or right, log density, covered
    targets = y.tolist()
    start = time.process_time()  # of one thread: what else the machine does counts little
    for i, (x, target) in enumerate(zip(X, targets, strict=True)):
        prediction = model.predict(x)
        if is_labels:
            scores[:2, i] = prediction[0] == target, log_probability(target, prediction)
        else:
            scores[0, i] = (target - prediction.centre) ** 2
            scores[1:, i] = prediction.log_density(target), prediction.covers(target)
        model.learn(x, target)
        if hasattr(model, "memory") and i % max(1, len(X) // N_POINTS) == 0:
            memory.append(round(model.memory, 1))
    seconds = time.process_time() - start
    return {
        "stream": stream,
        "method": method,
        "seed": seed,
        "n_rows": len(X),
        "rows_per_second": len(X) / seconds,
        "bytes": model.size(),
        "first": _summary(scores[:, 1:], is_labels),
        "tenths": [_summary(part, is_labels) for part in _parts(scores[:, 1:], 10)],
        "points": [_summary(part, is_labels) for part in _parts(scores[:, 1:], N_POINTS)],
        "after_warmup": [
            _summary(part, is_labels) for part in _parts(scores[:, min(500, len(X) // 2) :], 10)
        ],
        "memory": memory,
    }


def _parts(scores: np.ndarray, count: int) -> list[np.ndarray]:
    parts = np.array_split(scores, count, axis=1)
    return [part for part in parts if part.shape[1]]


def _summary(scores: np.ndarray, is_labels: bool) -> dict[str, float]:
    quality, density, covered = (float(np.mean(row)) for row in scores)
    if is_labels:
        return {"accuracy": round(quality, 5), "nlp": round(-density, 5)}
    return {
        "rmse": float(f"{quality**0.5:.6g}"),
        "nlpd": round(-density, 5),
        "coverage": round(covered, 4),
    }
