"""Gaussian processes: ours, scikit-learn's exact ones, and the workers of ``benchmarks.peers``."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.comparison.densities import Density, Given, Normal
from benchmarks.comparison.encodings import as_numbers
from benchmarks.comparison.fitted import FittedModel, Task
from benchmarks.comparison.heads import Rows
from benchmarks.peers.workers.protocol import Split

__all__ = ["exact", "ours", "peer"]

#: Rows that an exact process of scikit-learn is fitted to in minutes: numbers, and labels.
MOST_EXACT_ROWS, MOST_EXACT_LABELS = 2_000, 1_000
OWN = "its own, normal"


def ours(**options: Any) -> Callable[[Task], FittedModel]:
    """Return a fit of sparsegp with its defaults, apart from ``options``."""

    def fit(task: Task) -> FittedModel:
        from sparsegp import SparseGPClassifier, SparseGPRegressor

        if task.labels:
            labels = SparseGPClassifier(random_state=task.seed, **options).fit(task.X, task.y)
            return FittedModel(labels.predict_proba, None, _about(labels))
        model = SparseGPRegressor(random_state=task.seed, **options).fit(task.X, task.y)

        def density(X: Rows, _: np.ndarray) -> Density:
            return Given(
                lambda levels: model.predict_quantiles(X, list(levels)),
                lambda y: model.log_density(X, y),
            )

        return FittedModel(model.predict, lambda: ("its own", density), _about(model))

    return fit


def _about(model: Any) -> dict[str, Any]:
    """Return what explains a result later."""
    return {
        "n_basis": int(model.n_basis_),
        "n_neighbors": int(getattr(model, "n_neighbors_", 0) or 0),
        "kernel": repr(model.kernel_)[:200],
        "cut_short": list(model.cut_short_),
    }


def exact(task: Task) -> FittedModel:
    """Fit scikit-learn's regressor or classifier, RBF with ARD; its literal default learns nothing.

    Strings are columns of 0 and 1; columns and target are standardised.
    """
    from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    most = MOST_EXACT_LABELS if task.labels else MOST_EXACT_ROWS
    if len(task.y) > most:
        raise NotImplementedError(f"more than {most:,} rows")
    ready = as_numbers(task.X, scaled=True)
    X = ready(task.X)
    kernel = ConstantKernel(1.0) * RBF(np.full(X.shape[1], X.shape[1] ** 0.5))
    if task.labels:
        labels = GaussianProcessClassifier(kernel, random_state=task.seed).fit(X, task.y)
        return FittedModel(lambda X: labels.predict_proba(ready(X)), None)
    model = GaussianProcessRegressor(
        kernel + WhiteKernel(0.1), normalize_y=True, random_state=task.seed
    )
    model.fit(X, task.y)

    def density(X: Rows, mean: np.ndarray) -> Density:
        return Normal(mean, model.predict(ready(X), return_std=True)[1])

    return FittedModel(lambda X: model.predict(ready(X)), lambda: (OWN, density))


def peer(worker: str, settings: Mapping[str, Any]) -> Callable[[Task], FittedModel]:
    """Return a fit by a module of ``benchmarks.peers.workers``; labels are of two classes there."""

    def fit(task: Task) -> FittedModel:
        if task.labels and task.n_classes > 2:
            raise NotImplementedError("more than two classes")
        fitting = import_module(f"benchmarks.peers.workers.{worker}").fit
        ready = as_numbers(task.X, scaled=True)
        X = ready(task.X)
        y = 2.0 * task.y - 1.0 if task.labels else task.y
        offset, scale = (0.0, 1.0) if task.labels else (float(y.mean()), float(y.std()))
        split = Split(X, (y - offset) / scale, X[:0], y[:0], task.labels, False)
        fitted = fitting(split, {**settings, "threads": task.threads}, task.seed)
        if task.labels:

            def probabilities(X: Rows) -> np.ndarray:
                p = np.asarray(fitted.predict(ready(X)), dtype=np.float64)
                return np.stack([1.0 - p, p], axis=1)

            return FittedModel(probabilities, None, fitted.notes)

        def moments(X: Rows) -> tuple[np.ndarray, np.ndarray]:
            mean, std = (np.asarray(part, dtype=np.float64) for part in fitted.predict(ready(X)))
            return offset + scale * mean, scale * std

        def density(X: Rows, _: np.ndarray) -> Density:
            return Normal(*moments(X))

        return FittedModel(lambda X: moments(X)[0], lambda: (OWN, density), fitted.notes)

    return fit
