"""Bad input to a classifier: the error names the argument, what is wrong and what to do."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.gaussian_process import kernels as sk

from sparsegp import SparseGPClassifier
from sparsegp.kernels import RBF, Categorical, Constant, OnColumns

X = np.random.default_rng(0).normal(size=(20, 3))
Y = np.where(X[:, 0] > 0.0, "up", "down")
FAST = {"optimizer": None, "max_basis": 5, "random_state": 0}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_basis": 0}, r"max_basis must be an integer of at least 1, got 0"),
        ({"max_basis": 2.5}, r"max_basis must be an integer of at least 1, got 2.5"),
        ({"max_basis": None}, r"max_basis must be an integer .*None"),
        (
            {"selection": "best"},
            r"selection must be one of 'random', 'entropy', 'information_gain', 'validation', "
            r"'adaptive', got 'best'",
        ),
        (
            {"sites": "laplace"},
            r"sites must be one of 'moment_matching', 'predictive_loss', got 'laplace'",
        ),
        (
            {"objective": "evidence"},
            r"objective must be one of 'predictive_loss', 'marginal_likelihood', got 'evidence'",
        ),
        ({"posterior": None}, r"posterior must be one of 'projected', 'active', got None"),
        (
            {"inference": "laplace"},
            r"inference must be one of 'auto', 'ep', 'variational', .*got 'laplace'",
        ),
        ({"stop": True}, r"stop must be one of 'auto', got True"),
        ({"optimizer": "adam"}, r"optimizer must be one of 'lbfgs', got 'adam'"),
        (
            {"transform_X": "sqrt"},
            r"transform_X must be one of 'auto', 'standard', .*'none', got 'sqrt'",
        ),
        ({"n_candidates": 0}, r"n_candidates must be an integer of at least 1, got 0"),
        ({"n_adaptations": -1}, r"n_adaptations must be an integer of at least 0, got -1"),
        ({"refine_basis": "yes"}, r"refine_basis must be True, False or 'auto', got 'yes'"),
        ({"refine_basis": None}, r"refine_basis must be True, False or 'auto', got None"),
        (
            {"refine_basis": True, "optimizer": None},
            r"refine_basis=True .*optimizer=None forbids: set optimizer='lbfgs' or refine_basis",
        ),
        (
            {"refine_basis": np.True_, "posterior": "active"},
            r"refine_basis=True .*posterior='active' does not use: set posterior='projected' or",
        ),
        (
            {"refine_basis": True, "kernel": 2.0 * Categorical()},
            r"refine_basis optimises inducing inputs.*, which .*Categorical.* does not have: set",
        ),
        ({"slope": 0.0}, r"slope must be a positive finite number, got 0.0"),
        ({"slope": -1.0}, r"slope must be a positive finite number, got -1.0"),
        ({"slope": np.inf}, r"slope must be a positive finite number, got inf"),
        ({"slope": "steep"}, r"slope must be a positive finite number, got 'steep'"),
        ({"bias": None}, r"bias must be 'auto' or a finite number, got None"),
        ({"bias": np.inf}, r"bias must be 'auto' or a finite number, got inf"),
        ({"bias": 0.0, "inference": "least_squares"}, r"least_squares.*set bias='auto'"),
        ({"slope_bounds": (1.0, 0.1)}, r"slope_bounds must be 'fixed' or two .*\(1.0, 0.1\)"),
        ({"slope_bounds": (0.0, 1.0)}, r"slope_bounds must be 'fixed' or two .*\(0.0, 1.0\)"),
        ({"slope_bounds": "free"}, r"slope_bounds must be 'fixed' or two positive .*'free'"),
        ({"slope_bounds": 3.0}, r"slope_bounds must be 'fixed' or two positive numbers .*3.0"),
        ({"callback": 3}, r"callback must be callable or None, got 3"),
        ({"class_weight": "even"}, r"class_weight must be None, 'balanced' or a dict .*'even'"),
        ({"class_weight": 2.0}, r"class_weight must be None, 'balanced' or a dict .*2.0"),
        (
            {"class_weight": {"up": -1.0}},
            r"class_weight must hold finite numbers that are not negative, got -1.0 for class 'up'",
        ),
        ({"class_weight": {"up": "more"}}, r"class_weight must hold finite .*'more' for class"),
        ({"class_weight": {"up": 0.0, "down": 0.0}}, r"class_weight is zero for every row"),
        ({"class_weight": {"up": 0.0}}, r"y holds only one class .*'down'.* positive weight"),
        ({"kernel": "rbff"}, r"kernel must be one of 'auto', 'rbf', .*'linear', None.*got 'rbff'"),
        ({"kernel": RBF([1.0, 2.0])}, r"length_scale of RBF has 2 elements.*3 columns"),
        ({"kernel": OnColumns(RBF(), ["a"])}, r"X has no column names"),
        ({"kernel": sk.PairwiseKernel()}, r"no counterpart for PairwiseKernel"),
    ],
)
def test_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        SparseGPClassifier(**settings).fit(X, Y)


def test_a_setting_is_judged_when_it_is_used_not_when_it_is_given():
    assert SparseGPClassifier(selection="best").selection == "best"


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, r"requires y to be passed, but the target y is None"),
        (np.zeros(20), r"y holds only one class \(0.0\).*a classifier needs at least two"),
        (np.full(20, "up"), r"y holds only one class \('up'\)"),
        (X[:, 0], r"Unknown label type"),
        (X[:, 0].astype(object), r"Unknown label type"),
        (np.where(np.arange(20) == 3, np.nan, 1.0), r"y contains NaN \(first in row 3\)"),
        (np.where(np.arange(20) == 3, np.inf, 1.0), r"y contains inf \(first in row 3\)"),
        (np.array([*Y[:19], None], dtype=object), r"y has no label in row 19: remove such rows"),
        (np.array([*Y[:19], np.nan], dtype=object), r"y has no label in row 19"),
        (pd.Series([*Y[:19], pd.NA], dtype="string"), r"y has no label in row 19"),
        (np.array([*Y[:19], 3], dtype=object), r"y mixes labels that have no order \(int, str"),
        (X[:, :2] > 0.0, r"y should be a 1d array, got an array of shape \(20, 2\)"),
        (Y[:, None, None], r"y should be a 1d array|dim 3"),
        (Y[:19], r"inconsistent numbers of samples: \[20, 19\]"),
    ],
)
def test_labels(y, message):
    with pytest.raises(ValueError, match=message):
        SparseGPClassifier(**FAST).fit(X, y)


def test_a_column_of_labels_is_taken_with_a_warning():
    model = SparseGPClassifier(**FAST)
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        model.fit(X, Y[:, None])
    np.testing.assert_array_equal(model.predict(X), SparseGPClassifier(**FAST).fit(X, Y).predict(X))


@pytest.mark.parametrize(("value", "kind"), [(np.inf, "inf"), (-np.inf, "inf")])
def test_inputs_that_are_no_numbers(value, kind):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = SparseGPClassifier(**FAST).fit(frame, Y)
    frame.loc[4, "b"] = value
    where = rf"X contains {kind} \(first in row 4, in column 'b'\)"
    with pytest.raises(ValueError, match=where):
        SparseGPClassifier(**FAST).fit(frame, Y)
    for use in ("predict", "predict_proba", "predict_latent"):
        with pytest.raises(ValueError, match=where):
            getattr(model, use)(frame)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.full(20, -1.0), r"sample_weight must not be negative, got -1.0 for row 0"),
        (np.ones(19), r"sample_weight must have one number per row: shape \(20,\)"),
        (np.ones((20, 1)), r"sample_weight must have one number per row"),
        (np.full(20, np.nan), r"sample_weight contains NaN"),
        (np.zeros(20), r"sample_weight is zero for every row"),
        (["a"] * 20, r"sample_weight must hold numbers"),
        (np.where(Y == "up", 1.0, 0.0), r"y holds only one class .*'up'.* of positive weight"),
    ],
)
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_weights(weight, message, class_weight):
    with pytest.raises(ValueError, match=message):
        SparseGPClassifier(class_weight=class_weight, **FAST).fit(X, Y, sample_weight=weight)


def test_unfitted():
    for use in ("predict", "predict_proba", "predict_latent"):
        with pytest.raises(NotFittedError):
            getattr(SparseGPClassifier(), use)(X)
    with pytest.raises(NotFittedError):
        SparseGPClassifier().prefix(1)


def test_another_number_of_columns():
    model = SparseGPClassifier(**FAST).fit(X, Y)
    for use in ("predict", "predict_proba", "predict_latent"):
        with pytest.raises(ValueError, match="X has 2 features, but SparseGPClassifier is exp"):
            getattr(model, use)(X[:, :2])
    with pytest.raises(ValueError, match="2D array"):
        model.predict(X[:, 0])


def fails_late(progress):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("change", "arguments"),
    [
        ({}, (np.full((20, 5), np.inf), Y)),
        ({}, (np.ones((20, 5)), np.zeros(20))),
        ({}, (np.ones((20, 5)), Y[:-1])),
        ({"kernel": Constant(1.0) * RBF((1.0,) * 3)}, (np.ones((20, 5)), Y)),
        ({"selection": "best"}, (np.ones((20, 5)), Y)),
        ({"callback": fails_late}, (np.ones((20, 5)), np.arange(20) % 4)),
    ],
)
def test_a_failed_fit_leaves_the_old_model_whole(change, arguments):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = SparseGPClassifier(**FAST).fit(frame, Y)
    before = model.predict_proba(frame)
    model.set_params(**change)
    with pytest.raises((ValueError, KeyboardInterrupt)):
        model.fit(*arguments)
    assert model.n_features_in_ == 3
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    assert model.classes_.tolist() == ["down", "up"]
    np.testing.assert_array_equal(model.predict_proba(frame), before)
    np.testing.assert_array_equal(model.prefix(5).predict_proba(frame), before)


def test_a_failed_first_fit_leaves_nothing():
    model = SparseGPClassifier()
    with pytest.raises(ValueError, match="only one class"):
        model.fit(X, np.zeros(20))
    assert not hasattr(model, "n_features_in_")
    with pytest.raises(NotFittedError):
        model.predict(X)
