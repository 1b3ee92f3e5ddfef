"""Several threads with one model, or one file: each gets what it would get alone."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.hostile.models import MODELS, fitted, new_rows
from benchmarks.hostile.watched import Trial
from sparsegp import load

__all__ = ["try_threads"]

N_THREADS = 4
TURNS = 6  # of each thread


def try_threads(trial: Trial, folder: Path) -> None:
    """Let threads predict with one model, or save and load one file."""
    names = list(MODELS)
    for number in trial.numbers():
        rng = trial.rng(number)
        name, check = names[number % len(names)], (_predict, _save_and_load)[rng.integers(2)]
        case = f"{name}: {check.__name__.strip('_').replace('_', ' ')}"
        trial.run(number, case, partial(check, name, folder / "shared.safetensors"))


def _predict(name: str, path: Path) -> str:
    """Predict with one freshly loaded model, whose caches are still empty."""
    fitted(name).save(path)
    model, rows = load(path), new_rows(name)
    expected = fitted(name).predict(rows)
    return _all_equal(lambda _: model.predict(rows), expected)


def _save_and_load(name: str, path: Path) -> str:
    """Save and load one file in all threads: it is never half written."""
    model, rows = fitted(name), new_rows(name)
    model.save(path)

    def turn(i: int) -> Any:
        if i % 2:
            model.save(path)
        return load(path).predict(rows)

    outcome = _all_equal(turn, model.predict(rows))
    left = [file.name for file in path.parent.iterdir() if file.name.endswith(".part")]
    if left:
        raise AssertionError(f"partial files are left: {left}")
    return outcome


def _all_equal(turn: Any, expected: Any) -> str:
    with ThreadPoolExecutor(N_THREADS) as pool:
        found = list(pool.map(turn, range(N_THREADS * TURNS)))
    for values in found:
        if values.dtype.kind == "f":
            np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-12)
        else:
            np.testing.assert_array_equal(values, expected)
    return "equal"
