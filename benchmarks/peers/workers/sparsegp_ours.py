"""sparsegp at its defaults, apart from the size of the basis and the time limit."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.peers.workers.protocol import Fitted, Scores, Split, one_hot, serve
from sparsegp import SparseGPClassifier, SparseGPRegressor
from sparsegp.kernels import RBF, Constant


def fit(split: Split, settings: Mapping[str, Any], seed: int) -> Fitted:
    """Fit with everything that is not a setting at its default."""
    options = {key: value for key, value in settings.items() if key != "threads"}
    codes = np.unique(split.X) if split.categories else None

    def seen(X: np.ndarray) -> np.ndarray:
        return X if codes is None else one_hot(X, codes)

    if codes is not None:  # which letter is where: a column and a length scale for each
        kernel = Constant(1.0) * RBF((6.0,) * (split.X.shape[1] * len(codes)))
        options |= {"kernel": kernel, "transform_X": "none"}
    make = SparseGPClassifier if split.classes else SparseGPRegressor
    model = make(random_state=seed, **options).fit(seen(split.X), split.y)
    notes = {
        "n_basis": model.n_basis_,
        "history": _plain(model.history_),
        "cut_short": list(model.cut_short_),
    }
    if split.classes:
        return Fitted(lambda X: model.predict_proba(seen(X))[:, 1], notes)

    def scores(X: np.ndarray, y: np.ndarray) -> Scores:
        return Scores(model.log_density(seen(X), y), *model.predict_interval(seen(X), 0.95))

    return Fitted(lambda X: model.predict(seen(X), return_std=True), notes, scores)


def _plain(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the phases and their seconds."""
    return [
        {"phase": entry["phase"], "seconds": round(float(entry.get("seconds", 0.0)), 4)}
        for entry in history
    ]


if __name__ == "__main__":
    serve(fit, ("sparsegp", "scipy", "scikit-learn"), as_it_is=True)
