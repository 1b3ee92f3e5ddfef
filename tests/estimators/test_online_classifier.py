"""The on-line classifier: portions, pickles, labels, many classes on one basis."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from sparsegp import OnlineGPClassifier

RNG = np.random.default_rng(0)
X = RNG.uniform(-3.0, 3.0, (300, 2))
Y = np.where(np.hypot(X[:, 0], X[:, 1]) < 2.0, "in", "out")
MANY_X, MANY = make_blobs(300, 2, centers=5, cluster_std=1.0, random_state=1)


def quick(**options):
    return OnlineGPClassifier(**{"max_basis": 25, "n_warmup": 60, "random_state": 0} | options)


def streamed(model, *cuts):
    for rows, labels in zip(np.split(X, cuts), np.split(Y, cuts), strict=True):
        model.partial_fit(rows, labels, classes=["in", "out"])
    return model


def test_two_classes():
    model = streamed(quick(), 100, 200)
    assert np.mean(model.predict(X) == Y) > 0.93
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    mean, _ = model.predict_latent(X, return_std=True)
    np.testing.assert_array_equal(mean > 0.0, model.predict(X) == "out")
    assert model.slope_ > 0.0
    assert model.n_basis_ == 25 and model.n_seen_ == 300


def test_many_classes_share_a_basis():
    model = quick().fit(MANY_X, MANY)
    assert np.mean(model.predict(MANY_X) == MANY) > 0.85
    np.testing.assert_allclose(model.predict_proba(MANY_X).sum(axis=1), 1.0)
    assert model.basis_vectors_.shape == (25, 2)
    assert model.predict_latent(MANY_X, return_std=True)[0].shape == (300, 5)


@pytest.mark.parametrize("cuts", [range(1, 120), (3, 59, 61)])
def test_portions_do_not_matter(cuts):
    whole = quick().partial_fit(X[:120], Y[:120], classes=["in", "out"])
    parts = quick()
    for rows, labels in zip(np.split(X[:120], cuts), np.split(Y[:120], cuts), strict=True):
        parts.partial_fit(rows, labels, ["in", "out"])
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), atol=1e-6)


def test_a_class_that_has_not_come_yet():
    model = quick(optimizer=None).partial_fit(X[:30], Y[:30], classes=["in", "on", "out"])
    p = model.predict_proba(X)
    assert p.shape == (300, 3)
    assert np.mean(p[:, 1]) < 0.2
    model.partial_fit(X[:1], ["on"])


def test_a_pickle_goes_on_bit_for_bit():
    model = quick().partial_fit(MANY_X[:100], MANY[:100], classes=range(5))
    copy = pickle.loads(pickle.dumps(model))
    for each in (model, copy):
        each.partial_fit(MANY_X[100:150], MANY[100:150])
    np.testing.assert_array_equal(copy.predict_proba(MANY_X), model.predict_proba(MANY_X))


BAD = {
    "label 'up' in row 1": (X[:2], ["in", "up"], None),
    "classes=": (X[:2], ["in", "out"], ["in", "out", "up"]),
    "X contains NaN": (np.array([[np.nan, 0.0]]), ["in"], None),
    "3 features": (np.zeros((1, 3)), ["in"], None),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_rows_change_nothing(message):
    model = streamed(quick(), 150)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(*BAD[message])
    np.testing.assert_array_equal(model.predict_proba(X), before)
    assert model.n_seen_ == 300


def test_the_first_call_needs_classes():
    model = quick()
    with pytest.raises(ValueError, match="classes must be given"):
        model.partial_fit(X[:5], Y[:5])
    with pytest.raises(ValueError, match="only one class"):
        model.partial_fit(X[:5], ["in"] * 5, classes=["in"])
    assert not hasattr(model, "n_features_in_")


def test_sweeps_that_recycle_foretell_better():
    def loss(**options):
        model = quick(max_basis=40, **options).fit(X, Y)
        p = model.predict_proba(X)[np.arange(300), (Y == "out").astype(int)]
        return -np.mean(np.log(p))

    assert loss(n_sweeps=4) < loss(n_sweeps=1) + 0.01


def test_prune_forget_relearn():
    model = quick().fit(MANY_X, MANY)
    assert model.prune(15).n_basis_ == 15
    model.relearn()
    assert np.mean(model.predict(MANY_X) == MANY) > 0.7
    sure = model.predict_proba(MANY_X).max(axis=1).mean()
    assert model.forget(0.9).predict_proba(MANY_X).max(axis=1).mean() < sure
