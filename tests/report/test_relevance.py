"""Relevance and effects against what can be computed by hand."""

import numpy as np
import pytest

from sparsegp import SparseGPClassifier, SparseGPRegressor
from sparsegp.kernels import RBF, Categorical, Linear, OnColumns, OneHot
from sparsegp.report import About, length_scales, relevance
from sparsegp.report.effects import effect
from sparsegp.report.inputs import inputs_of
from sparsegp.report.relevance import variance_shares
from sparsegp.report.report_data import make_report_data


@pytest.fixture(scope="module")
def additive():
    """Return a model of 3·x0 + code of x1, x2 without effect."""
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.uniform(-1, 1, 300), rng.integers(0, 3, 300), rng.normal(size=300)])
    y = 3.0 * X[:, 0] + X[:, 1]
    kernel = 1.0 * OnColumns(RBF((1.0, 1.0)), [0, 2]) * OnColumns(Categorical(2.0), [1])
    model = SparseGPRegressor(kernel, max_basis=40, random_state=0).fit(X, y)
    return make_report_data(model, X, y, About())


def test_an_input_without_effect_is_irrelevant(additive):
    lost = relevance(additive.model, additive.X)
    shares = variance_shares(additive, inputs_of(additive))
    assert lost[2] < 0.1 * min(lost[0], lost[1])
    # variances of 3·x0 and of the code: 3 and 2/3
    np.testing.assert_allclose(shares, [9 / 11, 2 / 11, 0.0], atol=0.06)


def test_relevance_falls_with_the_length_scale():
    X = np.random.default_rng(0).normal(size=(100, 3))
    kernel = RBF((0.5, 2.0, 50.0), "fixed")
    model = SparseGPRegressor(kernel, max_basis=10, optimizer=None, transform_X="none")
    lost = relevance(model.fit(X, X[:, 0]), X)
    assert lost[0] > lost[1] > lost[2]
    # two standard normal values: E[1 − exp(−Δ²/2ℓ²)] = 1 − (1 + 2/ℓ²)^(−½)
    np.testing.assert_allclose(lost, 1 - (1 + 2 / np.array([0.5, 2, 50]) ** 2) ** -0.5, atol=0.08)


def test_length_scales_of_sums_products_and_kernels_without_any():
    kernel = OnColumns(RBF((0.5, 3.0)), [0, 2]) + OnColumns(Categorical(4.0), [1]) * Linear()
    assert length_scales(kernel + RBF(7.0), 3) == [[0.5, 7.0], [4.0, 7.0], [3.0, 7.0]]
    assert length_scales(Linear(), 2) == [[], []]


def test_a_category_of_one_hot_coordinates_has_a_length_scale_for_each_level():
    kernel = OneHot(RBF((1.0, 2.0, 3.0, 4.0, 5.0)), {1: (1, 2), 0: (3,)})
    assert length_scales(kernel, 4) == [[5.0], [3.0, 4.0], [1.0], [2.0]]


def test_an_effect_follows_the_function_with_a_band_around_it(additive):
    found = effect(additive, inputs_of(additive)[0])
    (curve,) = found.curves
    assert not found.is_categorical
    slope = np.diff(curve.mean) / np.diff(found.values)
    np.testing.assert_allclose(slope, 3.0, atol=0.4)
    assert np.all(curve.lower < curve.mean)
    assert np.all(curve.mean < curve.upper)


def test_the_effect_of_a_category_has_a_point_for_each_level(additive):
    found = effect(additive, inputs_of(additive)[1])
    assert found.is_categorical
    np.testing.assert_array_equal(found.values, [0.0, 1.0, 2.0])
    np.testing.assert_allclose(np.diff(found.curves[0].mean), 1.0, atol=0.15)


def test_the_effect_on_a_warped_target_is_on_what_predict_gives():
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (200, 1))
    y = np.exp(X[:, 0] + 0.8 * rng.normal(size=200))  # E[y | x] = exp(x + 0.32)
    model = SparseGPRegressor("rbf", max_basis=20, transform_y="log", random_state=0).fit(X, y)
    data = make_report_data(model, X, y, About())
    found = effect(data, inputs_of(data)[0])
    (curve,) = found.curves
    np.testing.assert_allclose(curve.mean, model.predict(found.values[:, None]), rtol=1e-9)
    epistemic = model.predict_uncertainty(found.values[:, None]).epistemic
    np.testing.assert_allclose(curve.upper - curve.mean, 1.96 * epistemic, rtol=1e-4)
    assert np.all(
        curve.mean > 1.1 * model.predict_latent(found.values[:, None], return_std=True)[0]
    )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_effects_of_classes_are_probabilities_inside_their_band(n_classes):
    X = np.random.default_rng(0).uniform(-3, 3, (150, 2))
    y = np.clip(np.round(X[:, 0] / 2 + 1).astype(int), 0, n_classes - 1)
    model = SparseGPClassifier(max_basis=10, random_state=0).fit(X, y)
    data = make_report_data(model, X, y, About())
    found = effect(data, inputs_of(data)[0])
    assert [curve.label for curve in found.curves] == (["1"] if n_classes == 2 else ["0", "1", "2"])
    for curve in found.curves:
        assert np.all((curve.lower >= 0) & (curve.upper <= 1))
        assert np.all(curve.lower <= curve.mean + 1e-6)
        assert np.all(curve.mean <= curve.upper + 1e-6)
    last = found.curves[-1].mean
    assert last[0] < 0.2
    assert last[-1] > 0.8
