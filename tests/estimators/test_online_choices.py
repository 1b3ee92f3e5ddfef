"""Columns and kernel of a stream that are left open: the rows of the warm-up decide."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from sparsegp import OnlineGPClassifier, OnlineGPRegressor, load
from sparsegp.kernels import RBF, Auto, Categorical, OnColumns

RNG = np.random.default_rng(0)
U = RNG.normal(size=(300, 2))
X = np.column_stack((np.exp(3.0 * U[:, 0]), U[:, 1]))  # the first has a long tail
F = np.sin(2.0 * U[:, 0]) + 0.5 * U[:, 1]
Y = F + 0.05 * RNG.normal(size=300)
LABELS = np.where(F > 0.0, "up", "down")


def regressor(**options):
    return OnlineGPRegressor(**{"max_basis": 40, "n_warmup": 150, "random_state": 0} | options)


def classifier(**options):
    return OnlineGPClassifier(**{"max_basis": 40, "n_warmup": 150, "random_state": 0} | options)


@pytest.mark.parametrize(("make", "y"), [(regressor, Y), (classifier, LABELS)], ids=["y", "labels"])
def test_a_skewed_column_is_bent_and_that_helps(make, y):
    plain, auto = (make(transform_X=kind).fit(X[:200], y[:200]) for kind in ("standard", "auto"))
    assert plain.transform_X_ == {0: "standard", 1: "standard"}
    assert auto.transform_X_[0] in ("quantile", "log")
    assert auto.score(X[200:], y[200:]) > plain.score(X[200:], y[200:]) + 0.03
    assert np.all(np.isfinite(auto.basis_vectors_))


def test_columns_by_name():
    frame = pd.DataFrame(X, columns=["price", "share"])
    model = regressor(transform_X={"price": "quantile"}, optimizer=None).fit(frame, Y)
    assert model.transform_X_ == {"price": "quantile", "share": "standard"}
    with pytest.raises(ValueError, match="names a column that X does not have: 'size'"):
        clone(model).set_params(transform_X={"size": "none"}).fit(frame, Y)
    with pytest.raises(ValueError, match=r"transform_X must be one of 'auto', .*got 'sqrt'"):
        clone(model).set_params(transform_X="sqrt").fit(frame, Y)


@pytest.mark.parametrize(("make", "y"), [(regressor, Y), (classifier, LABELS)], ids=["y", "labels"])
def test_the_kernel_by_evidence(make, y):
    rough = make(kernel="auto", transform_X={0: "quantile"}).fit(X, y)
    assert "Auto" not in repr(rough.kernel_)
    assert ("Linear" in repr(rough.kernel_)) or make is classifier  # a stream goes elsewhere
    assert rough.score(X, y) > 0.85
    assert clone(rough).kernel == "auto"


def test_few_rows_choose_nothing():
    auto, plain = (
        regressor(**options).partial_fit(X[:99], Y[:99])
        for options in ({"kernel": "auto", "transform_X": "auto"}, {})
    )
    assert auto.kernel_ == plain.kernel_
    np.testing.assert_array_equal(auto.predict(X), plain.predict(X))


def test_categories_keep_their_kernel():
    codes = np.arange(300) % 3
    kernel = OnColumns(Auto(), [0, 1]) * OnColumns(Categorical(2.0), [2])
    model = regressor(kernel=kernel, transform_X="auto").fit(np.column_stack((X, codes)), Y)
    assert "Categorical" in repr(model.kernel_) and model.transform_X_[2] == "standard"


def test_a_likelihood_of_counts():
    counts = RNG.poisson(np.exp(F)).astype(float)
    model = regressor(kernel="auto", transform_X="auto", likelihood="poisson").fit(X, counts)
    assert np.all(np.isfinite(model.predict(X, return_std=True)))


def test_how_rows_are_cut_makes_no_difference():
    options = {"kernel": "auto", "transform_X": "auto"}
    whole = regressor(**options).partial_fit(X, Y)
    cut = regressor(**options)
    for start in range(0, 300, 50):
        cut.partial_fit(X[start : start + 50], Y[start : start + 50])
    assert whole.kernel_ == cut.kernel_ and whole.transform_X_ == cut.transform_X_
    # the function is so smooth of the logarithm that basis vectors all but determine each other
    np.testing.assert_allclose(whole.predict(X), cut.predict(X), atol=1e-4)


@pytest.mark.parametrize("seen", [70, 149, 200])
@pytest.mark.parametrize(("make", "y"), [(regressor, Y), (classifier, LABELS)], ids=["y", "labels"])
def test_saved_in_mid_stream_it_goes_on_bit_for_bit(make, y, seen, tmp_path):
    given = {} if make is regressor else {"classes": ["down", "up"]}
    model = make(kernel="auto", transform_X={0: "quantile", 1: "auto"})
    model.partial_fit(X[:seen], y[:seen], **given).save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    for each in (model, loaded):
        each.partial_fit(X[seen:], y[seen:])
    assert loaded.transform_X_ == model.transform_X_ and loaded.kernel_ == model.kernel_
    for one, other in zip(
        model.predict_latent(X, return_std=True),
        loaded.predict_latent(X, return_std=True),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"kernel": "auto"}, {"kernel": None}),
        ({"transform_X": "auto"}, {"transform_X": "quantile"}),
        ({"transform_X": {0: "quantile"}}, {"transform_X": {0: "none"}}),
    ],
    ids=["kernel", "columns", "one column"],
)
def test_what_was_decided_cannot_change(before, after):
    model = regressor(optimizer=None, **before).partial_fit(X[:200], Y[:200])
    (name,) = after
    with pytest.raises(ValueError, match=f"{name} was changed to .* in mid-stream"):
        model.set_params(**after).partial_fit(X[200:], Y[200:])
    model.set_params(**before).partial_fit(X[200:], Y[200:])


def test_a_dict_that_changes_under_our_hands_is_noticed():
    kinds = {0: "quantile"}
    model = regressor(optimizer=None, transform_X=kinds).partial_fit(X[:200], Y[:200])
    kinds[0] = "none"
    with pytest.raises(ValueError, match="transform_X was changed"):
        model.partial_fit(X[200:], Y[200:])


def test_kernels_that_are_none():
    for make, y in ((regressor, Y), (classifier, LABELS)):
        with pytest.raises(ValueError, match=r"kernel must be one of 'auto', .*'matern'"):
            make(kernel="matern").fit(X, y)
        with pytest.raises(ValueError, match="kernel may hold Auto once"):
            make(kernel=Auto() + RBF() * Auto()).fit(X, y)
