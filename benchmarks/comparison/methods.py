"""Who is compared, in the order in which the page lists them."""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.comparison.fitted import Fit
from benchmarks.comparison.networks import network
from benchmarks.comparison.processes import exact, ours, peer
from benchmarks.comparison.trees import catboost, forest, histgb, lightgbm, xgboost
from benchmarks.comparison.tuned import tuned_lightgbm

__all__ = ["METHODS", "OURS", "TUNED", "Method"]

OURS, TUNED = "sparsegp", "LightGBM, tuned"
#: Inducing inputs and steps of GPyTorch's examples on tables, as in ``benchmarks.peers``.
SGPR = {"n_inducing": 500, "steps": 100, "rate": 0.1, "start": "library"}
SVGP = {
    "n_inducing": 500,
    "epochs": 50,
    "most_steps": 6000,
    "batch": 1024,
    "rate": 0.01,
    "start": "library",
}
VECCHIA = {"approximation": "vecchia", "n_inducing": 500, "iterations": 100}
VIF = {"approximation": "full_scale_vecchia", "n_inducing": 200, "iterations": 100}
MATERN = {"covariance": "matern_ard", "shape": 1.5}


@dataclass(frozen=True)
class Method:
    """How to fit, and the packages whose versions are recorded."""

    fit: Fit
    packages: tuple[str, ...]
    regression_only: bool = False


METHODS: Mapping[str, Method] = {
    OURS: Method(ours(), ("sparsegp", "scipy", "scikit-learn")),
    "sparsegp, 10 s": Method(ours(time_limit=10.0), ("sparsegp", "scipy", "scikit-learn")),
    "LightGBM": Method(lightgbm, ("lightgbm",)),
    TUNED: Method(tuned_lightgbm, ("lightgbm",)),
    "CatBoost": Method(catboost, ("catboost",)),
    "XGBoost": Method(xgboost, ("xgboost",)),
    "HistGradientBoosting": Method(histgb, ("scikit-learn",)),
    "random forest": Method(forest, ("scikit-learn",)),
    "exact GP": Method(exact, ("scikit-learn", "scipy")),
    "GPyTorch SGPR": Method(peer("gpytorch_sgpr", SGPR), ("gpytorch", "torch"), True),
    "GPyTorch SVGP": Method(peer("gpytorch_svgp", SVGP), ("gpytorch", "torch")),
    "GPBoost Vecchia": Method(peer("gpboost_gp", {**VECCHIA, **MATERN}), ("gpboost",)),
    "GPBoost VIF": Method(peer("gpboost_gp", {**VIF, **MATERN}), ("gpboost",)),
    "RealMLP": Method(network("RealMLP_TD"), ("pytabkit", "torch")),
    "TabM": Method(network("TabM_D"), ("pytabkit", "torch")),
}
