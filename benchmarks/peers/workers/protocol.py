"""What the process of a peer reads and writes.

    python -m benchmarks.peers.workers.NAME REQUEST REPLY

REQUEST is JSON: the file of the split, settings, seed, threads, and how much memory it may take.
REPLY is JSON: how well the peer predicts the test rows, seconds, peak memory, versions; or why
there is nothing. Imports NumPy alone, since it runs in every environment.
"""

import json
import platform
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["Fitted", "Scores", "Split", "bound_memory", "peak_bytes", "serve", "version_of"]

Array = np.ndarray
Settings = Mapping[str, Any]
NORMAL_95 = 1.959963984540054  # 97.5 % quantile of the normal distribution
SMALLEST_PROBABILITY = 1e-12


@dataclass(frozen=True)
class Split:
    """Training and test rows; labels are ±1."""

    X: Array  # (n, D)
    y: Array  # (n,)
    X_test: Array
    y_test: Array
    classes: bool  # y are labels
    categories: bool  # columns are codes without an order

    @classmethod
    def read(cls, file: str) -> "Split":
        """Return what is in an .npz file."""
        with np.load(file) as stored:
            arrays = {name: stored[name] for name in ("X", "y", "X_test", "y_test")}
            return cls(
                **arrays, classes=bool(stored["classes"]), categories=bool(stored["categories"])
            )

    def standardised(self) -> "Split":
        """Return columns and target of mean 0 and deviation 1; codes become columns of 0 and 1.

        Columns that are constant on the training rows are left out.
        """
        X, X_test = self._one_hot() if self.categories else _scaled(self.X, self.X_test)
        y, y_test = (self.y, self.y_test) if self.classes else _scaled(self.y, self.y_test)
        varies = np.ptp(X, axis=0) > 0.0
        return Split(X[:, varies], y, X_test[:, varies], y_test, self.classes, False)

    def _one_hot(self) -> tuple[Array, Array]:
        codes = np.unique(self.X)
        return one_hot(self.X, codes), one_hot(self.X_test, codes)


def one_hot(X: Array, codes: Array) -> Array:
    """Return a column for each code of each column of X: 1 where it is the one."""
    return (X[:, :, None] == codes).reshape(len(X), -1).astype(np.float64)


def _scaled(train: Array, test: Array) -> tuple[Array, Array]:
    offset, scale = train.mean(axis=0), train.std(axis=0)
    scale = np.where(scale == 0.0, 1.0, scale)
    return (train - offset) / scale, (test - offset) / scale


@dataclass(frozen=True)
class Scores:
    """Log density of each test target and its 95 % interval, where the density is not normal."""

    log_density: Array
    lower: Array
    upper: Array


@dataclass(frozen=True)
class Fitted:
    """A fitted peer: how it predicts, and what is to be recorded of the fit.

    ``predict`` returns mean and standard deviation of noisy targets, or for labels the
    probabilities of +1.
    """

    predict: Callable[[Array], Any]
    notes: Mapping[str, Any] = field(default_factory=dict)
    scores: Callable[[Array, Array], Scores] | None = None


Fit = Callable[[Split, Settings, int], Fitted]


def serve(fit: Fit, packages: Sequence[str], *, as_it_is: bool = False) -> None:
    """Answer the request on the command line; ``as_it_is`` gives the peer the table as it is."""
    request = json.loads(Path(sys.argv[1]).read_text())
    bound_memory(request.get("memory_bytes"))
    try:
        reply = _answer(fit, request, as_it_is=as_it_is)
    except Exception as error:
        reply = {"failed": f"{type(error).__name__}: {error}"[:300]}
    known = {name: version_of(name) for name in ("numpy", *packages)}
    reply["versions"] = {"python": platform.python_version(), **known}
    Path(sys.argv[2]).write_text(json.dumps(reply))


def _answer(fit: Fit, request: Settings, *, as_it_is: bool) -> dict[str, Any]:
    split = Split.read(request["split"])
    given = split if as_it_is else split.standardised()
    before = peak_bytes()
    start = time.perf_counter()
    fitted = fit(given, {**request["settings"], "threads": request["threads"]}, request["seed"])
    middle = time.perf_counter()
    predicted = fitted.predict(given.X_test)
    end = time.perf_counter()
    peak = peak_bytes()
    measures = _label_measures if split.classes else _target_measures
    return {
        **measures(fitted, predicted, given),
        "fit_seconds": middle - start,
        "predict_seconds": end - middle,
        "peak_mb": peak / 1e6,
        "peak_mb_before": before / 1e6,
        "n_training": len(given.y),
        "n_test": len(given.y_test),
        **fitted.notes,
    }


def _target_measures(fitted: Fitted, predicted: Any, split: Split) -> dict[str, float]:
    """Return NMSE in percent; RMSE and NLPD of the standardised target; coverage."""
    mean, std = (np.asarray(part, dtype=np.float64) for part in predicted)
    truth, scale = split.y_test, float(split.y.std())
    if fitted.scores is None:
        density = -0.5 * ((truth - mean) / std) ** 2 - np.log(std) - 0.5 * np.log(2.0 * np.pi)
        found = Scores(density, mean - NORMAL_95 * std, mean + NORMAL_95 * std)
    else:
        found = fitted.scores(split.X_test, truth)
    mse = float(np.mean((truth - mean) ** 2))
    measures = {
        "nmse": 100.0 * mse / float(truth.var()),
        "rmse": mse**0.5 / scale,
        "nlpd": -float(np.mean(found.log_density)) - float(np.log(scale)),
        "coverage": float(np.mean((found.lower <= truth) & (truth <= found.upper))),
    }
    if not all(np.isfinite(value) for value in measures.values()):
        raise ArithmeticError(f"its predictions are not finite: {measures}")
    return measures


def _label_measures(_: Fitted, predicted: Any, split: Split) -> dict[str, float]:
    """Return the error in percent and the mean negative log probability of the labels."""
    p = np.asarray(predicted, dtype=np.float64)
    if not np.isfinite(p).all():
        raise ArithmeticError("its probabilities are not finite")
    positive = split.y_test > 0
    own = np.clip(np.where(positive, p, 1.0 - p), SMALLEST_PROBABILITY, 1.0)
    return {
        "error": 100.0 * float(np.mean((p > 0.5) != positive)),
        "nlp": -float(np.mean(np.log(own))),
    }


def peak_bytes() -> int:
    """Return the largest resident size of this process so far."""
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss would begin with what the parent process held
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS


def bound_memory(most: int | None) -> None:
    """Let a peer that asks for more fail by itself, instead of taking others with it."""
    if most is not None and sys.platform.startswith("linux"):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
