"""Rows are shown with the columns of the table, not with the parts that an encoding makes."""

import numpy as np
import pandas as pd
import pytest

from sparsegp import SparseGPRegressor
from sparsegp.report.metadata import About
from sparsegp.report.predictions import _column
from sparsegp.report.report_data import make_report_data


@pytest.fixture(scope="module")
def dated():
    n = 120
    table = pd.DataFrame(
        {"when": pd.date_range("2024-01-01", periods=n, freq="5h"), "a": np.linspace(0, 1, n) ** 2}
    )
    y = np.sin(np.arange(n) * 5 / 24 * 2 * np.pi) + table["a"]
    options = {"kernel": None, "max_basis": 20, "n_neighbors": 0, "optimizer": None}
    return SparseGPRegressor(**options).fit(table, y), table, y


def test_periodic_parts_stand_for_their_date(dated):
    data = make_report_data(*dated, About())
    parts = [j for j, name in enumerate(data.names) if name.startswith("when, ")]
    assert parts
    assert {_column(data, j) for j in parts} == {data.names.index("when")}
    assert _column(data, data.names.index("a")) == data.names.index("a")
