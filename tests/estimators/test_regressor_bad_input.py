"""Bad input gets an error that names the argument, what is wrong with it and what to do."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process import kernels as sk

from sparsegp import SparseGPRegressor
from sparsegp.kernels import RBF, OnColumns

X = np.random.default_rng(0).normal(size=(20, 3))
Y = X[:, 0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_basis": 0}, r"max_basis must be an integer of at least 1, got 0"),
        ({"max_basis": 2.5}, r"max_basis .*got 2.5"),
        ({"selection": "best"}, r"selection must be one of 'random'.*got 'best'"),
        ({"approximation": "pitc"}, r"approximation must be one of 'auto', 'sor'.*got 'pitc'"),
        ({"n_evaluations": 0}, r"n_evaluations must be.*1"),
        ({"optimizer": "adam"}, r"optimizer must be one of 'lbfgs'.*'adam'"),
        ({"objective": "loo"}, r"objective must be one of 'evidence', 'loo_error'.*got 'loo'"),
        ({"objective": None}, r"objective must be one of .*None"),
        (
            {"accept_basis": "never"},
            r"accept_basis must be one of .if_better., .always., got .never.",
        ),
        ({"stop": 0}, r"stop must be an integer of at least 1, got 0"),
        ({"stop": True}, r"stop must be an integer of at least 1, got True"),
        ({"stop": "soon"}, r"stop must be one of 'auto', got 'soon'"),
        ({"n_rows_selection": 0}, r"n_rows_selection must be an integer of at least 1, got 0"),
        ({"transform_X": "sqrt"}, r"transform_X must be one of .*'sqrt'"),
        ({"transform_y": None}, r"transform_y must be one of .*None"),
        ({"noise_variance": 0.0}, r"noise_variance must be a positive finite number, got 0.0"),
        ({"noise_variance_bounds": (1.0, 0.1)}, r"noise_variance_bounds .*\(1.0, 0.1\)"),
        ({"n_restarts": -1}, r"n_restarts .*-1"),
        ({"kernel": "rbff"}, r"kernel must be one of 'auto', 'rbf', .*'linear', None.*got 'rbff'"),
        ({"kernel": RBF([1.0, 2.0])}, r"length_scale of RBF has 2 elements.*3 columns"),
        ({"kernel": OnColumns(RBF(), [3])}, r"column 3, but X has 3 columns"),
        ({"kernel": OnColumns(RBF(), ["a"])}, r"X has no column names"),
        ({"kernel": sk.PairwiseKernel()}, r"no counterpart for PairwiseKernel"),
        ({"kernel": sk.WhiteKernel() * sk.RBF()}, r"WhiteKernel.*inside a product"),
        ({"kernel": sk.Matern(nu=0.7)}, r"nu must be 0.5, 1.5, 2.5 or inf, got 0.7"),
    ],
)
def test_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        SparseGPRegressor(**settings).fit(X, Y)


def test_infinity_in_x_names_the_column():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.loc[4, "b"] = np.inf
    with pytest.raises(ValueError, match=r"X contains inf \(first in row 4, in column 'b'\)"):
        SparseGPRegressor().fit(frame, Y)


def test_nan_that_no_training_row_had_names_the_column():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = SparseGPRegressor(max_basis=5, optimizer=None, random_state=0).fit(frame, Y)
    frame.loc[4, "b"] = np.nan
    with pytest.raises(ValueError, match=r"X contains NaN \(first in row 4, in column 'b'\)"):
        model.predict(frame)


def test_infinity_in_y():
    y = Y.copy()
    y[7] = np.inf
    with pytest.raises(ValueError, match=r"y contains inf \(first in row 7\)"):
        SparseGPRegressor().fit(X, y)


def test_y_of_strings():
    with pytest.raises(ValueError, match=r"y must be numeric for regression, got 'red'"):
        SparseGPRegressor().fit(X, np.array(["1.5", "red"] * 10))


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.full(20, -1.0), r"sample_weight must not be negative, got -1.0 for row 0"),
        (np.ones(19), r"sample_weight must have one number per row: shape \(20,\)"),
        (np.full(20, np.nan), r"sample_weight contains NaN"),
        (np.zeros(20), r"sample_weight is zero for every row"),
    ],
)
def test_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        SparseGPRegressor().fit(X, Y, sample_weight=weight)


def test_lengths_and_columns():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        SparseGPRegressor().fit(X, Y[:-1])
    model = SparseGPRegressor(max_basis=5, optimizer=None).fit(X, Y)
    with pytest.raises(ValueError, match="X has 2 features, but SparseGPRegressor is expecting 3"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="X has 2 features"):
        SparseGPRegressor(max_basis=5).fit(X, Y, candidates=X[:, :2])
    with pytest.raises(ValueError, match="candidates contains NaN"):
        SparseGPRegressor(max_basis=5).fit(X, Y, candidates=np.full((4, 3), np.nan))
    with pytest.raises(ValueError, match="return_std or return_cov"):
        model.predict(X, return_std=True, return_cov=True)
    with pytest.raises(ValueError, match="theta must have 5 elements"):
        model.log_marginal_likelihood([0.0])


def test_unfitted():
    for use in ("predict", "predict_latent", "sample_y"):
        with pytest.raises(NotFittedError):
            getattr(SparseGPRegressor(), use)(X)


def test_a_failed_fit_leaves_the_old_model_whole():
    model = SparseGPRegressor(max_basis=5, optimizer=None, random_state=0).fit(X, Y)
    before = model.predict(X)
    bad = X.copy()
    bad[0, 0] = np.inf
    with pytest.raises(ValueError, match="X contains inf"):
        model.fit(bad, Y)
    with pytest.raises(ValueError, match="candidates contains inf"):
        model.fit(2.0 * X, Y, candidates=bad)
    np.testing.assert_array_equal(model.predict(X), before)
