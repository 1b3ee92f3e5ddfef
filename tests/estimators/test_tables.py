"""Tables as they are: strings, categories, dates and missing values in every estimator."""

import pickle
import warnings
from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.utils import get_tags

from sparsegp import (
    OnlineGPClassifier,
    OnlineGPRegressor,
    SparseGPClassifier,
    SparseGPRegressor,
    load,
)
from sparsegp.exceptions import ColumnWarning
from sparsegp.kernels import RBF, Auto, Categorical, Constant, OnColumns, OneHot

QUICK = {"max_basis": 20, "random_state": 0}
LEVELS = {"Bern": 0.0, "Oslo": 1.0, "Rome": 2.5}


def rows(n=160, seed=0):
    """Return rows whose target depends on a number that may be missing, and a city."""
    rng = np.random.default_rng(seed)
    city = rng.choice(list(LEVELS), n)
    size = np.where(rng.random(n) < 0.15, np.nan, rng.normal(size=n))
    table = pd.DataFrame(
        {
            "when": pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 60, n), unit="D"),
            "city": city,
            "size": size,
            "new": rng.random(n) < 0.5,
            "grade": pd.Categorical(rng.choice(["lo", "hi"], n), ["lo", "hi"], ordered=True),
        }
    )
    y = np.nan_to_num(size) + table["city"].map(LEVELS) + 0.5 * table["new"]
    return table, y.to_numpy() + 0.05 * rng.normal(size=n)


X, Y = rows()
NEW, Y_NEW = rows(40, seed=1)
REGRESSORS = {
    "sparse": lambda: SparseGPRegressor(**QUICK, kernel=None, transform_X="standard"),
    "online": lambda: OnlineGPRegressor(**QUICK, n_warmup=80),
}
CLASSIFIERS = {
    "sparse": lambda: SparseGPClassifier(**QUICK),
    "online": lambda: OnlineGPClassifier(**QUICK, n_warmup=80),
}


@cache
def fitted():
    """Return the model of the table."""
    return REGRESSORS["sparse"]().fit(X, Y)


@pytest.mark.parametrize("name", REGRESSORS)
def test_regression(name):
    model = REGRESSORS[name]().fit(X, Y)
    assert model.score(NEW, Y_NEW) > 0.9
    assert model.n_features_in_ == 5 and list(model.feature_names_in_) == list(X.columns)
    assert model.basis_vectors_.shape[1] == len(model.encoding_.columns)
    assert model.transform_X_["size is missing"] == "none"  # codes stay as they are
    shuffled = NEW[NEW.columns[::-1]].assign(more="x")
    np.testing.assert_array_equal(model.predict(shuffled), model.predict(NEW))


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classification(name):
    model = CLASSIFIERS[name]().fit(X, Y > 1.0)
    assert model.score(NEW, Y_NEW > 1.0) > 0.8
    assert model.predict_proba(NEW).shape == (40, 2)


def test_few_levels_are_one_hot_coordinates_of_the_default_kernel():
    model = SparseGPRegressor(**QUICK, n_adaptations=0).fit(X, Y)
    assert isinstance(model.kernel_, OneHot)
    levels = {model.encoding_.input_names[at]: codes for at, codes in model.kernel_.levels}
    assert levels == {"city": (1.0, 2.0, 3.0), "size is missing": (0.0, 1.0)}
    assert model.score(NEW, Y_NEW) > 0.9


def persons_and_items(n=400):
    """Return rows of 30 persons and 15 items, of which each has a mean of its own."""
    rng = np.random.default_rng(2)
    person, item, x = rng.integers(30, size=n), rng.integers(15, size=n), rng.uniform(0, 1, n)
    own, of_item = rng.normal(size=30), rng.normal(size=15)
    y = own[person] + of_item[item] + np.sin(6.0 * x) + 0.1 * rng.normal(size=n)
    table = pd.DataFrame({"x": x, "person": person.astype(str), "item": item.astype(str)})
    table["person"], table["item"] = "p" + table["person"], "i" + table["item"]
    return table, y


def test_many_levels_have_a_random_intercept_beside_the_product():
    table, y = persons_and_items()
    model = SparseGPRegressor(**QUICK | {"max_basis": 100}, kernel="rbf").fit(table[:300], y[:300])
    rest, of_item = model.kernel_.left, model.kernel_.right
    assert (of_item.right.columns, rest.right.right.columns) == ((2,), (1,))
    assert of_item.left.value > 0.1 and rest.right.left.value > 0.1
    assert model.score(table[300:], y[300:]) > 0.9


def as_arrow(table):
    return pa.Table.from_pandas(table, preserve_index=False)


def as_arrow_dtypes(table):
    return table.drop(columns="grade").convert_dtypes(dtype_backend="pyarrow").join(table["grade"])


def as_nullable(table):
    return table.convert_dtypes()


def as_polars(table):
    polars = pytest.importorskip("polars")
    return polars.DataFrame(
        {
            name: (table[name].astype(str) if name == "grade" else table[name]).tolist()
            for name in table
        }
    )


@pytest.mark.parametrize("other", [as_arrow, as_arrow_dtypes, as_nullable, as_polars])
def test_other_tables_are_the_same(other):
    np.testing.assert_allclose(fitted().predict(other(NEW)), fitted().predict(NEW), rtol=1e-12)
    if other is not as_polars:  # which has no ordered categories
        again = REGRESSORS["sparse"]().fit(other(X), Y)
        np.testing.assert_allclose(again.predict(NEW), fitted().predict(NEW), rtol=1e-6)


def test_strings_of_a_file_are_the_same(tmp_path):
    NEW.to_csv(tmp_path / "new.csv", index=False)
    texts = pd.read_csv(tmp_path / "new.csv", dtype=str)
    np.testing.assert_allclose(fitted().predict(texts), fitted().predict(NEW), rtol=1e-12)


def test_unseen_and_missing_levels_have_the_uncertainty_of_the_prior():
    table = pd.concat([NEW[:1]] * 3, ignore_index=True)
    table["city"] = ["Bern", "Lima", None]
    mean, std = fitted().predict(table, return_std=True)
    assert std[1] > 3 * std[0]
    np.testing.assert_allclose((mean[1], std[1]), (mean[2], std[2]), rtol=1e-12)


def test_a_value_that_was_never_missing():
    table = NEW.assign(when=NEW["when"].where(NEW.index != 3))
    with pytest.warns(ColumnWarning, match="'when': missing here"):
        assert np.isfinite(fitted().predict(table)).all()


def test_bad_tables():
    with pytest.raises(ValueError, match="no column 'city', which the model was fitted on"):
        fitted().predict(NEW.drop(columns="city"))
    with pytest.raises(ValueError, match="column 'size' contains 'big'"):
        fitted().predict(NEW.assign(size="big"))
    with pytest.raises(ValueError, match=r"X contains inf .*'size'"):
        fitted().predict(NEW.assign(size=np.inf))
    with pytest.raises(ValueError, match="4 features"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted().predict(NEW.to_numpy()[:, :4])
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        fitted().predict(NEW[:0])
    with pytest.raises(ValueError, match="no column is left to learn from"):
        REGRESSORS["sparse"]().fit(pd.DataFrame({"a": ["x"] * 20}), Y[:20])


def test_columns_that_are_left_out_are_named():
    table = X.assign(id=[f"r{i}" for i in range(len(X))], always=1)
    with pytest.warns(ColumnWarning, match="'id' looks like an identifier.*'always' is always '1'"):
        model = REGRESSORS["sparse"]().fit(table, Y)
    assert set(model.encoding_.left_out) == {"id", "always"}
    np.testing.assert_allclose(model.predict(NEW), fitted().predict(NEW), rtol=1e-6)


def test_plain_numbers_have_no_encoding():
    numbers = np.random.default_rng(0).normal(size=(80, 3))
    y = numbers[:, 0]
    for table in (numbers, pd.DataFrame(numbers, columns=list("abc")), numbers.tolist()):
        model = SparseGPRegressor(**QUICK, kernel=None).fit(table, y)
        assert model.encoding_ is None and model.basis_vectors_.shape[1] == 3
    of_table = clone(fitted()).fit(X, Y)
    assert of_table.fit(numbers, y).encoding_ is None  # of the last fit


def test_arrays_with_missing_numbers():
    array = X[["size", "new"]].to_numpy(dtype=np.float64)
    model = REGRESSORS["sparse"]().fit(array, Y)
    frame = REGRESSORS["sparse"]().fit(pd.DataFrame(array, columns=["size", "new"]), Y)
    assert model.encoding_.input_names == ["x0", "x0 is missing", "x1"]
    np.testing.assert_allclose(frame.predict(X[["size", "new"]]), model.predict(array), rtol=1e-6)
    assert np.isfinite(model.predict([[np.nan, 1.0]])).all()
    with pytest.warns(ColumnWarning, match="'x1'"):
        model.predict([[0.0, np.nan]])


def test_arrays_of_objects():
    array = X[["city", "size"]].to_numpy(dtype=object)
    model = REGRESSORS["sparse"]().fit(array, Y)
    assert [c.kind for c in model.encoding_.columns] == ["category", "number", "missing"]
    new = NEW[["city", "size"]].to_numpy(dtype=object)
    assert model.score(new, Y_NEW) > 0.8


def test_kernels_on_named_columns():
    kernel = Constant(1.0) * OnColumns(RBF(), ["size"]) * OnColumns(Categorical(), ["city"])
    by_name = SparseGPRegressor(kernel, **QUICK).fit(X, Y)
    assert by_name.score(NEW, Y_NEW) > 0.7
    kernel = Constant(1.0) * OnColumns(RBF(), [2]) * OnColumns(Categorical(), [1])
    by_place = SparseGPRegressor(kernel, **QUICK).fit(X, Y)
    np.testing.assert_allclose(by_place.predict(NEW), by_name.predict(NEW))
    table = X.assign(zip=np.arange(len(X)) % 7 * 1000)
    coded = OnColumns(Auto(), ["size"]) * OnColumns(Categorical(), ["zip"])
    fitted = SparseGPRegressor(coded, **QUICK, transform_X={"size": "quantile"}).fit(table, Y)
    kinds = {c.feature: c.kind for c in fitted.encoding_.columns}
    assert kinds["zip"] == "category" and fitted.transform_X_["size"] == "quantile"


def test_one_kernel_for_all_columns_is_for_the_numbers():
    model = SparseGPRegressor(2.0 * RBF(), **QUICK).fit(X, Y)
    assert model.score(NEW, Y_NEW) > 0.9


def test_dates_do_not_depend_on_their_unit():
    dates = pd.DataFrame({"t": X["when"], "city": X["city"]})
    model = REGRESSORS["sparse"]().fit(dates.astype({"t": "datetime64[us]"}), Y)
    found = [model.predict(dates.astype({"t": f"datetime64[{u}]"})) for u in ("s", "ns")]
    np.testing.assert_array_equal(*found)
    only = REGRESSORS["sparse"]().fit(dates[["t"]].astype("datetime64[us]"), Y)
    np.testing.assert_array_equal(
        only.predict(dates[["t"]].astype("datetime64[ns]")), only.predict(dates[["t"]])
    )


def test_a_stream_learns_new_levels_and_leaves_nothing_out_at_first():
    model = OnlineGPRegressor(**QUICK, n_warmup=40)
    first = X.assign(city="Bern", note="a")[:1]
    model.partial_fit(first, Y[:1])
    assert model.encoding_.names == [*X.columns, "note"]
    for start in range(1, 160, 40):
        model.partial_fit(X.assign(note="a")[start : start + 40], Y[start : start + 40])
    levels = next(c.levels for c in model.encoding_.columns if c.name == "city")
    assert set(levels) == set(LEVELS) and levels[0] == "Bern"
    assert model.score(NEW.assign(note="a"), Y_NEW) > 0.7
    labels = OnlineGPClassifier(**QUICK, n_warmup=40)
    for start in range(0, 160, 40):
        labels.partial_fit(X[start : start + 40], Y[start : start + 40] > 1, classes=[False, True])
    assert labels.score(NEW, Y_NEW > 1) > 0.75


@pytest.mark.parametrize("make", [*REGRESSORS.values(), *CLASSIFIERS.values()])
def test_files_and_pickles_predict_raw_tables(make, tmp_path):
    y = Y > 1.0 if hasattr(make(), "predict_proba") else Y
    model = make().fit(X, y)
    model.save(tmp_path / "m")
    for again in (load(tmp_path / "m"), pickle.loads(pickle.dumps(model))):
        assert again.encoding_ == model.encoding_
        np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))


def test_tags():
    for kind in (SparseGPRegressor, SparseGPClassifier, OnlineGPRegressor, OnlineGPClassifier):
        tags = get_tags(kind()).input_tags
        assert tags.allow_nan and tags.categorical and tags.string and not tags.sparse
