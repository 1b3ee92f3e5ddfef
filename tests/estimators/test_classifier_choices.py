"""Columns and kernel of a classifier that are left open."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from sparsegp import SparseGPClassifier
from sparsegp.kernels import RBF, Auto, Categorical, OnColumns
from sparsegp.learning.structure.policy import MIN_ROWS_TO_CHOOSE


def skewed(n=300, seed=0):
    """Draw labels by the logarithm of a long-tailed column; a second one is plain."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=(n, 2))
    labels = np.where(np.sin(2.0 * u[:, 0]) + 0.5 * u[:, 1] > 0.0, "up", "down")
    return np.column_stack((np.exp(3.0 * u[:, 0]), u[:, 1])), labels


def pixels(n=150, seed=0):
    """Draw pictures of 70 pixels, most of them faint noise: the bright ones tell the label."""
    rng = np.random.default_rng(seed)
    bright = rng.normal(size=(n, 6))
    faint = 0.05 * rng.normal(size=(n, 64))
    return np.column_stack((bright, faint)), np.sum(bright[:, :3], axis=1) > 0.0


def classifier(**options):
    return SparseGPClassifier(**{"max_basis": 20, "random_state": 0} | options)


def test_a_skewed_column_is_bent_and_that_helps():
    X, y = skewed()
    new, expected = skewed(400, seed=1)
    plain, auto = (classifier(transform_X=kind).fit(X, y) for kind in ("standard", "auto"))
    assert auto.transform_X_[0] == "log"
    assert plain.transform_X_ == {0: "standard", 1: "standard"}
    assert auto.score(new, expected) > plain.score(new, expected) + 0.05
    assert np.all(np.isfinite(auto.basis_vectors_))


def test_columns_by_name():
    X, y = skewed()
    frame = pd.DataFrame(X, columns=["price", "share"])
    model = classifier(transform_X={"price": "quantile"}, optimizer=None).fit(frame, y)
    assert model.transform_X_ == {"price": "quantile", "share": "standard"}
    everywhere = classifier(transform_X="quantile", optimizer=None).fit(frame, y)
    assert set(everywhere.transform_X_.values()) == {"quantile"}
    with pytest.raises(ValueError, match="names a column that X does not have: 'size'"):
        clone(model).set_params(transform_X={"size": "none"}).fit(frame, y)


def test_pixels_get_one_scale():
    X, y = pixels()
    new, expected = pixels(400, seed=1)
    plain, auto = (classifier(transform_X=kind).fit(X, y) for kind in ("standard", "auto"))
    assert set(auto.transform_X_.values()) == {"common"}
    assert auto.score(new, expected) > plain.score(new, expected)


def test_the_kernel_by_evidence_is_told():
    X, y = skewed(200)
    model = classifier(kernel="auto", transform_X={0: "quantile"}).fit(X, y)
    (won,) = [entry["kernel"] for entry in model.history_ if entry["phase"] == "kernel"]
    assert won.split()[0] in repr(model.kernel_) and "Auto" not in repr(model.kernel_)
    assert model.score(X, y) > 0.85
    assert clone(model).get_params()["kernel"] == "auto"


def test_many_columns_share_the_length_scale_of_a_kernel_by_evidence():
    X, y = pixels()
    model = classifier(kernel="auto", transform_X="common").fit(X, y)
    assert len(model.kernel_.theta) < 10


def test_categories_keep_their_kernel():
    X, y = skewed(200)
    codes = np.random.default_rng(0).integers(0, 3, 200)
    kernel = OnColumns(Auto(), [0, 1]) * OnColumns(Categorical(2.0), [2])
    model = classifier(kernel=kernel, transform_X="auto").fit(np.column_stack((X, codes)), y)
    assert model.transform_X_[2] == "standard" and "Categorical" in repr(model.kernel_)


def test_three_classes():
    X, _ = skewed(120)
    y = np.digitize(np.log(X[:, 0]), [-1.5, 1.5])
    model = classifier(kernel="auto", transform_X="auto").fit(X, y)
    assert model.transform_X_[0] == "log" and model.score(X, y) > 0.9


@pytest.mark.parametrize("settings", [{}, {"optimizer": None}], ids=["few rows", "fixed"])
def test_where_nothing_can_be_chosen_it_is_the_default_to_the_bit(settings):
    X, y = skewed(200 if settings else MIN_ROWS_TO_CHOOSE - 1)
    auto = classifier(kernel="auto", transform_X="auto", **settings).fit(X, y)
    plain = classifier(**settings).fit(X, y)
    np.testing.assert_array_equal(auto.predict_proba(X), plain.predict_proba(X))
    assert auto.kernel_ == plain.kernel_


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "matern"}, r"kernel must be one of 'auto', .* got 'matern'"),
        ({"kernel": Auto() * Auto()}, r"kernel may hold Auto once"),
        ({"kernel": RBF(), "transform_X": {5: "none"}}, r"transform_X names column 5"),
    ],
    ids=["a name", "two gaps", "no such column"],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        classifier(**options).fit(*skewed(120))
