"""scikit-learn's exact Gaussian processes, on as many random rows as they can bear."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from benchmarks.peers.workers.protocol import Fitted, Split, serve


def fit(split: Split, settings: Mapping[str, Any], seed: int) -> Fitted:
    """Fit an ARD-RBF, with white noise for targets, by the evidence of some rows."""
    n_features = split.X.shape[1]
    # its gradient is an array of rows × rows × columns
    bearable = int((settings["most_gb"] * 1e9 / (8 * n_features)) ** 0.5)
    most = min(settings["most_rows"], bearable)
    rows = np.random.default_rng(seed).permutation(len(split.y))[:most]
    # a search over hundreds of length scales does not end
    n_scales = n_features if n_features <= settings["most_scales"] else 1
    kernel = ConstantKernel(1.0) * RBF([n_features**0.5] * n_scales)
    notes = {"n_fitted": len(rows), "n_length_scales": n_scales}
    if split.classes:
        labels = GaussianProcessClassifier(kernel, random_state=seed)
        labels.fit(split.X[rows], split.y[rows])
        return Fitted(lambda X: labels.predict_proba(X)[:, 1], notes)
    model = GaussianProcessRegressor(kernel + WhiteKernel(0.1), random_state=seed)
    model.fit(split.X[rows], split.y[rows])
    return Fitted(lambda X: model.predict(X, return_std=True), notes)


if __name__ == "__main__":
    serve(fit, ("scikit-learn", "scipy"))
