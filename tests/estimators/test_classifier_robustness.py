"""No table breaks a classifier: no NaN, no LinAlgError, no warning, no odd probability.

Warnings are errors in this run, so one of NumPy fails the test.
"""

import numpy as np
import pytest

from sparsegp import SparseGPClassifier
from sparsegp.kernels import RBF, Categorical, Constant, Linear, Matern
from tests.in_pairs import in_pairs

MODELS = {
    "ep": {"inference": "ep"},
    "variational": {"inference": "variational"},
    "least squares": {"inference": "least_squares"},
    "active": {"posterior": "active", "n_adaptations": 2},
}
every_model = pytest.mark.parametrize("settings", MODELS.values(), ids=MODELS)
two_or_three = pytest.mark.parametrize("n_classes", [2, 3])


@pytest.fixture(autouse=True)
def short_searches(monkeypatch):
    """Soundness needs no optimum."""
    monkeypatch.setattr("sparsegp.learning.classes.label_targets.SHORT_STAGES", ((200, 25),))
    monkeypatch.setattr("sparsegp.learning.classes.policy.EVALUATIONS", 20)


def rows_and_sectors(n_classes, n=40):
    """Draw rows, classes that a line or two separate, and classes that are noise."""
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(n, 2))
    clean = np.digitize(X[:, 0], np.linspace(-0.5, 0.5, n_classes + 1)[1:-1])
    noise = rng.permutation(np.arange(n) % n_classes)
    return X, clean, noise


def separable(n_classes):
    X, clean, _ = rows_and_sectors(n_classes)
    return X + 10.0 * np.stack((clean, -clean), axis=1), clean


def one_row_of_a_class(n_classes):
    X, _, _ = rows_and_sectors(n_classes)
    y = np.arange(40) % (n_classes - 1)
    y[5] = n_classes - 1
    return X, y


def copies_with_every_label(n_classes):
    X, _, noise = rows_and_sectors(n_classes)
    return np.tile(X[:10], (4, 1)), noise


def constant_columns(n_classes):
    X, clean, _ = rows_and_sectors(n_classes)
    return np.column_stack((X, np.full(40, 3.0), np.zeros(40))), clean


def all_columns_constant(n_classes):
    _, _, noise = rows_and_sectors(n_classes)
    return np.full((40, 2), 7.0), noise


def a_row_of_each_class(n_classes):
    X, _, _ = rows_and_sectors(n_classes)
    return X[:n_classes], np.arange(n_classes)


def huge_offsets(n_classes):
    X, clean, _ = rows_and_sectors(n_classes)
    return X + np.array([1e9, -1e6]), clean


def huge_and_tiny_scales(n_classes):
    X, clean, _ = rows_and_sectors(n_classes)
    return X * [1e150, 1e-150], clean


def a_row_far_away(n_classes):
    X, clean, _ = rows_and_sectors(n_classes)
    X[0] = 1e8
    return X, clean


def fewer_rows_than_basis_vectors(n_classes):
    X, clean, _ = rows_and_sectors(n_classes)
    return X[:7], np.concatenate((np.arange(n_classes), clean[n_classes:7]))


def nothing_to_learn(n_classes):
    X, _, noise = rows_and_sectors(n_classes)
    return X, noise


def more_columns_than_rows(n_classes):
    return np.random.default_rng(0).normal(size=(12, 70)), np.arange(12) % n_classes


TABLES = (
    separable,
    one_row_of_a_class,
    copies_with_every_label,
    constant_columns,
    all_columns_constant,
    a_row_of_each_class,
    huge_offsets,
    huge_and_tiny_scales,
    a_row_far_away,
    fewer_rows_than_basis_vectors,
    nothing_to_learn,
    more_columns_than_rows,
)


def assert_sound(model, X):
    n_classes = len(model.classes_)
    for at in (X, X + 1.0, -10.0 * X):
        p = model.predict_proba(at)
        assert p.shape == (len(X), n_classes)
        assert np.all((p >= 0.0) & (p <= 1.0))  # false for NaN
        np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-9)
        assert set(model.predict(at)) <= set(model.classes_)
        mean, std = model.predict_latent(at, return_std=True)
        assert np.all(np.isfinite(mean)) and np.all(np.isfinite(std))
        assert np.all(std >= 0.0)
    assert np.isfinite(model.log_marginal_likelihood_value_)
    assert np.all(np.isfinite(model.selection_path_))
    assert np.all(np.isfinite(model.basis_vectors_))
    assert 1 <= model.n_basis_ <= len(X)
    assert np.all(np.isfinite(model.prefix(1).predict_proba(X)))


def fit(X, y, **settings):
    return SparseGPClassifier(**{"max_basis": 8, "random_state": 0} | settings).fit(X, y)


CASES = in_pairs({table.__name__: table for table in TABLES}, MODELS, {"2": 2, "3": 3})


@pytest.mark.parametrize(("table", "settings", "n_classes"), CASES.values(), ids=CASES)
def test_every_table_gets_probabilities(table, settings, n_classes):
    X, y = table(n_classes)
    model = fit(X, y, **settings)
    assert model.classes_.tolist() == list(range(n_classes))
    assert_sound(model, X)
    if table in (separable, huge_offsets, constant_columns, huge_and_tiny_scales):
        assert model.score(X, y) > 0.9
    if table in (all_columns_constant, copies_with_every_label):
        share = np.bincount(y) / len(y)
        error = np.abs(model.predict_proba(X) - share)
        # of an active set only one label of the copies counts
        assert np.all(error < (0.1 if table is all_columns_constant else 0.45))


@every_model
@two_or_three
def test_one_row_in_a_thousand(n_classes, settings):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1000, 2)), np.zeros(1000, dtype=int)
    if n_classes == 3:
        y[::2] = 2
    y[500] = 1
    model = fit(X, y, **settings)
    assert model.classes_.tolist() == list(range(n_classes))
    assert_sound(model, X)
    assert np.mean(model.predict_proba(X)[:, 1]) < 0.02


@every_model
def test_many_classes_of_few_rows(settings):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(12), 5)
    X = 4.0 * rng.normal(size=(12, 3))[y] + rng.normal(size=(60, 3))
    model = fit(X, y, max_basis=24, **settings)
    assert_sound(model, X)
    assert model.predict_latent(X, return_std=True)[0].shape == (60, 12)
    assert model.score(X, y) > 0.6


KERNELS = {
    "large": Constant(1e8) * RBF(1.0),
    "small": Constant(1e-8) * RBF(1.0),
    "short": RBF(1e-3) + Linear(),
    "long": Matern(1e3),
    "constant": Constant(1.0),
    "linear": Linear(),
    "codes": Categorical(),
}


@every_model
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_extreme_hyperparameters(kernel, settings):
    settings = {"kernel": kernel, "optimizer": None, **settings}
    X, clean, _ = rows_and_sectors(3)
    assert_sound(fit(X, clean, slope=1e2, **settings), X)
    X, _, noise = rows_and_sectors(2)
    assert_sound(fit(X, noise, slope=1e-2, **settings), X)
    # at zero every row is nothing to a linear kernel
    zeros = np.zeros((20, 2))
    assert_sound(fit(zeros, noise[:20], **settings | {"optimizer": "lbfgs"}), zeros)


@every_model
@pytest.mark.parametrize("weight", [1e-10, 1e8])
def test_extreme_weights(weight, settings):
    X, clean, _ = rows_and_sectors(3)
    spread = np.geomspace(1e-6, 1.0, 40)
    for weights in (np.full(40, weight), weight * spread):
        model = SparseGPClassifier(max_basis=8, random_state=0, optimizer=None, **settings)
        assert_sound(model.fit(X, clean, sample_weight=weights), X)
