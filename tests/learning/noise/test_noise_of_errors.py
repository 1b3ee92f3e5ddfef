"""The noise of predictions that neighbours correct."""

import numpy as np
import pytest

from sparsegp import SparseGPRegressor
from sparsegp.kernels import RBF


@pytest.fixture(autouse=True)
def short_climb(monkeypatch):
    for room in ("hyperparameters.policy", "neighbours.families"):
        monkeypatch.setattr(f"sparsegp.learning.{room}.SEGMENTS", (10, 20, 40))


def table(deviation, n=4_000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 1))
    return X, np.sin(6.0 * X[:, 0]) + deviation(X[:, 0]) * rng.normal(size=n)


def uneven(x):
    return np.where(x > 0.0, 0.5, 0.05)


def fitted(deviation, **options):
    given = {"max_basis": 40, "n_neighbors": 10, "transform_X": "none", "transform_y": "none"}
    model = SparseGPRegressor(RBF(0.4), random_state=0, **given | options)
    return model.fit(*table(deviation))


def test_errors_that_depend_on_the_inputs_are_found():
    model = fitted(uneven, noise="auto")
    assert model.noise_ == "heteroscedastic"
    _, std = model.predict(np.array([[-1.0], [1.0]]), return_std=True)
    assert 0.03 < std[0] < 0.1
    assert 0.35 < std[1] < 0.65


def test_errors_that_do_not_depend_on_the_inputs_are_left_alone():
    model = fitted(lambda x: 0.2, noise="auto")
    assert model.noise_ in ("gaussian", "student_t")
    choice = [e for e in model.history_ if e["phase"] == "choice of noise"]
    assert choice[-1]["chosen"] == "gaussian"


@pytest.mark.parametrize("kind", ["gaussian", "student_t", "heteroscedastic"])
def test_a_noise_can_be_asked_for(kind):
    model = fitted(lambda x: 0.2, noise=kind)
    assert model.noise_ == kind
    X, y = table(lambda x: 0.2, n=500, seed=1)
    low, high = model.predict_interval(X, 0.95)
    assert 0.92 < np.mean((low <= y) & (y <= high)) < 0.98
