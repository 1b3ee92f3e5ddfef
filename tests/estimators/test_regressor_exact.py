"""With every row in the basis the model is the exact Gaussian process of scikit-learn."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk

from tests.plain import plain_regressor

KERNELS = {
    "rbf": 1.3 * sk.RBF(0.8),
    "rbf ard": sk.RBF([0.8, 1.7]),
    "matern 1/2": sk.Matern(1.1, nu=0.5),
    "matern 3/2": 0.7 * sk.Matern([1.1, 0.6], nu=1.5),
    "matern 5/2": sk.Matern(1.1, nu=2.5),
    "matern inf": sk.Matern(0.9, nu=np.inf),
    "rational quadratic": sk.RationalQuadratic(1.2, alpha=0.7),
    "dot product": sk.DotProduct(0.6) + 0.5 * sk.RBF(1.0),
    "periodic": sk.ExpSineSquared(1.3, periodicity=2.1),
    "sum and product": 0.5 * sk.RBF(2.0) + sk.Matern(0.7) * sk.RationalQuadratic(1.5),
    "constant": sk.ConstantKernel(0.4) + sk.RBF(1.0),
}


@pytest.mark.parametrize("approximation", ["sor", "dtc", "fitc", "vfe"])
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", [0, 1])
def test_equals_the_exact_process(approximation, name, seed):
    rng = np.random.default_rng(seed)
    kernel, noise = KERNELS[name], 0.05 * (seed + 1)
    # scikit-learn's periodic kernel is one of the Euclidean distance: one column for it
    n_features = 1 if name == "periodic" else 2
    X = rng.uniform(-2, 2, size=(30, n_features))
    y = np.sin(X.sum(axis=1)) + rng.normal(scale=0.2, size=30)
    new = rng.uniform(-3, 3, size=(15, n_features))

    exact = GaussianProcessRegressor(kernel + sk.WhiteKernel(noise), alpha=0.0, optimizer=None)
    mean, std = exact.fit(X, y).predict(new, return_std=True)
    ours = plain_regressor(
        kernel + sk.WhiteKernel(noise),
        max_basis=30,
        approximation=approximation,
        optimizer=None,
        transform_X="none",
        transform_y="none",
        random_state=0,
    ).fit(X, y)
    our_mean, our_std = ours.predict(new, return_std=True)

    np.testing.assert_allclose(our_mean, mean, rtol=1e-6, atol=1e-8)
    if approximation != "sor":
        np.testing.assert_allclose(our_std, std, rtol=1e-6)
        _, cov = exact.predict(new, return_cov=True)
        np.testing.assert_allclose(ours.predict(new, return_cov=True)[1], cov, rtol=1e-6, atol=1e-7)
        assert ours.log_marginal_likelihood() == pytest.approx(
            exact.log_marginal_likelihood_value_, rel=1e-6
        )


def test_learned_hyperparameters_are_as_likely_as_those_of_scikit_learn():
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, size=(60, 2))
    y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + rng.normal(scale=0.1, size=60)
    y = (y - y.mean()) / y.std()
    kernel = 1.0 * sk.RBF([1.0, 1.0]) + sk.WhiteKernel(0.1)
    theirs = GaussianProcessRegressor(kernel, alpha=0.0).fit(X, y)
    ours = plain_regressor(
        kernel, max_basis=60, transform_X="none", transform_y="none", random_state=0
    ).fit(X, y)
    assert ours.log_marginal_likelihood() > theirs.log_marginal_likelihood_value_ - 0.01
