"""LightGBM, tuned a little: early stopping on a tenth of the training rows, 31 to 127 leaves.

The number of leaves is the best of three on the same tenth, whose residuals give the one variance
of its density. Needs lightgbm (``pip install ".[peers]"``).
"""

from collections.abc import Sequence
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
    """The best booster, and its loss on rows that it was not grown on."""

    booster: Any
    loss: float  # mean squared error, or mean negative log probability of labels
    n_leaves: int

    @property
    def deviation(self) -> float:
        """Standard deviation of its errors on rows that it was not grown on."""
        return float(np.sqrt(self.loss))

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return means (n,), of labels the probabilities of 1."""
        return np.asarray(self.booster.predict(X))


def fit_lightgbm(
    X: np.ndarray,
    y: np.ndarray,
    seed: int,
    *,
    classes: bool = False,
    categories: Sequence[int] = (),
    threads: int = 0,
) -> TunedLightGBM:
    """Grow trees with each number of leaves and keep the best on validation rows.

    With ``classes`` the targets are labels 0 and 1; ``categories`` are columns of codes.
    """
    import lightgbm

    order = np.random.default_rng(seed).permutation(len(y))
    held, rest = np.split(order, [max(int(SHARE_TO_VALIDATE * len(y)), 1)])
    options = {
        "objective": "binary" if classes else "regression",
        "metric": "binary_logloss" if classes else "l2",
        "learning_rate": LEARNING_RATE,
        "num_threads": threads,
        "seed": seed,
        "verbosity": -1,
    }

    def grown(n_leaves: int) -> TunedLightGBM:
        codes = list(categories)
        training = lightgbm.Dataset(X[rest], y[rest], categorical_feature=codes)
        booster = lightgbm.train(
            {**options, "num_leaves": n_leaves},
            training,
            num_boost_round=MOST_TREES,
            valid_sets=[lightgbm.Dataset(X[held], y[held], reference=training)],
            callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)],
        )
        (loss,) = booster.best_score["valid_0"].values()
        return TunedLightGBM(booster, float(loss), n_leaves)

    return min(map(grown, LEAVES), key=lambda model: model.loss)
