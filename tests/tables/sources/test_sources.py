"""Every table gives the same rows: by number, in parts, in turn; with weights or without."""

import numpy as np
import pytest

from sparsegp.tables import open_table
from sparsegp.tables.sources.table import ArrayTable
from sparsegp.tables.sources.weighted import WeightedTable

N = 100


@pytest.fixture
def values():
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 3, N).astype(float)
    weight[20:60] = 0.0  # whole parts have none
    return rng.normal(size=(N, 2)), rng.normal(size=(N, 1)), weight


def _array(folder, X, y, weight):
    table = ArrayTable(X, y, rows_of_part=17)
    return table if weight is None else WeightedTable(table, weight)


def _parquet(folder, X, y, weight):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y[:, 0]})
    frame.to_parquet(folder / "t.parquet", row_group_size=30)
    table = open_table(folder / "t.parquet", target="y").in_parts_of(17)
    return table if weight is None else WeightedTable(table, weight)


def _dask(folder, X, y, weight):
    da = pytest.importorskip("dask.array")
    dask_table = pytest.importorskip("sparsegp.tables.sources.dask_table")
    parts = da.from_array(X, chunks=(17, 1)), da.from_array(y[:, 0], chunks=17)
    return dask_table.DaskTable(*parts, weight)


@pytest.fixture(params=[_array, _parquet, _dask], ids=["array", "parquet", "dask"])
def make(request):
    dask = pytest.importorskip("dask")
    with dask.config.set(scheduler="synchronous"):
        yield request.param


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_by_number_and_in_parts(make, values, weighted, tmp_path):
    X, y, weight = values
    table = make(tmp_path, X, y, weight if weighted else None)
    counted = np.flatnonzero(weight) if weighted else np.arange(N)
    assert (table.n_rows, table.n_columns, table.n_outputs) == (len(counted), 2, 1)
    assert table.is_weighted == weighted
    assert table.total_weight == (weight.sum() if weighted else N)
    numbers = np.array([len(counted) - 1, 0, 3, 3, 25])
    rows = table.fetch(numbers)
    assert np.array_equal(rows.X, X[counted[numbers]])
    assert np.array_equal(rows.y, y[counted[numbers]])
    assert (rows.weight is not None) == weighted
    if weighted:
        assert np.array_equal(rows.weight, weight[counted[numbers]])
    nothing = table.fetch(np.empty(0, dtype=np.intp))
    assert (nothing.X.shape, nothing.y.shape) == ((0, 2), (0, 1))
    total = table.reduce(lambda start, part: (start + np.arange(len(part))) @ part.X)
    np.testing.assert_allclose(total, np.arange(len(counted)) @ X[counted])


@pytest.mark.parametrize("weighted", [False, True])
def test_what_goes_along_with_the_parts(make, values, weighted, tmp_path):
    X, y, weight = values
    table = make(tmp_path, X, y, weight if weighted else None)
    lines = np.arange(table.n_rows) + 1.0
    total = table.reduce(lambda start, part, own: own @ part.y, lambda low, high: lines[low:high])
    kept = np.flatnonzero(weight) if weighted else np.arange(N)
    np.testing.assert_allclose(total, lines @ y[kept])


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
