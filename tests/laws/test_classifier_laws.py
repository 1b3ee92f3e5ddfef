"""Laws of the whole classifier, at fixed hyperparameters and with every row in the basis."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsegp.tables.rows as rows_module
from sparsegp import SparseGPClassifier
from sparsegp.kernels import RBF, Constant
from tests.property_settings import cases

INFERENCES = st.sampled_from(["ep", "variational"])
SAME = {"rtol": 0.0, "atol": 1e-7}


def table(seed, n=25, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.floor(n_classes * rng.beta(2.0, 2.0, n) * 0.4 + 0.6 * n_classes * (X[:, 0] > 0.0))
    y[:n_classes] = np.arange(n_classes)
    return X, np.minimum(y, n_classes - 1).astype(int)


def classifier(**options):
    kernel = Constant(3.0) * RBF(0.8)
    fixed = {"optimizer": None, "max_basis": 1000, "random_state": 0, "transform_X": "none"}
    return SparseGPClassifier(kernel, **fixed | options)


@cases(15)
@given(seed=st.integers(0, 1000), inference=INFERENCES, n_classes=st.integers(2, 4))
def test_the_order_of_rows_does_not_matter(seed, inference, n_classes):
    X, y = table(seed, n_classes=n_classes)
    order = np.random.default_rng(seed).permutation(len(X))
    model = classifier(inference=inference)
    first = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(model.fit(X[order], y[order]).predict_proba(X), first, **SAME)


@cases(15)
@given(seed=st.integers(0, 1000), inference=INFERENCES, n_classes=st.integers(2, 4))
def test_integer_weights_are_repeated_rows(seed, inference, n_classes):
    X, y = table(seed, n_classes=n_classes)
    weight = np.random.default_rng(seed).integers(0, 4, size=len(X))
    weight[:n_classes] = 1  # every class is there
    model = classifier(inference=inference)
    weighted = model.fit(X, y, sample_weight=weight).predict_proba(X)
    evidence = model.log_marginal_likelihood_value_
    repeated = model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).predict_proba(X)
    np.testing.assert_allclose(weighted, repeated, **SAME)
    assert model.log_marginal_likelihood_value_ == pytest.approx(evidence, rel=1e-7)


@cases(10)
@given(seed=st.integers(0, 1000), inference=INFERENCES)
def test_two_classes_have_no_first_and_second(seed, inference):
    X, y = table(seed)
    model = classifier(inference=inference)
    p = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(model.fit(X, 1 - y).predict_proba(X), p[:, ::-1], **SAME)


@pytest.mark.parametrize("settings", [{"inference": "ep"}, {"posterior": "active"}], ids=str)
def test_the_size_of_blocks_does_not_matter(settings, monkeypatch):
    X, y = table(1, n=300, n_classes=3)
    model = classifier(max_basis=10, **settings)
    whole = model.fit(X, y).predict_proba(X)
    monkeypatch.setattr(rows_module, "SMALLEST_BLOCK", 7)
    monkeypatch.setattr(rows_module.block_size, "__defaults__", (1,))
    assert rows_module.block_size(30) == 7
    np.testing.assert_allclose(model.fit(X, y).predict_proba(X), whole, **SAME)
