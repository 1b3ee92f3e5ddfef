"""LightGBM, tuned a little: what a user of tables would take instead."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.peers.tuned_lightgbm import fit_lightgbm
from benchmarks.peers.workers.protocol import Fitted, Split, serve


def fit(split: Split, settings: Mapping[str, Any], seed: int) -> Fitted:
    """Grow trees; the density of a target is normal with one variance, that of validation rows."""
    columns = range(split.X.shape[1]) if split.categories else ()
    y = (split.y > 0).astype(np.float64) if split.classes else split.y
    model = fit_lightgbm(
        split.X, y, seed, classes=split.classes, categories=columns, threads=settings["threads"]
    )
    notes = {"n_leaves": model.n_leaves}
    if split.classes:
        return Fitted(model.predict, notes)
    return Fitted(lambda X: (model.predict(X), np.full(len(X), model.deviation)), notes)


if __name__ == "__main__":
    serve(fit, ("lightgbm", "scipy"), as_it_is=True)
