"""Our library as a user gets it, apart from the size of the basis and a limit of time."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.peers.workers.protocol import Fitted, Scores, Split, serve
from sparsegp import SparseGPClassifier, SparseGPRegressor
from sparsegp.kernels import Categorical, Constant


def fit(split: Split, settings: Mapping[str, Any], seed: int) -> Fitted:
    """Fit with everything that is not a setting at its default."""
    options = {key: value for key, value in settings.items() if key != "threads"}
    if split.categories:
        kernel = Constant(1.0) * Categorical((20.0,) * split.X.shape[1])
        options |= {"kernel": kernel, "transform_X": "none"}
    make = SparseGPClassifier if split.classes else SparseGPRegressor
    model = make(random_state=seed, **options).fit(split.X, split.y)
    notes = {
        "n_basis": model.n_basis_,
        "history": _plain(model.history_),
        "cut_short": list(model.cut_short_),
    }
    if split.classes:
        return Fitted(lambda X: model.predict_proba(X)[:, 1], notes)

    def scores(X: np.ndarray, y: np.ndarray) -> Scores:
        return Scores(model.log_density(X, y), *model.predict_interval(X, 0.95))

    return Fitted(lambda X: model.predict(X, return_std=True), notes, scores)


def _plain(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the phases and their seconds."""
    return [
        {"phase": entry["phase"], "seconds": round(float(entry.get("seconds", 0.0)), 4)}
        for entry in history
    ]


if __name__ == "__main__":
    serve(fit, ("sparsegp", "scipy", "scikit-learn"), as_it_is=True)
