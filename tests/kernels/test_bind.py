"""Binding a kernel to a table: names become positions, widths are checked."""

import numpy as np
import pytest

from sparsegp.arrays import to_numpy
from sparsegp.kernels import RBF, Categorical, Linear, Matern, OnColumns, Periodic
from tests.array_libraries import on_device
from tests.oracles.kernel_examples import EXAMPLES, Triangular

NAMES = ["age", "height", "weight"]


def test_names_become_positions_in_the_order_given():
    kernel = OnColumns(RBF((1.0, 2.0)), ["weight", "age"])
    assert kernel.bind(NAMES, 3) == OnColumns(RBF((1.0, 2.0)), (2, 0))


def test_names_are_found_deep_in_an_expression():
    kernel = 2.0 * (OnColumns(RBF(), "age") + OnColumns(Linear(), ["height"])) * Triangular()
    bound = kernel.bind(NAMES, 3)
    X = np.ones((2, 3))
    assert bound(X, X).shape == (2, 2)
    np.testing.assert_allclose(bound.theta, kernel.theta)


@pytest.mark.parametrize("name", [name for name in EXAMPLES if "scaled inputs" not in name])
def test_a_kernel_that_fits_is_unchanged(name):
    kernel = EXAMPLES[name].kernel
    assert kernel.bind(None, 3) == kernel


def test_an_unbound_name_says_so():
    with pytest.raises(ValueError, match=r"'age'.*bind the kernel to a table first"):
        OnColumns(RBF(), ["age"])(np.ones((2, 3)), np.ones((2, 3)))


def test_a_name_that_the_table_lacks():
    with pytest.raises(ValueError, match=r"columns that X does not have: \['size'\]"):
        OnColumns(RBF(), ["age", "size"]).bind(NAMES, 3)


def test_a_name_where_the_table_has_none():
    with pytest.raises(ValueError, match="X has no column names: give a DataFrame"):
        OnColumns(RBF(), ["age"]).bind(None, 3)


def test_a_position_beyond_the_table():
    with pytest.raises(ValueError, match="uses column 3, but X has 3 columns"):
        OnColumns(RBF(), [0, 3]).bind(NAMES, 3)


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        (RBF((1.0, 2.0)), "length_scale of RBF"),
        (Linear((1.0, 2.0)), "variance of Linear"),
        (Periodic(1.0, (1.0, 2.0)), "period of Periodic"),
        (Categorical((1.0, 2.0)), "length_scale of Categorical"),
        (1.0 + RBF((1.0, 2.0)) * Linear(), "length_scale of RBF"),
        (OnColumns(RBF((1.0, 2.0)), [0]), "length_scale of RBF"),
    ],
    ids=str,
)
def test_parameters_by_column_must_fit_the_table(kernel, name):
    with pytest.raises(ValueError, match=f"{name} has 2 elements, but the inputs have . column"):
        kernel.bind(NAMES, 3)


def test_a_new_table_has_a_scale_of_its_own():
    fitted = OnColumns(Periodic(1.0, 24.0), [1]).with_input_scale(np.array([3.0, 6.0]))
    assert fitted.kernel == Periodic(1.0, 24.0, input_scale=6.0)
    assert fitted.bind(None, 2) == OnColumns(Periodic(1.0, 24.0), [1])


def test_columns_that_have_a_period():
    kernel = RBF() + OnColumns(Periodic() * RBF(), [2, 0])
    assert kernel.periodic_columns(4) == {0, 2}


@pytest.mark.parametrize("far", [1.0, 1e3, 1e200])
@pytest.mark.parametrize("kernel", [2.5 * RBF((1.0, 2.0)), RBF(2.0) * 3.0, 2.0 * Matern(1.5)])
def test_a_device_multiplies_by_a_factor_in_its_own_way(kernel, far):
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(30, 2)), rng.normal(size=(20, 2))
    X[:5] *= far
    expected = kernel(X, Z)
    found = to_numpy(kernel(on_device(X), on_device(Z)))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
