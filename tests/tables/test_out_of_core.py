"""Rows out of core are fetched, cut and summed as rows in memory are."""

import numpy as np
import pytest

from sparsegp.tables.out_of_core import OutOfCoreRows, inputs_at
from sparsegp.tables.rows import Rows
from sparsegp.tables.sources.blocks import ArrayBlocks, BlockTable
from sparsegp.tables.targets import Targets
from sparsegp.tables.transforms.scaling import fit_scaling


@pytest.fixture
def both():
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=(100, 2)), rng.normal(size=(100, 1)), rng.uniform(1, 2, 100)
    inputs, targets = (fit_scaling(values, weight, "standard") for values in (X, y))
    table = BlockTable(ArrayBlocks(X), Targets(y, weight), rows_of_block=17)
    far = table.transformed(inputs, targets)
    return far, Rows(inputs.apply(X), targets.apply(y), weight)


def _assert_equal(rows, wanted):
    assert isinstance(rows, Rows)
    for name in ("X", "y", "weight"):
        assert np.array_equal(getattr(rows, name), getattr(wanted, name))


def test_rows_are_fetched_in_the_order_asked_for(both):
    far, rows = both
    numbers = np.array([99, 0, 16, 17, 16])
    _assert_equal(far.take(numbers), rows.take(numbers))
    _assert_equal(far[5:40], rows[5:40])
    _assert_equal(far.load(), rows)
    assert rows.load() is rows
    assert np.array_equal(inputs_at(far.X, numbers), rows.X[numbers])
    assert np.array_equal(far.X[:3, :], rows.X[:3])


def test_a_part_of_the_rows_stays_far(both):
    far, rows = both
    numbers = np.random.default_rng(1).permutation(100)[:41]
    part, wanted = far.subset(numbers), rows.subset(numbers)
    assert isinstance(part, OutOfCoreRows)
    assert len(part) == part.X.shape[0] == 41
    _assert_equal(part.load(), wanted)
    _assert_equal(part.subset(np.arange(7)).load(), wanted[:7])
    assert part.total_weight == pytest.approx(wanted.total_weight)
    for name in ("n_columns", "n_outputs", "is_weighted", "on_host"):
        assert getattr(part, name) == getattr(wanted, name)
    found = part.reduce(lambda rows: rows.X.T @ rows.y)
    np.testing.assert_allclose(found, wanted.reduce(lambda rows: rows.X.T @ rows.y))


def test_parts_without_rows_that_count_are_left_out(both):
    far, rows = both
    sizes = []

    def work(part):
        sizes.append(len(part))
        return part.y.sum()

    found = far.subset(np.array([40, 41, 99])).reduce(work)
    assert sizes == [2, 1]
    assert found == pytest.approx(rows.y[[40, 41, 99]].sum())


def test_lines_beside_the_rows_go_along(both):
    far, rows = both
    numbers = np.random.default_rng(2).permutation(100)[:41]
    beside = np.arange(100.0)[:, None]
    for some, lines in ((far, beside), (far.subset(numbers), beside[np.sort(numbers)])):
        found = some.reduce(lambda part, line: part.X.T @ line, lines)
        wanted = rows.X[lines[:, 0].astype(int)].T @ lines
        np.testing.assert_allclose(found, wanted)
