"""GPBoost's Gaussian processes with FITC or VIF: an ARD covariance, its own optimiser and start."""

from collections.abc import Mapping
from typing import Any

import gpboost
import numpy as np

from benchmarks.peers.workers.protocol import Fitted, Split, serve

SMALLEST_VARIANCE = 1e-6  # of targets with variance 1


def fit(split: Split, settings: Mapping[str, Any], seed: int) -> Fitted:
    """Fit by the approximate likelihood; labels have a probit."""
    model = gpboost.GPModel(
        gp_coords=split.X,
        cov_function=settings["covariance"],
        likelihood="bernoulli_probit" if split.classes else "gaussian",
        gp_approx=settings["approximation"],
        num_ind_points=min(settings["n_inducing"], len(split.y) - 1),  # fewer than rows
        num_parallel_threads=settings["threads"],
        seed=seed,
        **({"cov_fct_shape": settings["shape"]} if "shape" in settings else {}),
    )
    y = (split.y > 0).astype(np.float64) if split.classes else split.y
    model.fit(y=y, params={"maxit": settings["iterations"]})
    notes = {"log_likelihood": -float(model.get_current_neg_log_likelihood()) / len(split.y)}

    def predict(X: np.ndarray) -> Any:
        found = model.predict(gp_coords_pred=X, predict_var=True, predict_response=True)
        if split.classes:
            return np.asarray(found["mu"])
        # rounding leaves some variances negative, e.g. at repeated rows
        variance = np.maximum(np.asarray(found["var"]), SMALLEST_VARIANCE)
        return np.asarray(found["mu"]), np.sqrt(variance)

    return Fitted(predict, notes)


if __name__ == "__main__":
    serve(fit, ("gpboost", "scipy"))
