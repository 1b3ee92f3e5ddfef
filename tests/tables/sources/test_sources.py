"""Every table gives the same rows, scalings and samples, with weights or without."""

import array_api_strict as strict
import numpy as np
import pytest

from sparsegp.arrays import to_numpy
from sparsegp.tables import open_table
from sparsegp.tables.sources.blocks import ArrayBlocks, BlockTable
from sparsegp.tables.sources.memory import MemoryTable
from sparsegp.tables.targets import Targets

N = 100


@pytest.fixture
def values():
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 3, N).astype(float)
    weight[20:60] = 0.0  # whole parts have none
    return rng.normal(size=(N, 2)), rng.normal(size=(N, 1)), weight


def _memory(folder, X, y, weight):
    return MemoryTable(X, Targets(y, weight))


def _device(folder, X, y, weight):
    there = strict.Device("device1")
    X, y, weight = (
        None if each is None else strict.asarray(each, device=there) for each in (X, y, weight)
    )
    return MemoryTable(X, Targets(y, weight))


def _array(folder, X, y, weight):
    return BlockTable(ArrayBlocks(X), Targets(y, weight), rows_of_block=17)


def _parquet(folder, X, y, weight):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y[:, 0]})
    frame.to_parquet(folder / "t.parquet", row_group_size=30)
    source = open_table(folder / "t.parquet", target="y")
    return BlockTable(source, Targets(None, weight), rows_of_block=17)


def _dask(folder, X, y, weight):
    da = pytest.importorskip("dask.array")
    from sparsegp.tables.sources.dask_table import DaskTable

    parts = da.from_array(X, chunks=(17, 1)), da.from_array(y[:, 0], chunks=17)
    return DaskTable(*parts, Targets(None, weight))


@pytest.fixture(params=[_memory, _device, _array, _parquet, _dask], ids=lambda make: make.__name__)
def make(request):
    dask = pytest.importorskip("dask")
    with dask.config.set(scheduler="synchronous"):
        yield request.param


@pytest.fixture(params=[False, True], ids=["", "weighted"])
def both(request, make, values, tmp_path):
    """Return a table, and the rows that it should have."""
    X, y, weight = values
    weight = weight if request.param else None
    counted = np.arange(N) if weight is None else np.flatnonzero(weight)
    wanted = X[counted], y[counted], None if weight is None else weight[counted]
    return make(tmp_path, X, y, weight), wanted, counted


def _assert_rows(rows, X, y, weight):
    assert np.array_equal(to_numpy(rows.X), X)
    assert np.array_equal(to_numpy(rows.y), y)
    assert (rows.weight is None) == (weight is None)
    assert weight is None or np.array_equal(to_numpy(rows.weight), weight)


def test_rows_by_number(both):
    table, (X, y, weight), counted = both
    assert (table.n_rows, table.n_columns, table.n_outputs) == (len(X), 2, 1)
    assert table.is_weighted == (weight is not None)
    numbers = np.array([len(X) - 1, 0, 3, 3, 25])
    some = None if weight is None else weight[numbers]
    _assert_rows(table.fetch(numbers), X[numbers], y[numbers], some)
    assert np.array_equal(table.numbers_in_X(numbers), counted[numbers])
    nothing = table.fetch(np.empty(0, dtype=np.intp))
    assert (nothing.X.shape, nothing.y.shape) == ((0, 2), (0, 1))


def test_what_a_fit_asks_for(both):
    table, (X, y, weight), counted = both
    _assert_rows(table.sample(len(X), np.random.default_rng(0)), X, y, weight)
    some = np.sort(np.random.default_rng(1).choice(len(X), 10, replace=False, shuffle=False))
    found = table.sample(10, np.random.default_rng(1))
    _assert_rows(found, X[some], y[some], None if weight is None else weight[some])
    assert (table.lowest_target.value, table.lowest_target.row) == (y.min(), counted[y.argmin()])
    inputs, targets = table.fit_scalings(("standard", "none"), "standard")
    rows = table.transformed(inputs, targets)
    assert len(rows) == len(X)
    expected = [(X[:, 0] - np.average(X[:, 0], weights=weight)), X[:, 1]]
    expected[0] /= np.sqrt(np.average(expected[0] ** 2, weights=weight))
    np.testing.assert_allclose(to_numpy(rows.load().X), np.transpose(expected), rtol=1e-12)
    assert rows.total_weight == (len(X) if weight is None else weight.sum())
    assert np.array_equal(to_numpy(table.transformed(inputs).load().y), y)


def test_sums_over_parts(both):
    table, (X, y, _), _ = both
    if not hasattr(table, "reduce"):
        pytest.skip("a table in memory has no parts")
    total = table.reduce(lambda start, part: (start + np.arange(len(part))) @ part.X)
    np.testing.assert_allclose(total, np.arange(len(X)) @ X)
    lines = np.arange(table.n_rows) + 1.0
    total = table.reduce(lambda start, part, own: own @ part.y, lambda low, high: lines[low:high])
    np.testing.assert_allclose(total, lines @ y)


def test_weights_of_a_column(tmp_path, values):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"a": values[0][:, 0], "t": values[1][:, 0], "w": values[2]})
    frame.to_parquet(tmp_path / "t.parquet")
    table = open_table(tmp_path / "t.parquet", target="t", sample_weight="w")
    assert table.columns == ["a"]
    assert np.array_equal(table.sample_weight, values[2])
    with pytest.raises(ValueError, match="sample_weight names 'no', which is not a column"):
        open_table(tmp_path / "t.parquet", sample_weight="no")
    with pytest.raises(ValueError, match="twice"):
        open_table(tmp_path / "t.parquet", target="t", sample_weight="t")
    with pytest.raises(ValueError, match="opened without weights"):
        _ = open_table(tmp_path / "t.parquet", target="t").sample_weight
