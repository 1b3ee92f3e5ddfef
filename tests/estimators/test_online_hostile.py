"""Streams that begin with nothing to learn from, or contradict what was learned."""

import numpy as np
import pytest
from sklearn.metrics import r2_score

from sparsegp import OnlineGPClassifier, OnlineGPRegressor
from sparsegp.kernels import RBF

RNG = np.random.default_rng(0)
X = RNG.uniform(-3.0, 3.0, (200, 2))
Y = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.1 * RNG.standard_normal(200)
LABELS = np.where(np.hypot(X[:, 0], X[:, 1]) < 2.0, "in", "out")
NEW = RNG.uniform(-3.0, 3.0, (40, 2))


def quick(**options):
    return OnlineGPRegressor(**{"max_basis": 25, "n_warmup": 60, "random_state": 0} | options)


@pytest.mark.parametrize("n_sweeps", [1, 8])
@pytest.mark.parametrize("depth", [1.0, 5.0, 20.0])
def test_targets_below_the_edge_of_one_sided_noise(depth, n_sweeps):
    """The edge comes down to them, or leaves them out, but stays within bounds."""
    y = np.sin(X[:, 0]) + RNG.exponential(0.3, 200)
    y[::20] -= depth
    model = quick(likelihood="one_sided", n_sweeps=n_sweeps).fit(X, y)
    mean, std = model.predict(NEW, return_std=True)
    assert np.max(np.abs(mean)) < 2.0 * (depth + 3.0)
    assert np.all((std > 0.0) & (std < 2.0 * (depth + 3.0)))


@pytest.mark.parametrize("n_basis", [1, 2])
def test_a_basis_of_hardly_anything(n_basis):
    model = quick(max_basis=n_basis, n_sweeps=3).fit(X, Y)
    assert np.all(np.isfinite(model.predict(NEW)))
    pruned = quick().fit(X, Y).prune(1).partial_fit(X, Y)
    assert r2_score(Y, pruned.predict(X)) > 0.8


@pytest.mark.parametrize("scale", [1e-150, 1e-12, 1e12, 1e150])
def test_units_do_not_matter(scale):
    expected = quick().partial_fit(X, Y)
    for factor_x, factor_y in ((scale, 1.0), (1.0, scale)):
        model = quick().partial_fit(factor_x * X, factor_y * Y)
        found = np.stack(model.predict(factor_x * NEW, return_std=True)) / factor_y
        np.testing.assert_allclose(found, expected.predict(NEW, return_std=True), rtol=1e-4)


def test_a_stream_that_begins_with_equal_targets_can_still_learn():
    model = quick(kernel=RBF((1.0, 1.0))).partial_fit(X[:80], np.full(80, 2.0))
    for _ in range(3):
        model.partial_fit(X, Y)
        model.forget(0.3)
    assert r2_score(Y, model.predict(X)) > 0.8


def test_a_class_that_comes_after_the_warmup_can_still_be_learned():
    model = OnlineGPClassifier(max_basis=25, n_warmup=60, random_state=0)
    order = np.argsort(LABELS, kind="stable")  # all of one class first
    model.partial_fit(X[order], LABELS[order], classes=["in", "out"])
    assert np.mean(model.predict(X) == LABELS) > 0.8


def test_many_classes_are_announced_without_a_warning():
    model = OnlineGPClassifier(max_basis=25, n_warmup=60, random_state=0)
    for start in (0, 30):
        rows = slice(start, start + 30)
        model.partial_fit(X[rows], np.arange(30), classes=range(40))
    assert model.predict_proba(NEW).shape == (40, 40)


def test_relearning_without_anything_learned():
    model = quick(kernel=RBF((1.0, 1.0))).partial_fit(X, Y).forget(1.0)
    theta = model.kernel_.theta
    np.testing.assert_array_equal(model.relearn().kernel_.theta, theta)
    empty = quick(tolerance=5.0, n_sweeps=2).fit(X, Y)
    assert empty.relearn().n_basis_ == 0
