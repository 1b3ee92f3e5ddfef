"""Inference of column types and their encoding."""

import json

import numpy as np
import pandas as pd
import pytest

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.tables.encoding import TableEncoding
from sparsegp.cli.tables.infer_columns import infer_columns
from sparsegp.cli.tables.target import read_target
from tests.cli.commands import mixed_table


def decided(table, **options):
    return infer_columns(table, np.arange(len(table)), drop=["y"], **options)


def test_all_kinds():
    columns = decided(mixed_table())
    kinds = {column.feature: column.kind for column in columns.columns}
    assert kinds == {
        "size": "number",
        "colour": "category",
        "warm": "category",
        "day": "date",
        "weight": "number",
        "weight is missing": "missing",
    }
    assert set(columns.left_out) == {"row", "unit", "name"}
    assert "numbers the rows" in columns.left_out["row"]
    assert "always 'cm'" in columns.left_out["unit"]
    assert any("dates" in note for note in columns.notes)
    assert any("median" in note for note in columns.notes)


def test_keep_overrules_a_suspicion():
    assert "row" in decided(mixed_table(), keep=["row"]).names


@pytest.mark.parametrize(
    ("values", "left_out"),
    [
        (range(1959, 1999), False),  # years: they do not begin with 0 or 1
        (range(40), True),
        (np.random.default_rng(0).permutation(40) + 1, True),
        (np.linspace(0, 1, 40), False),
        ([f"u{i // 2}" for i in range(40)], False),
        ([f"u{i}" for i in range(39)] + ["u0"], True),
        ([None] * 40, True),
    ],
)
def test_identifiers(values, left_out):
    table = pd.DataFrame({"a": np.tile([1.5, 2.5], 20), "b": list(values), "y": 0.0})
    assert ("b" in decided(table).left_out) == left_out


def test_a_number_and_gaps_are_two_levels():
    table = pd.DataFrame({"a": [1.0, np.nan] * 10, "y": 0.0})
    columns = decided(table)
    assert [column.kind for column in columns.columns] == ["category"]
    assert columns.encode(table)["a"].tolist() == [1.0, 0.0] * 10


def test_fills_and_levels_come_from_the_training_rows():
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0, 100.0, np.nan], "b": list("xyxyz"), "y": 0.0})
    columns = infer_columns(table, np.array([0, 1, 2]), drop=["y"], keep=["b"])
    X = columns.encode(table)
    assert X["a"].tolist() == [1.0, 2.0, 3.0, 100.0, 2.0]
    assert X["b"].tolist() == [1.0, 2.0, 1.0, 2.0, -1.0]  # z is unknown


def test_columns_survive_json_and_order():
    table = mixed_table()
    columns = decided(table)
    again = TableEncoding.from_json(json.loads(json.dumps(columns.as_json())))
    assert again == columns
    pd.testing.assert_frame_equal(again.encode(table[table.columns[::-1]]), columns.encode(table))


def test_json_that_somebody_made_is_refused():
    for kept in (None, {}, {"columns": [{"name": 3}], "left_out": {}, "notes": []}, []):
        with pytest.raises(BadInputError, match="fit the model again"):
            TableEncoding.from_json(kept)


@pytest.mark.parametrize(
    ("values", "task"),
    [
        ([1.5, 2.5, 3.5], "regression"),
        ([1, 2, 3], "regression"),
        ([-1, 1, 1], "classification"),
        (["a", "b", "a"], "classification"),
        ([True, False, True], "classification"),
    ],
)
def test_tasks(values, task):
    assert read_target(pd.Series(values), "y").task == task
