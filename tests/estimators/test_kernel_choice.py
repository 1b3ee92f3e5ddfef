"""A kernel that is left open, seen from outside."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.gaussian_process import kernels as sk

from sparsegp import SparseGPRegressor
from sparsegp.kernels import RBF, Auto, Categorical, OnColumns
from sparsegp.learning.structure.policy import MIN_ROWS_TO_CHOOSE


def table(n=150, seed=0):
    """Draw a rough function of the first of two columns."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, 2))
    y = np.abs(np.sin(3.0 * X[:, 0])) + 0.3 * X[:, 1] + 0.02 * rng.standard_normal(n)
    return X, y


def fitted(n=150, **settings):
    X, y = table(n)
    options = {"kernel": "auto", "max_basis": 30, "random_state": 0} | settings
    return SparseGPRegressor(**options).fit(X, y), X, y


def test_what_was_tried_and_what_won_is_told():
    model, X, _ = fitted()
    phases = [entry["phase"] for entry in model.history_]
    (won,) = [entry["kernel"] for entry in model.history_ if entry["phase"] == "kernel"]
    assert any(phase.startswith("kernel: Matern 3/2") for phase in phases)
    assert ("Linear" in won) == ("Linear" in repr(model.kernel_))
    assert won.split()[0] in repr(model.kernel_)
    assert not any(phase.startswith("hyperparameters on 250") for phase in phases)
    assert np.all(np.isfinite(model.predict(X, return_std=True)))


def test_the_same_random_state_gives_the_same_model():
    (one, X, _), (two, _, _) = fitted(), fitted()
    np.testing.assert_array_equal(one.kernel_.theta, two.kernel_.theta)
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    assert clone(one).get_params()["kernel"] == "auto"


@pytest.mark.parametrize(
    "settings", [{"n": MIN_ROWS_TO_CHOOSE - 1}, {"optimizer": None}], ids=["few rows", "fixed"]
)
def test_where_nothing_is_chosen_it_is_the_default_to_the_bit(settings):
    (auto, X, _), (plain, _, _) = fitted(**settings), fitted(kernel=None, **settings)
    assert auto.kernel_ == plain.kernel_
    np.testing.assert_array_equal(auto.predict(X), plain.predict(X))


def test_categories_keep_their_kernel():
    rng = np.random.default_rng(0)
    X, y = table()
    codes = rng.integers(0, 4, 150)
    X, y = np.column_stack((X, codes)), y * (1.0 + codes)
    kernel = OnColumns(Auto(), [0, 1]) * OnColumns(Categorical(2.0), [2])
    model = SparseGPRegressor(kernel, max_basis=60, transform_X="auto", random_state=0).fit(X, y)
    assert model.transform_X_[2] == "standard" and "Categorical" in repr(model.kernel_)
    assert "Auto" not in repr(model.kernel_) and model.score(X, y) > 0.8


def test_a_basis_that_moves():
    model, X, _ = fitted(refine_basis=True, max_basis=8)
    assert np.all(np.isfinite(model.predict(X)))


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ("matern", r"kernel must be one of 'auto', .*'matern52'.* got 'matern'"),
        (RBF, r"kernel must be 'auto', None"),
        (Auto() + Auto(), r"kernel may hold Auto once"),
    ],
)
def test_kernels_that_are_none(kernel, message):
    with pytest.raises(ValueError, match=message):
        SparseGPRegressor(kernel).fit(*table())


def test_an_expression_of_scikit_learn_is_no_gap():
    model, _, _ = fitted(kernel=1.0 * sk.RBF() + sk.WhiteKernel(0.1), max_basis=5)
    assert not any(entry["phase"].startswith("kernel") for entry in model.history_)
