"""One door: every kind of rows becomes one table, and bad rows are refused there."""

import array_api_strict as strict
import numpy as np
import pytest
from sklearn.base import BaseEstimator

from sparsegp.arrays import to_numpy
from sparsegp.tables.memory import Memory
from sparsegp.tables.open import open_inputs, open_rows
from sparsegp.tables.targets import Labels
from tests.estimators.sources import in_dask, in_map, in_parquet

X = np.random.default_rng(0).normal(size=(40, 2))
Y = X[:, 0] + 1.0
LABELS = np.where(X[:, 0] > 0.0, "b", "a")


def on_device(values):
    return strict.asarray(values, device=strict.Device("device1"))


def sources(folder, y):
    """Yield X and y of all kinds."""
    table = in_parquet(folder, X, y=y)
    yield "lists", X.tolist(), y.tolist()
    yield "array", X, y
    yield "frame", pytest.importorskip("pandas").DataFrame(X, columns=["u", "v"]), y
    yield "strict", strict.asarray(X), y if y.dtype.kind == "U" else strict.asarray(y)
    yield "device", on_device(X), y if y.dtype.kind == "U" else on_device(y)
    yield "map", in_map(folder, X), y
    yield "parquet", table.X, table.y
    yield "dask", *in_dask(3, X, y)


def opened(X, y, *more, memory=None, **options):
    memory = memory or Memory.free()
    return open_rows(BaseEstimator(), X, y, *more, memory=memory, **options)


@pytest.mark.parametrize("labels", [None, Labels()], ids=["numbers", "labels"])
def test_every_kind_of_rows_becomes_the_same_table(tmp_path, labels):
    y = Y if labels is None else LABELS
    wanted = Y[:, None] if labels is None else np.where(LABELS == "b", 1.0, -1.0)[:, None]
    for kind, inputs, target in sources(tmp_path, y):
        table = opened(inputs, target, labels=labels)
        assert (table.n_rows, table.n_columns, table.n_outputs) == (40, 2, 1), kind
        assert table.on_host == (kind != "device")
        assert table.one_target, kind
        assert (table.how_read is None) == (kind not in ("map", "parquet", "dask"))
        rows = table.fetch(np.array([3, 39]))
        assert np.array_equal(to_numpy(rows.X), X[[3, 39]])
        assert np.array_equal(to_numpy(rows.y), wanted[[3, 39]])
        assert labels is None or table.classes.tolist() == ["a", "b"]


def test_rows_of_weight_zero_do_not_count(tmp_path):
    weight = (np.arange(40) % 4).astype(float)
    for kind, inputs, target in sources(tmp_path, Y):
        given = on_device(weight) if kind == "device" else weight
        table = opened(inputs, target, given)
        assert table.n_rows == 30, kind
        assert table.numbers_in_X(np.array([0, 3])).tolist() == [1, 5]
        assert to_numpy(table.fetch(np.array([1])).weight) == [2.0]


def test_class_weights_multiply_those_of_rows():
    table = opened(X, LABELS, np.full(40, 2.0), labels=Labels({"a": 3.0, "b": 1.0}))
    rows = table.sample(40, np.random.default_rng(0))
    assert np.array_equal(rows.weight, np.where(LABELS == "a", 6.0, 2.0))


def test_columns_are_noted_on_the_estimator(tmp_path):
    for kind, inputs, target in sources(tmp_path, Y):
        estimator = BaseEstimator()
        open_rows(estimator, inputs, target, memory=Memory.free())
        assert estimator.n_features_in_ == 2
        names = {"frame": ["u", "v"], "parquet": ["x0", "x1"]}.get(kind)
        assert names == (None if names is None else estimator.feature_names_in_.tolist())


def test_candidates_are_checked_and_lie_beside_the_rows():
    assert np.array_equal(opened(X, Y, None, X[:3].tolist()).candidates, X[:3])
    there = opened(on_device(X), on_device(Y), None, on_device(X[:3])).candidates
    assert there.device == strict.Device("device1")
    with pytest.raises(ValueError, match=r"X is in array_api_strict on .* but candidates in the h"):
        opened(on_device(X), on_device(Y), None, X[:3])
    with pytest.raises(ValueError, match=r"candidates: .*features"):
        opened(X, Y, None, X[:3, :1])
    with pytest.raises(TypeError, match="candidates must be an array in memory"):
        opened(X, Y, None, in_dask(3, X)[0])


def test_a_memory_limit_makes_blocks_of_an_array():
    assert opened(X, Y, memory=Memory(10)).how_read == "65,536 rows at a time"
    assert opened(X, Y, memory=Memory(10**6)).how_read is None
    assert opened(X, Y, memory=Memory(10, is_given=False)).how_read is None


def test_what_needs_all_rows_in_memory(tmp_path):
    mapped = in_map(tmp_path, X)
    assert opened(mapped, Y, needs_memory="because").how_read is None  # small: it is read at once
    for source in ((mapped, Y), (X, Y)):
        with pytest.raises(ValueError, match="because"):
            opened(*source, memory=Memory(10), needs_memory="because")
    with pytest.raises(ValueError, match="because"):
        opened(*in_dask(3, X, Y), needs_memory="because")


@pytest.mark.parametrize("where", [np.asarray, on_device], ids=["host", "device"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": X[:, 0]}, "2D array"),
        ({"X": X[:0]}, r"0 sample\(s\)"),
        ({"X": np.where(np.arange(40)[:, None] == 7, np.inf, X)}, "X contains inf .first in row 7"),
        ({"y": np.where(np.arange(40) == 7, np.inf, Y)}, "y contains inf .first in row 7"),
        ({"y": Y[:-1]}, "inconsistent numbers of samples"),
        ({"y": Y[:, None, None]}, "y must hold one number per row"),
        ({"sample_weight": np.ones((40, 2))}, "sample_weight must have one number per row"),
        ({"sample_weight": -np.ones(40)}, "sample_weight must not be negative"),
        ({"sample_weight": np.zeros(40)}, "sample_weight is zero for every row"),
        ({"X": X.astype(complex)}, "Complex data not supported"),
    ],
)
def test_bad_rows_in_memory_and_on_a_device(where, change, message):
    given = {"X": X, "y": Y, "sample_weight": np.ones(40)} | change
    with pytest.raises(ValueError, match=message):
        opened(*map(where, given.values()))


def test_half_precision_and_targets_of_other_tables(tmp_path):
    with pytest.raises(ValueError, match="X is float16, whose precision is too low"):
        opened(X.astype(np.float16), Y)
    with pytest.raises(ValueError, match="y to be passed"):
        opened(X, None)
    table = in_parquet(tmp_path, X, y=Y)
    with pytest.raises(ValueError, match="y is the target of a table in a file"):
        opened(X, table.y)
    with pytest.raises(ValueError, match="y must be the target of the same table"):
        opened(table.X, Y)


def test_inputs_go_to_the_device_of_the_model():
    estimator = BaseEstimator()
    open_rows(estimator, X, Y, memory=Memory.free())
    assert np.array_equal(open_inputs(estimator, X[:2].tolist(), like=X), X[:2])
    assert open_inputs(estimator, X[:2], like=on_device(X)).device == strict.Device("device1")
    assert isinstance(open_inputs(estimator, on_device(X[:2]), like=X), np.ndarray)
    with pytest.raises(ValueError, match="expecting 2 features"):
        open_inputs(estimator, X[:2, :1], like=X)
