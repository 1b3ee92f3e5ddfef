"""Numbers at the ends of double precision: right predictions, or an error that names the cause."""

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier

from sparsegp import OnlineGPClassifier, OnlineGPRegressor, SparseGPClassifier, SparseGPRegressor
from sparsegp.exceptions import ColumnWarning
from sparsegp.kernels import Constant, Linear, Matern
from tests.plain import plain_regressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
F = np.sin(X[:, 0]) + X[:, 1]
Y = F + 0.1 * RNG.normal(size=60)


def regressor(**options):
    return plain_regressor(max_basis=15, random_state=0, kernel=Matern(), **options)


@pytest.mark.parametrize("scale", [1e-300, 1e-180, 1e180, 1e300])
@pytest.mark.parametrize("transform", ["log", "yeo-johnson", "sinh-arcsinh"])
def test_warped_targets_of_any_scale(transform, scale):
    """Scaled predictions of the target in other units, and no standard deviation of 0 or inf."""
    unit, other = (
        regressor(transform_y=transform, optimizer=None).fit(X, np.exp(Y) * s).predict(X, True)
        for s in (1.0, scale)
    )
    for expected, found in zip(unit, other, strict=True):
        np.testing.assert_allclose(found / scale, expected, rtol=1e-6)
    assert np.all(other[1] > 0.0)


def test_columns_of_subnormal_numbers_are_constant():
    tiny = np.column_stack((X[:, 0], 1e-310 * X[:, 1]))
    found = regressor(transform_X="quantile", optimizer=None).fit(tiny, Y).predict(tiny, True)
    assert np.all(np.isfinite(found))


@pytest.mark.parametrize("kind", [SparseGPRegressor, OnlineGPRegressor])
def test_targets_that_overflow_are_named(kind):
    with pytest.raises(ValueError, match=r"^y contains -?1.7e\+308 \(first in row 0\), too large"):
        kind(random_state=0).fit(X, np.where(Y > 0, 1.7e308, -1.7e308))


@pytest.mark.parametrize("weight", [1e200, 1e-200])
@pytest.mark.parametrize("kind", [SparseGPRegressor, SparseGPClassifier, OnlineGPRegressor])
def test_weights_that_count_nothing_are_named(kind, weight):
    y = F > 0 if kind is SparseGPClassifier else Y
    with pytest.raises(ValueError, match=r"^sample_weight is up to 1e"):
        kind(random_state=0).fit(X, y, sample_weight=np.full(60, weight))


def test_one_row_may_weigh_almost_nothing():
    weight = np.ones(60)
    weight[0] = 1e-200
    assert np.all(np.isfinite(regressor().fit(X, Y, sample_weight=weight).predict(X)))


FAR = {
    "regressor": lambda: regressor().fit(X, Y),
    "neighbours": lambda: regressor(n_neighbors=4).fit(X, Y),
    "classifier": lambda: SparseGPClassifier(max_basis=8, optimizer=None).fit(X, F > 0),
    "stream": lambda: OnlineGPRegressor(max_basis=8).fit(X, Y),
}


@pytest.mark.parametrize("name", FAR)
def test_rows_far_from_all_others(name):
    model = FAR[name]()
    new = np.tile(X[:1], (3, 1))
    new[1] = 1e140
    assert np.all(np.isfinite(model.predict(new)))
    new[1] = 1e300
    with pytest.raises(ValueError, match=r"^X has a value too far .* \(row 1\)"):
        model.predict(new)


@pytest.mark.parametrize("kind", [SparseGPRegressor, SparseGPClassifier])
def test_columns_that_stay_as_they_are_must_have_finite_squares(kind):
    y = F > 0 if kind is SparseGPClassifier else Y
    with pytest.raises(ValueError, match=r"^X contains .*e\+19\d .*too large to compute with"):
        kind(transform_X="none", random_state=0).fit(1e199 * X, y)


KINDS = (SparseGPRegressor, SparseGPClassifier, OnlineGPRegressor, OnlineGPClassifier)
BROKEN = {
    "no rows": (lambda: (X[:0], Y[:0]), "^X: Found array with 0 sample"),
    "no columns": (lambda: (X[:, :0], Y), "^X: Found array with 0 feature"),
    "one dimension": (lambda: (X[:, 0], Y), "^X: Expected 2D array"),
    "three dimensions": (lambda: (X[None], Y[:1]), "^X: Found array with dim 3"),
    "complex": (lambda: (X + 1j, Y), "^X: Complex data not supported"),
    "a column name twice": (
        lambda: (pd.DataFrame(X[:, :2], columns=["a", "a"]), Y),
        "^X: .*unique column names|^X: .*duplicate",
    ),
    "a target too long": (lambda: (X, np.append(Y, 1.0)), "^X and y: .*inconsistent"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("broken", BROKEN)
def test_an_error_begins_with_its_argument(kind, broken):
    table, message = BROKEN[broken]
    rows, y = table()
    y = np.where(y > 0.0, "up", "down") if is_classifier(kind()) else y
    with pytest.raises(ValueError, match=message):
        kind().fit(rows, y)


@pytest.mark.parametrize("kind", [SparseGPClassifier, OnlineGPClassifier])
def test_labels_that_are_none_are_named(kind):
    with pytest.raises(ValueError, match=r"^y: Unknown label type"):
        kind().fit(X, Y)
    with pytest.raises(ValueError, match=r"^y .*only one class"):
        kind().fit(X, np.full(len(X), "up"))


@pytest.mark.parametrize("kind", [SparseGPRegressor, OnlineGPRegressor])
def test_inputs_whose_differences_overflow_are_named(kind):
    wide = np.column_stack((X[:, 0], np.where(Y > 0, 1.7e308, -1.7e308)))
    with pytest.raises(ValueError, match=r"^X contains .*too large"):
        kind(random_state=0).fit(wide, Y)


@pytest.mark.parametrize("kind", [SparseGPRegressor, OnlineGPRegressor])
def test_predictions_that_overflow_are_named(kind):
    options = {} if kind is OnlineGPRegressor else {"n_neighbors": 0, "transform_y": "standard"}
    model = kind(kernel=Constant(1.0) * Linear(), max_basis=5, optimizer=None, **options)
    model.fit(X, 1e249 * Y)
    for return_std in (False, True):
        with pytest.raises(ValueError, match=r"^X has a row so far"), np.errstate(over="ignore"):
            model.predict(1e150 * X, return_std=return_std)


def test_a_deviation_that_overflows_is_named():
    kernel = Constant(1.0) * Linear()
    model = OnlineGPRegressor(kernel=kernel, max_basis=5, optimizer=None)
    model.fit(X[:12], np.full(12, 1e300))
    with pytest.raises(ValueError, match=r"^X has a row so far"), np.errstate(over="ignore"):
        model.predict(1e80 * X, return_std=True)


def test_integers_beyond_double_precision_are_infinite():
    cells = np.array([*X[:-1, 0], 10**400], dtype=object)  # pandas 2 fails to infer a type
    table = pd.DataFrame({"a": cells, "b": X[:, 1]})
    with pytest.raises(ValueError, match=r"^X contains inf \(first in row 59, in column 'a'\)"):
        SparseGPRegressor().fit(table, Y)


def test_a_stream_refuses_a_row_far_from_all_others_and_goes_on():
    model = OnlineGPRegressor(max_basis=8, n_warmup=30).fit(X, Y)
    before = model.predict(X)
    for bad in (([[1e300, 0.0]], [0.0]), ([[0.0, 0.0]], [1e300])):
        with pytest.raises(ValueError, match="too far from the training rows"):
            model.partial_fit(*bad)
    np.testing.assert_array_equal(model.predict(X), before)


def test_a_constant_column_of_any_size_is_ignored():
    model = OnlineGPRegressor(max_basis=8).fit(np.full((12, 1), 1e300), np.full(12, 1e300))
    mean, std = model.predict([[0.0]], return_std=True)
    assert np.all(np.isfinite(mean)) and np.all(np.isfinite(std))


@pytest.mark.parametrize("kind", [OnlineGPRegressor, OnlineGPClassifier])
@pytest.mark.parametrize("options", [{}, {"max_basis": 8, "n_warmup": 30}, {"n_warmup": 100}])
def test_a_stream_from_a_memory_map_learns(kind, options, tmp_path):
    """Its arrays are read-only there, and BLAS would end the process."""
    y = Y if kind is OnlineGPRegressor else F > 0
    classes = {} if kind is OnlineGPRegressor else {"classes": [False, True]}
    model = kind(**options).partial_fit(X[:50], y[:50], **classes)
    joblib.dump(model, tmp_path / "model")
    mapped = joblib.load(tmp_path / "model", mmap_mode="r")
    for one in (model, mapped):
        one.partial_fit(X[50:], y[50:])
        one.forget(0.1)
        one.prune(5)
    np.testing.assert_array_equal(mapped.predict(X), model.predict(X))


def test_whole_numbers_of_bytes_may_be_floats():
    limited = regressor(memory_limit=5e7, optimizer=None).fit(X, Y)
    assert np.all(np.isfinite(limited.predict(X)))
    with pytest.raises(ValueError, match="memory_limit must be None"):
        regressor(memory_limit=0.5).fit(X, Y)


# ---- cells that are not what their column is ----


def test_strings_among_numbers_are_named():
    """Too many for a column of numbers: one of twenty cells."""
    cells = [f"{v:.3f}" for v in X[:20, 0]]
    cells[7] = "oops"
    table = pd.DataFrame({"a": cells, "b": X[:20, 1]})
    with pytest.warns(ColumnWarning) as caught:
        model = regressor().fit(table, Y[:20])
    found = str(caught[0].message)
    assert "'a': left out as strings, though 19 of 20 cells are numbers; 'oops' is none" in found
    assert any("'oops' is none" in note for note in model.encoding_.notes)
    table["a"] = [*"0123456789" * 2]
    table.loc[7, "a"] = "x"
    with pytest.warns(ColumnWarning, match=r"'a': a category, though 19 of 20 cells"):
        SparseGPRegressor(max_basis=5, optimizer=None).fit(table, Y[:20])


@pytest.mark.parametrize("unit", ["s", "ms", "ns"])
def test_dates_mean_the_same_in_any_unit(unit):
    days = pd.date_range("2024-01-01", periods=60, freq="D").as_unit("us")
    model = SparseGPRegressor(max_basis=5, optimizer=None).fit(pd.DataFrame({"day": days}), Y)
    expected, found = (
        model.predict(pd.DataFrame({"day": dates})) for dates in (days, days.as_unit(unit))
    )
    np.testing.assert_array_equal(found, expected)


COMPLEX = X[:, 0] + 1j


@pytest.mark.parametrize("dtype", [complex, object])
def test_complex_columns_keep_no_real_part(dtype):
    table = pd.DataFrame({"a": COMPLEX.astype(dtype), "b": ["u", "v"] * 30})
    with pytest.raises(ValueError, match="Complex data not supported: column 'a'"):
        SparseGPRegressor().fit(table, Y)
    model = SparseGPRegressor(max_basis=5, optimizer=None).fit(table.assign(a=X[:, 0]), Y)
    with pytest.raises(ValueError, match="Complex data not supported: column 'a'"):
        model.predict(table)


def test_text_where_the_model_knows_numbers_is_named():
    model = regressor().fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    with pytest.raises(ValueError, match=r"X has text in column 'b' \('red'\)"):
        model.predict(pd.DataFrame({"a": [1.0, 2.0], "b": ["1.5", "red"]}))
