"""
Pipeline and grid search
========================

The estimators follow the scikit-learn API: they can be cloned, used in pipelines and tuned by grid
search.
"""

import matplotlib.pyplot as plt
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline

from sparsegp import SparseGPRegressor
from sparsegp.kernels import RBF, Constant, Matern
from sparsegp.metrics import nlpd_scorer

X, y = load_diabetes(return_X_y=True, as_frame=True)
X, X_test, y, y_test = train_test_split(X, y, train_size=240, random_state=0)

# %%
# The log predictive density is a better score than the squared error: it also scores error bars.
# ``nlpd_scorer`` is its mean, with the model's own predictive distribution.

kernels = {"RBF": Constant(1.0) * RBF((1.0,) * 4), "Matérn": Constant(1.0) * Matern((1.0,) * 4)}
pipeline = Pipeline(
    [
        ("columns", make_column_transformer(("passthrough", ["age", "bmi", "bp", "s5"]))),
        ("gp", SparseGPRegressor(random_state=0)),
    ]
)
grid = {"gp__kernel": list(kernels.values()), "gp__max_basis": [10, 40]}
search = GridSearchCV(pipeline, grid, scoring=nlpd_scorer, cv=3).fit(X, y)

for settings, value in zip(
    search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
):
    name = next(n for n, kernel in kernels.items() if kernel is settings["gp__kernel"])
    print(f"{name:6} {settings['gp__max_basis']:3d} basis vectors: log density {value:.3f}")

# %%
# Predictions on held-out rows with the best settings.

best = search.best_estimator_
predicted = best[-1].predict_distribution(best[:-1].transform(X_test))
mean, (low, high) = predicted.mean, predicted.interval(0.95)
fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
ax.plot([y.min(), y.max()], [y.min(), y.max()], color="0.6", lw=1)
ax.errorbar(mean, y_test, xerr=(mean - low, high - mean), fmt=".", alpha=0.6, ecolor="0.85")
ax.set(xlabel="predicted, with 95 % interval", ylabel="observed", title="Diabetes after one year")
plt.show()
