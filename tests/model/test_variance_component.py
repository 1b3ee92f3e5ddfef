"""Score tests of a further component against dense formulas, differences and their own law."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.kernels import RBF, Categorical, Constant, OnColumns
from sparsegp.model.exact import exact_log_evidence
from sparsegp.model.variance_component import component_scores, intercept_scores
from sparsegp.tables.rows import Rows
from tests.property_settings import cases

KERNEL = Constant(0.8) * OnColumns(RBF(0.7), [0])
NOISE = 0.3


def drawn(seed, n=30, n_levels=6, n_outputs=1, weighted=False):
    rng = np.random.default_rng(seed)
    level = rng.integers(n_levels, size=n)
    X = np.stack((rng.normal(size=n), level.astype(float)), axis=1)
    weight = rng.integers(1, 4, size=n).astype(float) if weighted else None
    return Rows(X, rng.normal(size=(n, n_outputs)), weight), level


def dense(rows, level):
    """Return slope and information from n×n matrices."""
    weight = np.ones(len(level)) if rows.weight is None else rows.weight
    inverse = np.linalg.inv(KERNEL(rows.X, rows.X) + np.diag(NOISE / weight))
    G = (level[:, None] == level[None, :]) - np.eye(len(level))
    a, p = inverse @ rows.y, rows.y.shape[1]
    slope = 0.5 * (np.sum(a * (G @ a)) - p * np.trace(inverse @ G))
    return slope, 0.5 * p * np.trace(inverse @ G @ inverse @ G)


@cases(20)
@given(st.integers(0, 10_000), st.integers(1, 2), st.booleans())
def test_it_is_the_dense_formula(seed, n_outputs, weighted):
    rows, level = drawn(seed, n_outputs=n_outputs, weighted=weighted)
    slope, information = dense(rows, level)
    [found] = intercept_scores(KERNEL, rows, NOISE, [level])
    assert found == pytest.approx(slope / information**0.5, rel=1e-8)


def test_the_slope_is_that_of_the_evidence():
    rows, level = drawn(1)
    intercept = OnColumns(Categorical(0.01, "fixed"), [1])
    step = 1e-4
    # the random intercept has ones on its diagonal: they are taken from the noise
    higher, same = (
        exact_log_evidence(KERNEL + Constant(v) * intercept, rows, NOISE - v)
        for v in (2.0 * step, 1e-6)
    )
    assert (higher - same) / (2.0 * step - 1e-6) == pytest.approx(dense(rows, level)[0], rel=1e-2)


@cases(20)
@given(st.integers(0, 10_000), st.integers(1, 2), st.booleans())
def test_a_random_intercept_is_a_component(seed, n_outputs, weighted):
    rows, level = drawn(seed, n_outputs=n_outputs, weighted=weighted)
    same = (level[:, None] == level[None, :]).astype(float)
    [component] = component_scores(KERNEL, rows, NOISE, [same])
    [intercept] = intercept_scores(KERNEL, rows, NOISE, [level])
    slope, information = dense(rows, level)
    np.testing.assert_allclose((component.slope, component.information), (slope, information))
    assert component.deviations == pytest.approx(intercept)
    assert component.step == pytest.approx(slope / information)
    assert np.all(np.diagonal(same) == 1.0)  # what is given stays as it is


def test_the_slope_of_a_kernel_is_that_of_the_evidence():
    rows, _ = drawn(3)
    short = OnColumns(RBF(0.1), [0])
    [score] = component_scores(KERNEL, rows, NOISE, [short(rows.X, rows.X)])
    step = 1e-5
    # the diagonal of the component is taken from the noise
    value = {
        v: exact_log_evidence(KERNEL + Constant(v) * short, rows, NOISE - v)
        for v in (step, 3 * step)
    }
    assert (value[3 * step] - value[step]) / (2 * step) == pytest.approx(score.slope, rel=1e-2)


def test_a_level_of_one_row_says_nothing():
    rows, _ = drawn(2)
    [found] = intercept_scores(KERNEL, rows, NOISE, [np.arange(len(rows))])
    assert found == 0.0


def test_it_is_standard_normal_where_levels_have_no_means():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    level = np.arange(60) % 12
    L = np.linalg.cholesky(KERNEL(X, X) + NOISE * np.eye(60))
    found = [
        intercept_scores(KERNEL, Rows(X, L @ rng.normal(size=(60, 1))), NOISE, [level])[0]
        for _ in range(400)
    ]
    assert abs(np.mean(found)) < 0.15 and 0.85 < np.std(found) < 1.15
