"""The regressor among skpro's probabilistic regressors, with its metrics."""

import pandas as pd
from sklearn.datasets import make_friedman1
from skpro.metrics import CRPS, LogLoss

from sparsegp import SparseGPRegressor
from sparsegp.interop.skpro_regressor import SkproRegressor

X, y = make_friedman1(300, n_features=5, noise=1.0, random_state=0)
X, y = pd.DataFrame(X).add_prefix("x"), pd.DataFrame({"y": y})

model = SkproRegressor(SparseGPRegressor(kernel="rbf", random_state=0)).fit(X[:200], y[:200])
predicted = model.predict_proba(X[200:])  # a distribution of skpro
print(predicted.ppf(0.9).head(3))
print(LogLoss()(y[200:], predicted), CRPS()(y[200:], predicted))
