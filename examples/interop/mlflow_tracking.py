"""MLflow keeps parameters, scores and the model file of a fit."""

import mlflow
import numpy as np
from sklearn.datasets import make_friedman1

from sparsegp import SparseGPRegressor, load
from sparsegp.metrics import crps, interval_coverage, nlpd

X, y = make_friedman1(300, n_features=5, noise=1.0, random_state=0)
X_new, y_new = X[200:], y[200:]

mlflow.set_tracking_uri("sqlite:///mlflow.db")
with mlflow.start_run() as run:
    model = SparseGPRegressor(kernel="rbf", max_basis=50, random_state=0).fit(X[:200], y[:200])
    predicted = model.predict_distribution(X_new)
    mlflow.log_params({"kernel": "rbf", "max_basis": 50})
    mlflow.log_metric("nlpd", nlpd(predicted, y_new))
    mlflow.log_metric("crps", crps(predicted, y_new))
    mlflow.log_metric("coverage", interval_coverage(predicted, y_new, level=0.95))
    model.save("model.safetensors")  # no pickle: safe to load from anywhere
    mlflow.log_artifact("model.safetensors")

path = mlflow.artifacts.download_artifacts(
    run_id=run.info.run_id, artifact_path="model.safetensors"
)
print(np.allclose(load(path).predict(X_new), model.predict(X_new)))
