"""Numbers that are names of groups get a mean for each; quantities do not."""

import numpy as np
import pytest

from sparsegp import SparseGPClassifier, SparseGPRegressor, load
from sparsegp.files.numpy_predictor import NumpyPredictor
from sparsegp.learning.history.choices import chosen_kernel
from sparsegp.learning.structure.random_intercepts import recurring_columns


def panel(seed=0, n_shops=60, n_rows=600, deviation=1.0):
    """Return numbers of shops and a quantity, and sales with a mean for each shop."""
    rng = np.random.default_rng(seed)
    shop = rng.integers(n_shops, size=n_rows)
    number = 1_000 + rng.permutation(n_shops)[shop]  # neighbouring numbers have nothing in common
    size = rng.uniform(-2.0, 2.0, n_rows)
    means = deviation * rng.normal(size=n_shops)
    y = np.sin(size) + means[shop] + 0.3 * rng.normal(size=n_rows)
    return np.stack((number.astype(float), size), axis=1), y


def intercepts(model):
    found = [each["columns"] for each in model.history_ if each["phase"].endswith("intercepts")]
    return found[0] if found else []


@pytest.fixture(scope="module")
def fitted():
    X, y = panel()
    return SparseGPRegressor(transform_y="standard", random_state=0).fit(X[:450], y[:450])


def test_numbers_of_shops_have_intercepts(fitted):
    X, y = panel()
    assert intercepts(fitted) == [0]
    error = fitted.predict(X[450:]) - y[450:]
    assert np.sqrt(np.mean(error**2)) < 0.6  # of 1.2; about .3 is noise


def test_labels_of_shops_have_intercepts_in_a_regression_on_labels():
    X, y = panel(n_rows=900)
    X, y, X_test, y_test = X[:600], y[:600] > 0.0, X[600:], y[600:] > 0.0
    options = {"kernel": "auto", "inference": "least_squares", "max_basis": 600}
    model = SparseGPClassifier(random_state=0, **options).fit(X, y)
    assert intercepts(model) == [0]
    assert chosen_kernel(model.history_).endswith("random intercepts")
    error = np.mean(model.predict(X_test) != y_test)
    plain = SparseGPClassifier(random_state=0, **options | {"kernel": "rbf"}).fit(X, y)
    assert error < 0.8 * np.mean(plain.predict(X_test) != y_test)
    # sites have few basis vectors, and inputs that move are no rows
    assert intercepts(SparseGPClassifier(kernel="auto", random_state=0).fit(X[:99], y[:99])) == []
    refined = SparseGPClassifier(refine_basis=True, **options | {"max_basis": 20}, random_state=0)
    assert intercepts(refined.fit(X[:99], y[:99])) == []


def test_an_intercept_and_a_part_of_short_range_go_together():
    rng = np.random.default_rng(0)
    X, _ = panel()
    day, means = rng.uniform(0.0, 45.0, len(X)), 0.3 * rng.normal(size=60)
    cycle = 0.003 * day**2 + np.sin(2.0 * np.pi * day)
    X[:, 1], y = day, cycle + means[X[:, 0].astype(int) - 1_000] + 0.1 * rng.normal(size=len(X))
    model = SparseGPRegressor(transform_y="standard", random_state=0).fit(X, y)
    assert intercepts(model) == [0]
    assert model.noise_std_ == pytest.approx(0.1, rel=0.3)


def test_an_unseen_number_has_the_uncertainty_of_a_shop(fitted):
    X, _ = panel()
    _, std = fitted.predict(np.array([[X[0, 0], 0.0], [999.5, 0.0]]), return_std=True)
    assert std[1] > 0.9 and std[0] < 0.6


def test_files_keep_them(fitted, tmp_path):
    X, _ = panel()
    fitted.save(tmp_path / "model")
    expected = fitted.predict(X, return_std=True)
    assert np.array_equal(load(tmp_path / "model").predict(X, return_std=True), expected)
    alone = NumpyPredictor(tmp_path / "model").predict(X, return_std=True)
    assert np.allclose(alone, expected, atol=1e-8)


def test_quantities_have_none():
    rng = np.random.default_rng(0)
    age, size = rng.integers(20, 60, size=300), rng.normal(size=300)
    y = np.sin(age / 10.0) + size + 0.3 * rng.normal(size=300)
    X = np.stack((age.astype(float), size), axis=1)
    assert recurring_columns(X) == (0,)
    model = SparseGPRegressor(transform_y="standard", random_state=0).fit(X, y)
    assert intercepts(model) == []


@pytest.mark.parametrize(
    ("column", "recurs"),
    [
        (np.arange(100) // 4, True),
        (np.arange(100) % 5, False),  # few values
        (np.arange(100), False),  # each once
        (0.5 + np.arange(100) // 4, False),  # no whole numbers
    ],
)
def test_what_recurs(column, recurs):
    X = np.stack((np.linspace(0.0, 1.0, 100), column), axis=1)
    assert recurring_columns(X) == ((1,) if recurs else ())


def test_codes_of_categories_are_not_asked():
    X = (np.arange(100) // 4)[:, None].astype(float)
    assert recurring_columns(X, frozenset({0})) == ()
