"""LightGBM, XGBoost, CatBoost, HistGradientBoosting and the random forest, with their defaults."""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.comparison.densities import LEVELS, SMALLEST_GAP, Density, FromQuantiles, Normal
from benchmarks.comparison.encodings import as_categories, as_numbers, as_strings, strings_of
from benchmarks.comparison.fitted import FittedModel, Task
from benchmarks.comparison.heads import Heads, Means, Rows, better_density, quantile_heads

__all__ = ["QUANTILES", "catboost", "forest", "histgb", "lightgbm", "trees", "xgboost"]

QUANTILES = f"{len(LEVELS)} quantile fits"


def trees(
    task: Task,
    make: Callable[..., Any],
    prepare: Callable[[Rows], Callable[[Rows], Any]],
    quantile: Callable[[float], dict[str, Any]] | None = None,
    heads: tuple[str, Callable[[Task], Heads]] | None = None,
    **notes: Any,
) -> FittedModel:
    """Fit an estimator of scikit-learn's kind; a density from quantile fits or heads of its own."""
    ready = prepare(task.X)

    def fit(of: Task, **options: Any) -> Means:
        model = make(**options).fit(ready(of.X), of.y)
        return (lambda X: model.predict_proba(ready(X))) if of.labels else _means(model, ready)

    predict = fit(task)
    if task.labels:
        return FittedModel(predict, None, notes)
    if quantile is not None:
        heads = (QUANTILES, quantile_heads(lambda of, level: fit(of, **quantile(level))))
    name, own = heads or ("", None)
    return FittedModel(predict, lambda: better_density(task, fit, own, name), notes)


def _means(model: Any, ready: Callable[[Rows], Any]) -> Means:
    return lambda X: np.asarray(model.predict(ready(X)), dtype=np.float64)


def lightgbm(task: Task) -> FittedModel:
    """``LGBMRegressor()`` and ``LGBMClassifier()``."""
    import lightgbm as library

    kind = library.LGBMClassifier if task.labels else library.LGBMRegressor

    def make(**options: Any) -> Any:
        return kind(random_state=task.seed, n_jobs=task.threads, verbose=-1, **options)

    return trees(task, make, as_categories, lambda p: {"objective": "quantile", "alpha": p})


def histgb(task: Task) -> FittedModel:
    """``HistGradientBoostingRegressor()`` and its classifier."""
    from sklearn import ensemble

    kind = ensemble.HistGradientBoostingRegressor
    kind = ensemble.HistGradientBoostingClassifier if task.labels else kind
    return trees(
        task,
        lambda **options: kind(random_state=task.seed, **options),
        as_categories,
        lambda p: {"loss": "quantile", "quantile": p},
    )


def xgboost(task: Task) -> FittedModel:
    """``XGBRegressor()`` and ``XGBClassifier()``; all quantiles from one further model."""
    import xgboost as library

    kind = library.XGBClassifier if task.labels else library.XGBRegressor

    def make(**options: Any) -> Any:
        shared = {"n_jobs": task.threads, "random_state": task.seed}
        return kind(enable_categorical=True, **shared, **options)

    ready = as_categories(task.X)

    def heads(of: Task) -> Heads:
        options = {"objective": "reg:quantileerror", "quantile_alpha": np.asarray(LEVELS)}
        model = make(**options).fit(ready(of.X), of.y)
        return lambda X, _, deviation: FromQuantiles(
            np.asarray(model.predict(ready(X)), dtype=np.float64), SMALLEST_GAP * deviation
        )

    return trees(task, make, as_categories, heads=("quantiles of one fit", heads))


def catboost(task: Task) -> FittedModel:
    """``CatBoostRegressor()`` and ``CatBoostClassifier()``; a variance from a further model."""
    import catboost as library

    kind = library.CatBoostClassifier if task.labels else library.CatBoostRegressor
    codes = strings_of(task.X)

    def make(**options: Any) -> Any:
        shared = {"thread_count": task.threads, "random_seed": task.seed, "verbose": False}
        return kind(cat_features=codes, allow_writing_files=False, **shared, **options)

    ready = as_strings(task.X)

    def heads(of: Task) -> Heads:
        model = make(loss_function="RMSEWithUncertainty").fit(ready(of.X), of.y)

        def density(X: Rows, _: np.ndarray, deviation: float) -> Density:
            mean, variance = np.asarray(model.predict(ready(X))).T
            return Normal(mean, np.maximum(np.sqrt(variance), SMALLEST_GAP * deviation))

        return density

    return trees(task, make, as_strings, heads=("normal, a variance a row", heads))


def forest(task: Task) -> FittedModel:
    """``RandomForestRegressor()`` and its classifier; strings are columns of 0 and 1."""
    from sklearn import ensemble

    kind = ensemble.RandomForestClassifier if task.labels else ensemble.RandomForestRegressor

    def make(**options: Any) -> Any:
        return kind(random_state=task.seed, n_jobs=task.threads, **options)

    return trees(task, make, lambda X: as_numbers(X, scaled=False))
