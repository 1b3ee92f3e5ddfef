"""GPflow's SGPR: an ARD-RBF, inducing inputs that begin at random rows, L-BFGS on the bound."""

from collections.abc import Mapping
from typing import Any

import gpflow
import numpy as np
import tensorflow as tf

from benchmarks.peers.workers.protocol import Fitted, Split, serve


def fit(split: Split, settings: Mapping[str, Any], seed: int) -> Fitted:
    """Optimise everything at once in float64, as its own notebook on large data does."""
    tf.config.threading.set_intra_op_parallelism_threads(settings["threads"])
    tf.config.threading.set_inter_op_parallelism_threads(1)
    n_features = split.X.shape[1]
    length_scales = np.full(n_features, n_features**0.5 if settings["start"] == "sqrt_d" else 1.0)
    chosen = np.random.default_rng(seed).permutation(len(split.y))[: settings["n_inducing"]]
    model = gpflow.models.SGPR(
        (split.X, split.y[:, None]),
        kernel=gpflow.kernels.SquaredExponential(lengthscales=length_scales),
        inducing_variable=split.X[chosen].copy(),
        noise_variance=0.1,
    )
    found = gpflow.optimizers.Scipy().minimize(
        model.training_loss_closure(compile=True),
        model.trainable_variables,
        options={"maxiter": settings["iterations"]},
    )
    notes = {"bound": -float(found.fun) / len(split.y), "evaluations": int(found.nfev)}

    def predict(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        parts = [model.predict_y(part) for part in np.array_split(X, -(-len(X) // 4096))]
        mean, variance = (np.concatenate([p[i].numpy()[:, 0] for p in parts]) for i in (0, 1))
        return mean, np.sqrt(variance)

    return Fitted(predict, notes)


if __name__ == "__main__":
    serve(fit, ("gpflow", "tensorflow"))
