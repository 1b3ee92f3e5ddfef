"""What a kernel may be made of, and what the errors say."""

import numpy as np
import pytest

from sparsegp.kernels import (
    RBF,
    Categorical,
    Constant,
    Kernel,
    Linear,
    Matern,
    OnColumns,
    Periodic,
    Product,
    RationalQuadratic,
    Sum,
)
from tests.oracles.kernel_examples import EXAMPLES, Triangular

POSITIVE = [
    (RBF, "length_scale"),
    (Matern, "length_scale"),
    (RationalQuadratic, "length_scale"),
    (RationalQuadratic, "alpha"),
    (Linear, "variance"),
    (Periodic, "length_scale"),
    (Periodic, "period"),
    (Constant, "value"),
    (Categorical, "length_scale"),
]


@pytest.mark.parametrize(("kind", "name"), POSITIVE)
@pytest.mark.parametrize(
    "value", [0.0, -1.5, np.nan, np.inf, "long", None, [], [[1.0]], [1.0, -2.0], 1j], ids=repr
)
def test_a_bad_parameter_is_named_with_its_value(kind, name, value):
    with pytest.raises(ValueError, match=f"{name} of {kind.__name__} must be positive") as error:
        kind(**{name: value})
    assert repr(value) in str(error.value)


@pytest.mark.parametrize(("kind", "name"), POSITIVE)
@pytest.mark.parametrize(
    "value",
    ["free", (1.0,), (2.0, 1.0), (0.0, 1.0), (1.0, np.inf), None, ("a", "b"), [[1], [2, 3]]],
    ids=repr,
)
def test_bad_bounds_are_named_with_their_value(kind, name, value):
    with pytest.raises(ValueError, match=f"{name}_bounds of {kind.__name__} must be") as error:
        kind(**{name + "_bounds": value})
    assert repr(value) in str(error.value)


@pytest.mark.parametrize(("kind", "name"), [(Constant, "value"), (RationalQuadratic, "alpha")])
def test_only_one_number_where_there_is_one(kind, name):
    with pytest.raises(ValueError, match=f"{name} of {kind.__name__} must be one number"):
        kind(**{name: [1.0, 2.0]})


@pytest.mark.parametrize("nu", [0.7, "1.5", None])
def test_nu_is_one_of_three(nu):
    with pytest.raises(ValueError, match=f"nu of Matern must be 0.5, 1.5 or 2.5, got {nu!r}"):
        Matern(nu=nu)


@pytest.mark.parametrize("columns", [[], [0, 0], [-1], [0, "a"], ["a", "a"], [1.5]], ids=repr)
def test_bad_columns_are_named(columns):
    with pytest.raises(ValueError, match="columns of OnColumns must be"):
        OnColumns(RBF(), columns)


def test_sequences_become_tuples_so_that_kernels_hash():
    lists, arrays = RBF([1.0, 2.0]), RBF(np.array([1.0, 2.0]))
    assert lists == arrays == RBF((1.0, 2.0))
    assert hash(lists) == hash(arrays)
    assert OnColumns(lists, np.array([0, 1])) == OnColumns(lists, (0, 1))


def test_a_kernel_cannot_be_changed():
    with pytest.raises(AttributeError):
        RBF().length_scale = 2.0


def test_fixed_parameters_are_not_in_theta():
    kernel = RationalQuadratic((1.0, 2.0), "fixed", 3.0, (0.1, 10.0))
    np.testing.assert_allclose(kernel.theta, [np.log(3.0)])
    np.testing.assert_allclose(kernel.bounds, np.log([[0.1, 10.0]]))
    assert kernel.parameter_names == ("alpha",)
    assert kernel.with_theta([0.0]) == RationalQuadratic((1.0, 2.0), "fixed", 1.0, (0.1, 10.0))


def test_theta_names_and_bounds_of_an_expression_stand_in_one_order():
    kernel = Constant(2.0, (1.0, 3.0)) * RBF((3.0, 4.0), (0.5, 5.0)) + Linear(5.0, (0.1, 9.0))
    np.testing.assert_allclose(np.exp(kernel.theta), [2.0, 3.0, 4.0, 5.0])
    expected = [[1.0, 3.0], [0.5, 5.0], [0.5, 5.0], [0.1, 9.0]]
    np.testing.assert_allclose(np.exp(kernel.bounds), expected)
    assert kernel.parameter_names == (
        "left.left.value",
        "left.right.length_scale[0]",
        "left.right.length_scale[1]",
        "right.variance",
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_theta_of_the_wrong_length_is_refused(name):
    kernel = EXAMPLES[name].kernel
    with pytest.raises(ValueError, match=r"got \d"):
        kernel.with_theta(np.zeros(len(kernel.theta) + 1))


@pytest.mark.parametrize("number", [2, 2.0, np.float64(2.0), np.float32(2.0), np.int64(2)])
def test_numbers_become_constants_on_either_side(number):
    two = Constant(2.0)
    assert number + RBF() == Sum(two, RBF())
    assert RBF() + number == Sum(RBF(), two)
    assert number * RBF() == Product(two, RBF())
    assert RBF() * number == Product(RBF(), two)


@pytest.mark.parametrize(
    "other", ["a", None, [1.0], np.ones(2), True, object()], ids=lambda other: type(other).__name__
)
@pytest.mark.parametrize("combine", [lambda a, b: a + b, lambda a, b: a * b], ids=["+", "*"])
def test_a_kernel_is_combined_with_kernels_and_numbers_only(combine, other):
    for pair in ((RBF(), other), (other, RBF())):
        with pytest.raises(TypeError, match=f"kernels and numbers, got {type(other).__name__}"):
            combine(*pair)


@pytest.mark.parametrize("number", [0.0, -1.0, np.nan])
def test_a_factor_must_be_positive(number):
    with pytest.raises(ValueError, match="value of Constant must be positive and finite"):
        number * RBF()


def test_sums_and_products_of_blocks():
    X, Z = np.random.default_rng(0).standard_normal((2, 6, 2))
    a, b = RBF(0.7), Triangular()
    np.testing.assert_allclose((a + b)(X, Z), a(X, Z) + b(X, Z))
    np.testing.assert_allclose((a * b)(X, Z), a(X, Z) * b(X, Z))
    np.testing.assert_allclose((3.0 * b)(X, Z), 3.0 * b(X, Z))
    np.testing.assert_allclose((a * b + 2.0).diagonal(X), a.diagonal(X) * b.diagonal(X) + 2.0)


def test_a_kernel_without_block_or_diagonal_cannot_be_made():
    class PackedTriangle(Kernel):
        def __call__(self, X, Z):
            return X @ Z.T

    with pytest.raises(TypeError, match="diagonal"):
        PackedTriangle()
