"""Values against scikit-learn's kernels, and where scikit-learn has none against the formula."""

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as sk

from sparsegp.kernels import (
    RBF,
    Categorical,
    Linear,
    Matern,
    OnColumns,
    Periodic,
    RationalQuadratic,
    from_sklearn,
)
from tests.oracles.kernel_examples import EXAMPLES

LENGTHS = (0.7, 1.1, 2.0)

IN_SKLEARN = [
    sk.RBF(0.8),
    sk.RBF(LENGTHS),
    *(sk.Matern(0.8, nu=nu) for nu in (0.5, 1.5, 2.5, np.inf)),
    *(sk.Matern(LENGTHS, nu=nu) for nu in (0.5, 1.5, 2.5, np.inf)),
    sk.RationalQuadratic(0.8, alpha=0.6),
    sk.DotProduct(0.9),
    sk.DotProduct(0.0),
    sk.ConstantKernel(1.7),
    1.5 * sk.RBF(LENGTHS) + sk.Matern(2.0) * sk.RationalQuadratic() + 0.3,
    sk.DotProduct(0.5) * (sk.RBF() + 0.1),
]


def draw(n=9, m=5, D=3):
    rng = np.random.default_rng(n)
    return rng.standard_normal((n, D)), rng.standard_normal((m, D))


@pytest.mark.parametrize("expression", IN_SKLEARN, ids=str)
def test_block_and_diagonal_equal_those_of_sklearn(expression):
    X, Z = draw()
    kernel = from_sklearn(expression).kernel
    np.testing.assert_allclose(kernel(X, Z), expression(X, Z), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(kernel.diagonal(X), expression.diag(X), rtol=1e-12)


def test_periodic_equals_exp_sine_squared_on_one_column():
    X, Z = draw(D=1)
    expression = sk.ExpSineSquared(0.8, 2.5)
    np.testing.assert_allclose(from_sklearn(expression).kernel(X, Z), expression(X, Z), rtol=1e-12)


def test_periodic_by_its_formula():
    X, Z = draw(D=2)
    lengths, periods = np.array([0.8, 1.4]), np.array([1.5, 4.0])
    sines = np.sin(np.pi * (X[:, None, :] - Z) / periods) / lengths
    expected = np.exp(-2.0 * (sines**2).sum(axis=2))
    kernel = Periodic(tuple(lengths), tuple(periods))
    np.testing.assert_allclose(kernel(X, Z), expected, rtol=1e-11)


def test_periodic_comes_back_after_a_period():
    X, Z = draw(D=2)
    np.testing.assert_allclose(Periodic(1.0, 3.0)(X + 30.0, Z), Periodic(1.0, 3.0)(X, Z), rtol=1e-9)


def test_linear_by_its_formula():
    X, Z = draw()
    np.testing.assert_allclose(Linear(LENGTHS)(X, Z), X @ np.diag(LENGTHS) @ Z.T, rtol=1e-13)


def test_categorical_by_its_formula():
    X, Z = EXAMPLES["Categorical"].inputs(20), EXAMPLES["Categorical"].inputs(7, seed=1)
    mismatch = (X[:, None, :] != Z) / np.array(LENGTHS)
    np.testing.assert_allclose(Categorical(LENGTHS)(X, Z), np.exp(-mismatch.sum(axis=2)))


def test_a_code_that_no_basis_vector_has_matches_nothing():
    K = Categorical(2.0)(np.array([[7.0, 1.0]]), np.array([[0.0, 1.0], [0.0, 2.0]]))
    np.testing.assert_allclose(K, [[np.exp(-0.5), np.exp(-1.0)]])


def test_on_columns_sees_its_columns_in_their_order():
    X, Z = draw()
    kernel = OnColumns(RBF((0.5, 2.0)), [2, 0])
    expected = RBF((0.5, 2.0))(X[:, [2, 0]], Z[:, [2, 0]])
    np.testing.assert_allclose(kernel(X, Z), expected, rtol=1e-13)


FAR_FROM_NOTHING = {
    "RBF": RBF(),
    **{f"Matern {nu}": Matern(nu=nu) for nu in (0.5, 1.5, 2.5)},
    "RationalQuadratic": RationalQuadratic(alpha=1e3),
}


@pytest.mark.parametrize("kernel", FAR_FROM_NOTHING.values(), ids=FAR_FROM_NOTHING)
@pytest.mark.parametrize("far", [1e3, 1e20, 1e40])
def test_far_away_is_zero_to_rounding_but_never_subnormal(kernel, far):
    K = kernel(np.zeros((1, 1)), np.array([[far]]))
    assert 0.0 < K[0, 0] < 1e-60
    assert K[0, 0] ** 2 > np.finfo(float).tiny


@pytest.mark.parametrize("kernel", [RBF(), Matern(nu=1.5), Matern(nu=0.5)], ids=str)
@pytest.mark.parametrize("size", [1e-12, 1e6, 1e12])
def test_a_table_of_any_size_has_a_unit_diagonal(kernel, size):
    X = size * draw()[0]
    np.testing.assert_allclose(np.diagonal(kernel(X, X)), 1.0, rtol=1e-8)


KERNELS_OF_A_FIT = {
    **FAR_FROM_NOTHING,
    "sum": 0.5 * RBF() + 1e-5 * Matern(nu=1.5),
    "product with categories": 1e-6 * RBF() * OnColumns(Categorical(1e-2), [0]),
}


@pytest.mark.parametrize("kernel", KERNELS_OF_A_FIT.values(), ids=KERNELS_OF_A_FIT)
def test_no_distance_makes_a_subnormal_number(kernel):
    """A matrix product with subnormal numbers takes ten times as long."""
    far = np.geomspace(1.0, 1e9, 2_000)[:, None]
    K, pullback = kernel.vjp(far, np.zeros((1, 1)))
    smallest = np.finfo(float).tiny
    for values in (K, kernel(far, np.zeros((1, 1)))):
        assert not np.any((values != 0.0) & (np.abs(values) < smallest))
        assert not np.any((values != 0.0) & (values * values < smallest))
    assert all(np.all(np.isfinite(part)) for part in pullback(np.ones_like(K)))


@pytest.mark.parametrize("name", EXAMPLES)
def test_against_the_same_rows_is_the_kernel(name):
    kernel, X = EXAMPLES[name].kernel, EXAMPLES[name].inputs(12)
    Z = X[:8]
    values = kernel.bind_Z(Z)
    for part in (X[8:9], X[8:], Z):
        np.testing.assert_allclose(values(part), kernel.vjp(part, Z)[0], rtol=1e-12)


class HalfRBF(RBF):
    """A user's own values on the parameters of another kernel."""

    def __call__(self, X, Z):
        return 0.5 * super().__call__(X, Z)


def test_own_values_count_in_sums_and_against_rows():
    X = np.zeros((2, 1))
    assert np.all((HalfRBF() + 1.0)(X, X) == 1.5)
    assert np.all((2.0 * HalfRBF()).bind_Z(X)(X) == 1.0)


def test_inputs_of_another_width_are_refused():
    with pytest.raises(ValueError, match="has 2 elements, but the inputs have 1 columns"):
        RBF((1.0, 2.0))(np.zeros((5, 1)), np.zeros((4, 2)))
