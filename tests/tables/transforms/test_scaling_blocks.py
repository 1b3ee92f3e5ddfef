"""The scaling of a table in parts is that of the whole table."""

import numpy as np
import pytest

from sparsegp.tables.sources.blocks import ArrayBlocks, BlockTable
from sparsegp.tables.sources.memory import MemoryTable
from sparsegp.tables.targets import Targets
from sparsegp.tables.transforms.scaling_blocks import fit_table_scalings


@pytest.mark.parametrize("n_columns", [1, 3])
@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_bits_as_in_memory(n_columns, n_outputs, weighted):
    rng = np.random.default_rng(0)
    X = 1e3 + rng.normal(size=(5000, n_columns)) ** 3
    y = rng.gamma(0.3, size=(5000, n_outputs))
    weight = rng.uniform(0.5, 3.0, size=5000) if weighted else None
    table = BlockTable(ArrayBlocks(X), Targets(y, weight), rows_of_block=77)
    in_memory = MemoryTable(X, Targets(y, weight))
    kinds = ("standard",) * n_columns
    for found, wanted in zip(
        table.fit_scalings(kinds, "standard"),
        in_memory.fit_scalings(kinds, "standard"),
        strict=True,
    ):
        assert np.array_equal(found.offset, wanted.offset)
        assert np.array_equal(found.scale, wanted.scale)


def test_constant_columns_and_columns_left_alone():
    X = np.column_stack((np.full(500, 7.0), np.arange(500.0), np.arange(500.0)))
    table = BlockTable(ArrayBlocks(X), Targets(np.ones((500, 1))), rows_of_block=64)
    kinds = ("standard", "standard", "none")
    inputs, targets = table.fit_scalings(kinds, "none")
    assert inputs.offset.tolist() == [7.0, np.mean(X[:, 1]), 0.0]
    assert inputs.scale[0] == inputs.scale[2] == 1.0 < inputs.scale[1]
    assert (targets.offset[0], targets.scale[0]) == (0.0, 1.0)


def test_parts_are_checked_with_the_numbers_of_their_rows():
    seen = []
    targets = Targets(np.ones((100, 1)))
    table = BlockTable(ArrayBlocks(np.ones((100, 2))), targets, rows_of_block=30)
    fit_table_scalings(
        table, ("none",) * 2, "none", lambda start, rows: seen.append((start, len(rows)))
    )
    assert seen == [(0, 30), (30, 30), (60, 30), (90, 10)]
