"""Cases that once broke the regressor."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process import kernels as sk

from sparsegp.kernels import RBF, Constant, Linear
from tests.plain import plain_regressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = np.sin(X[:, 0]) + 0.05 * RNG.normal(size=60)


@pytest.mark.parametrize("approximation", ["dtc", "fitc", "vfe"])
def test_covariance_has_the_variances_on_its_diagonal_where_nothing_is_left_to_explain(
    approximation,
):
    grid, new = np.linspace(0, 6, 200)[:, None], np.linspace(0, 6, 101)[:, None]
    model = plain_regressor(
        Constant(1e4) * RBF(3.0),
        max_basis=60,
        approximation=approximation,
        optimizer=None,
        noise_variance=1e-8,
        random_state=0,
    ).fit(grid, grid[:, 0] ** 3)
    _, std = model.predict(new, return_std=True)
    _, cov = model.predict(new, return_cov=True)
    np.testing.assert_allclose(np.diag(cov), std**2, rtol=1e-3)  # k − q twice, both by rounding
    assert np.linalg.eigvalsh(cov).min() > 0
    assert np.all(np.isfinite(model.sample_y(new, 3)))


@pytest.mark.parametrize("approximation", ["dtc", "fitc", "vfe"])
def test_the_longest_prefix_is_the_model(approximation):
    rows = RNG.normal(size=(700, 2))
    y = np.sin(rows[:, 0]) + 0.1 * RNG.normal(size=700)
    model = plain_regressor(max_basis=8, approximation=approximation, random_state=0)
    model.fit(rows, y)
    assert model.calibration_.residual != 1.0
    for ours, whole in zip(
        model.prefix(8).predict_latent(rows, return_std=True),
        model.predict_latent(rows, return_std=True),
        strict=True,
    ):
        np.testing.assert_allclose(ours, whole, rtol=1e-6, atol=1e-10)


def test_a_basis_that_stops_early_is_adapted_even_if_it_might_hold_every_row():
    model = plain_regressor(selection="marginal_likelihood", max_basis=1000, random_state=0)
    model.fit(X, Y)
    phases = [entry["phase"] for entry in model.history_]
    assert model.n_basis_ < 60 and "hyperparameters at the basis" in phases


def test_a_failed_fit_changes_nothing():
    model = plain_regressor(max_basis=10, optimizer=None).fit(X, Y)
    with pytest.raises(ValueError, match="inconsistent"):
        model.fit(np.c_[X, X], Y[:-1])
    model.predict(X)
    first = plain_regressor()
    with pytest.raises(ValueError, match="candidates: X has 5 features"):
        first.fit(X, Y, candidates=np.ones((3, 5)))
    with pytest.raises(NotFittedError):
        first.predict(X)


@pytest.mark.parametrize("selection", ["log_posterior", "random", "loo_error"])
def test_a_kernel_of_zeros_predicts_the_mean(selection):
    model = plain_regressor(Linear(), selection=selection).fit(np.ones((20, 2)), Y[:20])
    np.testing.assert_allclose(model.predict(np.ones((3, 2))), Y[:20].mean(), atol=1e-6)


@pytest.mark.parametrize("scale", [1e160, 1e-170])
def test_std_of_targets_whose_variance_is_no_number(scale):
    std = plain_regressor(max_basis=10).fit(X, Y * scale).predict(X, return_std=True)[1]
    assert np.all(np.isfinite(std)) and np.all(std > 0)


def test_the_evidence_is_that_of_the_fitted_approximation():
    model = plain_regressor(max_basis=10, random_state=0).fit(X, Y)
    before = model.log_marginal_likelihood(eval_gradient=True)[0]
    model.set_params(approximation="dtc")
    assert model.log_marginal_likelihood(eval_gradient=True)[0] == before


@pytest.mark.parametrize(
    ("settings", "arguments", "message"),
    [
        ({"kernel": sk.RBF() + sk.WhiteKernel(0.0)}, {}, "noise_level of WhiteKernel must be"),
        ({"callback": 3}, {}, "callback must be callable"),
        ({"refine_basis": True, "optimizer": None}, {}, "refine_basis=True optimises"),
        ({}, {"y": np.ones((60, 1, 1))}, "y must hold one number per row"),
        ({}, {"y": np.ones((60, 0))}, "y must hold one number per row"),
        ({}, {"sample_weight": ["a"] * 60}, "sample_weight must hold numbers"),
    ],
)
def test_errors_name_the_argument(settings, arguments, message):
    with pytest.raises(ValueError, match=message):
        plain_regressor(**settings).fit(X, **{"y": Y, **arguments})
