"""river's own checks on the models for dict rows, if river is there."""

import warnings

import pytest

from sparsegp import OnlineGPClassifier, OnlineGPRegressor
from sparsegp.estimators.river.dict_rows import OneRowClassifier, OneRowRegressor
from sparsegp.exceptions import FitWarning

checks = pytest.importorskip("river.checks", reason="river is not installed")
base = pytest.importorskip("river.base")

QUICK = {"n_warmup": 40, "max_basis": 8, "random_state": 0}


class GPRegressor(OneRowRegressor, base.Regressor):
    """A Gaussian process on a stream."""

    @classmethod
    def _unit_test_params(cls):
        yield {"model": OnlineGPRegressor(**QUICK)}


class GPClassifier(OneRowClassifier, base.Classifier):
    """A Gaussian process classifier on a stream."""

    @classmethod
    def _unit_test_params(cls):
        yield {"model": OnlineGPClassifier(**QUICK)}


MODELS = [kind(**next(kind._unit_test_params())) for kind in (GPRegressor, GPClassifier)]
CASES = [(model, check) for model in MODELS for check in checks.yield_checks(model)]


@pytest.mark.parametrize(
    ("model", "check"),
    CASES,
    ids=[f"{type(model).__name__}-{check.__name__}" for model, check in CASES],
)
def test_river_check(model, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)  # of features that emerge
        check(model.clone())


def test_a_pipeline_and_its_evaluation():
    from river import compose, datasets, evaluate, metrics, preprocessing

    model = compose.Pipeline(preprocessing.StandardScaler(), MODELS[0].clone())
    error = evaluate.progressive_val_score(datasets.TrumpApproval().take(150), model, metrics.MAE())
    assert error.get() < 2.0
