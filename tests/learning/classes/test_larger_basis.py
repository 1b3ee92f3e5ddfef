"""The posterior of a classifier has more basis vectors than the search, where these say more."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import log_loss

from sparsegp import SparseGPClassifier
from sparsegp.arrays import to_numpy
from sparsegp.learning.history.choices import has_refined_inputs
from tests.array_libraries import on_device


def checkerboard(n=900, seed=0):
    """Return inputs and the colours of a board of 144 fields, a tenth of them wrong."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.0, 12.0, (n, 2))
    dark = np.floor(X).sum(axis=1) % 2 == 1
    return X, dark ^ (rng.uniform(size=n) < 0.1)


def half_plane(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, X.sum(axis=1) + rng.normal(size=n) > 0.0


def tried(model):
    return [entry for entry in model.history_ if "kept" in entry]


@pytest.fixture(scope="module")
def grown():
    return SparseGPClassifier(random_state=0).fit(*checkerboard())


def test_a_larger_basis_explains_and_predicts_more(grown):
    X, y = checkerboard(seed=1)
    [entry] = tried(grown)
    assert entry["kept"] and grown.n_basis_ == len(grown.basis_indices_) == 300
    first = next(e for e in grown.history_ if e["phase"] == "final sites")
    assert grown.log_marginal_likelihood_value_ > first["log_evidence"]
    small = SparseGPClassifier(max_basis=100, random_state=0).fit(*checkerboard())
    assert not tried(small) and small.n_basis_ == 100
    assert log_loss(y, grown.predict_proba(X)) < log_loss(y, small.predict_proba(X))


def test_on_a_device_it_is_that_of_the_host(grown):
    X, y = checkerboard()
    there = SparseGPClassifier(random_state=0).fit(on_device(X), on_device(y.astype(float)))
    assert_array_equal(there.basis_indices_, grown.basis_indices_)
    found = to_numpy(there.predict_proba(on_device(X[:50])))
    assert_allclose(found, grown.predict_proba(X[:50]), atol=1e-6)


def test_its_basis_vectors_are_rows(grown):
    X, _ = checkerboard()
    assert np.allclose(grown.basis_vectors_, X[grown.basis_indices_])
    assert not has_refined_inputs(grown.history_)
    assert grown.prefix(50).n_basis_ == 50


def test_a_basis_that_explains_enough_stays():
    model = SparseGPClassifier(random_state=0).fit(*half_plane())
    assert not tried(model) and model.n_basis_ <= 100


def test_a_time_budget_and_given_candidates_keep_the_size():
    X, y = checkerboard(300)
    assert not tried(SparseGPClassifier(random_state=0, time_limit=60.0).fit(X, y))
    assert not tried(SparseGPClassifier(random_state=0).fit(X, y, candidates=X[:150]))
