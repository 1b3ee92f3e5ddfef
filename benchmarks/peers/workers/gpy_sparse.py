"""GPy's sparse regression: an ARD-RBF, inducing inputs that move, L-BFGS."""

from collections.abc import Mapping
from typing import Any

import GPy
import numpy as np

from benchmarks.peers.workers.protocol import Fitted, Split, serve


def fit(split: Split, settings: Mapping[str, Any], seed: int) -> Fitted:
    """Optimise the variational bound."""
    n_features = split.X.shape[1]
    kernel = GPy.kern.RBF(n_features, lengthscale=[n_features**0.5] * n_features, ARD=True)
    chosen = np.random.default_rng(seed).permutation(len(split.y))[: settings["n_inducing"]]
    model = GPy.models.SparseGPRegression(
        split.X, split.y[:, None], kernel, Z=split.X[chosen].copy()
    )
    model.likelihood.variance = 0.1
    model.optimize("lbfgs", max_iters=settings["iterations"])

    def predict(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        mean, variance = model.predict(X)
        return mean[:, 0], np.sqrt(variance[:, 0])

    return Fitted(predict, {"bound": float(model.log_likelihood().item()) / len(split.y)})


if __name__ == "__main__":
    serve(fit, ("GPy", "paramz", "scipy"))
