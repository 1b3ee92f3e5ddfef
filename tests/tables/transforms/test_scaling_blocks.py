"""The scaling of a table in parts is that of the whole table."""

import numpy as np
import pytest

from sparsegp.tables.sources.table import ArrayTable
from sparsegp.tables.sources.weighted import WeightedTable
from sparsegp.tables.transforms.scaling import fit_scaling
from sparsegp.tables.transforms.scaling_blocks import fit_table_scalings


def _no_check(start, rows):
    pass


@pytest.mark.parametrize("n_columns", [1, 3])
@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_bits_as_in_memory(n_columns, n_outputs, weighted):
    rng = np.random.default_rng(0)
    X = 1e3 + rng.normal(size=(5000, n_columns)) ** 3
    y = rng.gamma(0.3, size=(5000, n_outputs))
    weight = rng.uniform(0.5, 3.0, size=5000) if weighted else None
    table = ArrayTable(X, y, rows_of_part=77)
    if weighted:
        table = WeightedTable(table, weight)
    inputs, targets = fit_table_scalings(table, ("standard",) * n_columns, "standard", _no_check)
    for found, values in ((inputs, X), (targets, y)):
        wanted = fit_scaling(values, weight, "standard")
        assert np.array_equal(found.offset, wanted.offset)
        assert np.array_equal(found.scale, wanted.scale)


def test_constant_columns_and_columns_left_alone():
    X = np.column_stack((np.full(500, 7.0), np.arange(500.0), np.arange(500.0)))
    table = ArrayTable(X, np.ones((500, 1)), rows_of_part=64)
    kinds = ("standard", "standard", "none")
    inputs, targets = fit_table_scalings(table, kinds, "none", _no_check)
    assert inputs.offset.tolist() == [7.0, np.mean(X[:, 1]), 0.0]
    assert inputs.scale[0] == inputs.scale[2] == 1.0 < inputs.scale[1]
    assert (targets.offset[0], targets.scale[0]) == (0.0, 1.0)


def test_parts_are_checked_with_the_numbers_of_their_rows():
    seen = []
    table = ArrayTable(np.ones((100, 2)), np.ones((100, 1)), rows_of_part=30)
    fit_table_scalings(
        table, ("none",) * 2, "none", lambda start, rows: seen.append((start, len(rows)))
    )
    assert seen == [(0, 30), (30, 30), (60, 30), (90, 10)]
