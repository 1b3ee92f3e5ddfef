"""One-hot coordinates of category codes, against a loop over rows and levels."""

import numpy as np
import pytest

from sparsegp.kernels import RBF, Auto, Categorical, Linear, OnColumns, OneHot, Periodic
from sparsegp.kernels.auto import fill_placeholder, placeholder_part, placeholders

LEVELS = {1: (1.0, 2.0, 5.0), 2: (0.0, 1.0)}
X = np.array([[0.3, 2.0, 1.0], [-1.0, 1.0, 0.0], [0.5, 7.0, 0.0], [0.5, 5.0, -1.0]])


def naive_coordinates(row):
    found = [row[0]]
    for column, codes in LEVELS.items():
        known = row[column] in codes
        unknown = 1.0 / len(codes)
        found += [float(row[column] == code) if known else unknown for code in codes]
    return found


def test_coordinates_of_known_and_unknown_codes():
    expected = [naive_coordinates(row) for row in X]
    np.testing.assert_allclose(OneHot(RBF(), LEVELS).coordinates(X), expected)


def naive_correlation(kernel, column):
    """The mean of k(a, b) over pairs of levels of one category; its diagonal is one."""
    rows = np.tile([0.0, 1.0, 0.0], (len(LEVELS[column]), 1))
    rows[:, column] = LEVELS[column]
    K = kernel(rows, rows)
    pairs = [K[a, b] for a in range(len(K)) for b in range(len(K)) if a != b]
    return np.mean(pairs)


def test_the_kernel_is_the_one_inside_at_the_coordinates():
    inside = RBF((0.7, 1.0, 2.0, 3.0, 0.5, 4.0))
    rows = np.array([naive_coordinates(row) for row in X])
    kernel = OneHot(inside, LEVELS)
    expected = inside(rows, rows)
    for i, x in enumerate(X):
        for j, z in enumerate(X):
            for column, codes in LEVELS.items():
                either = x[column] not in codes or z[column] not in codes
                if either and x[column] != z[column]:
                    expected[i, j] *= naive_correlation(kernel, column)
    np.testing.assert_allclose(kernel(X, X), expected)
    np.testing.assert_allclose(kernel.bind_Z(X)(X[1:]), expected[1:])
    assert np.linalg.eigvalsh(kernel(X, X))[0] > 0.0


def test_two_levels_are_the_sum_of_their_squared_inverse_length_scales_apart():
    kernel = OneHot(RBF((1.0, 0.5, 2.0, 4.0)), {0: (1, 2, 3, 4)})
    K = kernel(np.array([[1.0], [2.0]]), np.array([[3.0]]))[:, 0]
    np.testing.assert_allclose(-2.0 * np.log(K), [1.0 + 0.25, 4.0 + 0.25])


def test_an_unknown_code_is_less_like_a_level_than_two_levels_are():
    kernel = OneHot(RBF((1.0, 0.5, 2.0, 4.0)), {0: (1, 2, 3, 4)})
    levels = np.arange(1.0, 5.0)[:, None]
    between = kernel(levels, levels)[~np.eye(4, dtype=bool)].mean()
    assert np.all(kernel(np.array([[9.0]]), levels) < between)


def test_it_has_a_metric_for_neighbours():
    kernel = OneHot(RBF((0.7, 1.0, 2.0, 3.0, 0.5, 4.0)), LEVELS)
    u = kernel.embedding(X, X)
    square = np.sum((u[:1] - u) ** 2, axis=1)
    np.testing.assert_allclose(np.exp(-0.5 * square)[:2], kernel(X[:1], X[:2])[0])


def test_numbers_have_a_gradient_and_codes_have_none():
    kernel, Z, h = OneHot(RBF((0.7, 1.0, 2.0, 3.0, 0.5, 4.0)), LEVELS), X[:2], 1e-6
    _, pull = kernel.vjp(X, Z)
    by_Z = pull(np.ones((4, 2)))[1]
    step = np.array([[h, 0.0, 0.0]])
    change = (kernel(X, Z + step) - kernel(X, Z - step)).sum(axis=0) / (2.0 * h)
    np.testing.assert_allclose(by_Z[:, 0], change, rtol=1e-6)
    np.testing.assert_array_equal(by_Z[:, 1:], 0.0)


def test_the_placeholder_inside_is_bound_to_the_coordinates_and_filled():
    template = OneHot(Auto(), LEVELS).bind(None, 3)
    assert placeholders(template)[0].n_columns == 6
    filled = fill_placeholder(template, 2.0 * RBF((1.0,) * 6))
    assert filled == OneHot(2.0 * RBF((1.0,) * 6), LEVELS)
    assert placeholder_part(template, filled) == 2.0 * RBF((1.0,) * 6)


def test_columns_are_told_by_their_positions_in_the_table():
    kernel = OnColumns(OneHot(OnColumns(Periodic(1.0, 3.0), [0]), LEVELS), [3, 0, 1])
    assert kernel.coded_columns(5) == {0, 1}
    assert kernel.periodic_columns(5) == {3}


def test_periods_are_in_the_units_of_the_numbers():
    kernel = OneHot(OnColumns(Periodic(1.0, 24.0), [1]), {0: (1, 2)}).bind(None, 3)
    scaled = kernel.with_input_scale(np.array([1.0, 3.0, 6.0]))
    rows = np.array([[1.0, 0.2, 5.0], [2.0, 0.1, 7.0]])
    np.testing.assert_allclose(
        scaled(rows / [1.0, 3.0, 6.0], rows / [1.0, 3.0, 6.0]), kernel(rows, rows)
    )


@pytest.mark.parametrize(
    "levels", [{0: ()}, {0: (1, 1)}, {-1: (1, 2)}, [(0, (1, 2)), (0, (3,))]], ids=str
)
def test_levels_that_are_none_are_refused(levels):
    with pytest.raises(ValueError, match="levels of OneHot must be different codes"):
        OneHot(RBF(), levels)


def test_a_column_that_the_table_does_not_have_is_refused():
    with pytest.raises(ValueError, match="name column 2, but X has 2 columns"):
        OneHot(Linear(), {2: (1, 2)}).bind(None, 2)


def test_it_is_printed_with_the_number_of_levels():
    assert repr(OneHot(2.0 * RBF(), LEVELS)) == "OneHot(2.0 * RBF(1.0), levels={1: 3, 2: 2})"


def test_equal_length_scales_are_a_categorical_kernel():
    X = np.arange(1.0, 4.0)[:, None]
    hot = OneHot(RBF((2.0, 2.0, 2.0)), {0: (1, 2, 3)})
    np.testing.assert_allclose(hot(X, X), Categorical(4.0)(X, X))
