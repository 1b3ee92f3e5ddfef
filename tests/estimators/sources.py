"""The same rows in memory, in a mapped file, in Parquet and in Dask."""

import numpy as np
import pytest

from sparsegp.tables import open_table


def in_map(folder, X):
    """Return X as a map of a file in a folder."""
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


def in_parquet(folder, X, **columns):
    """Return an opened file of some row groups, with columns ``y`` and ``sample_weight`` if any."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    names = [f"x{i}" for i in range(X.shape[1])]
    frame = pandas.DataFrame(X, columns=names).assign(**columns)
    frame.to_parquet(folder / "rows.parquet", row_group_size=150)
    weight = "sample_weight" if "sample_weight" in columns else None
    return open_table(folder / "rows.parquet", target="y", sample_weight=weight)


def in_dask(n_parts, *arrays):
    """Return Dask arrays of some partitions; some of them are empty if there are few rows."""
    da = pytest.importorskip("dask.array")
    sizes = tuple(len(part) for part in np.array_split(np.arange(len(arrays[0])), n_parts))
    return [da.from_array(each, chunks=(sizes, *(-1,) * (each.ndim - 1))) for each in arrays]
