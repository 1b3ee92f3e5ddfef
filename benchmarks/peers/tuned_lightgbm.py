"""LightGBM, tuned a little: early stopping on a tenth of the training rows, 31 to 127 leaves.

The number of leaves is the best of three on the same tenth, whose residuals give the one variance
of its density. Needs lightgbm (``pip install ".[peers]"``).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["LEAVES", "TunedLightGBM", "fit_lightgbm"]

LEAVES = (31, 63, 127)
LEARNING_RATE = 0.05
SHARE_TO_VALIDATE = 0.1
MOST_TREES, PATIENCE = 5_000, 50


@dataclass(frozen=True)
class TunedLightGBM:
    """The best booster, and the standard deviation of its errors on rows it was not grown on."""

    booster: Any
    deviation: float
    n_leaves: int

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return means (n,)."""
        return np.asarray(self.booster.predict(X))


def fit_lightgbm(X: np.ndarray, y: np.ndarray, seed: int) -> TunedLightGBM:
    """Grow trees with each number of leaves and keep the best on rows kept back."""
    order = np.random.default_rng(seed).permutation(len(y))
    n_held = max(int(SHARE_TO_VALIDATE * len(y)), 1)
    held, rest = order[:n_held], order[n_held:]
    tried = [_grow(X, y, rest, held, n_leaves, seed) for n_leaves in LEAVES]
    return min(tried, key=lambda model: model.deviation)


def _grow(
    X: np.ndarray, y: np.ndarray, rest: np.ndarray, held: np.ndarray, n_leaves: int, seed: int
) -> TunedLightGBM:
    import lightgbm

    options = {
        "objective": "regression",
        "learning_rate": LEARNING_RATE,
        "num_leaves": n_leaves,
        "seed": seed,
        "verbosity": -1,
    }
    training = lightgbm.Dataset(X[rest], y[rest])
    booster = lightgbm.train(
        options,
        training,
        num_boost_round=MOST_TREES,
        valid_sets=[lightgbm.Dataset(X[held], y[held], reference=training)],
        callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)],
    )
    errors = y[held] - booster.predict(X[held])
    return TunedLightGBM(booster, float(np.sqrt(np.mean(errors**2))), n_leaves)
