"""Optuna chooses parameters by the density of held-out rows."""

import optuna
from sklearn.datasets import make_friedman1
from sklearn.model_selection import cross_val_score

from sparsegp import SparseGPRegressor
from sparsegp.metrics import nlpd_scorer

X, y = make_friedman1(200, n_features=5, noise=1.0, random_state=0)


def objective(trial: optuna.Trial) -> float:
    model = SparseGPRegressor(
        kernel=trial.suggest_categorical("kernel", ["rbf", "matern52"]),
        max_basis=trial.suggest_int("max_basis", 10, 60, log=True),
        transform_y=trial.suggest_categorical("transform_y", ["standard", "log"]),
        transform_X="standard",
        n_neighbors=0,
        random_state=0,
    )
    return cross_val_score(model, X, y, cv=3, scoring=nlpd_scorer).mean()  # higher is better


study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
study.optimize(objective, n_trials=5)
print(study.best_params)
