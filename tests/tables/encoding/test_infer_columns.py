"""Inference of column types and their encoding."""

import json

import numpy as np
import pandas as pd
import pytest

from sparsegp.cli.tables.target import read_target
from sparsegp.tables.encoding import TableEncoding
from sparsegp.tables.encoding.infer_columns import Hints, infer_columns
from sparsegp.tables.encoding.raw_table import read_raw
from tests.cli.commands import mixed_table


def decided(table, **hints):
    return infer_columns(read_raw(table.drop(columns="y", errors="ignore")), Hints(**hints))


def encoded(encoding, table):
    return pd.DataFrame(encoding.encode(table), columns=encoding.input_names)


def test_all_kinds():
    columns = decided(mixed_table())
    kinds = {column.feature: column.kind for column in columns.columns}
    assert kinds == {
        "size": "number",
        "colour": "category",
        "warm": "boolean",
        "day": "date",
        "day, day of week (sin)": "periodic",
        "day, day of week (cos)": "periodic",
        "weight": "number",
        "weight is missing": "missing",
    }
    assert set(columns.left_out) == {"row", "unit", "name"}
    assert "numbers the rows" in columns.left_out["row"]
    assert "always 'cm'" in columns.left_out["unit"]
    assert any("dates" in note for note in columns.notes)
    assert any("median" in note for note in columns.notes)
    text = repr(columns)
    assert "category of 3 levels (blue, green, red)" in text and "left out: is always" in text


def test_keep_overrules_a_suspicion():
    assert "row" in decided(mixed_table(), keep=["row"]).names
    table = mixed_table()
    table["row"], table["name"] = table["row"].astype(float), table["name"].astype("category")
    assert {"row", "name"} <= set(decided(table).names)


@pytest.mark.parametrize(
    ("values", "left_out"),
    [
        (range(1959, 1999), False),  # years: they do not begin with 0 or 1
        (range(40), True),
        (np.random.default_rng(0).permutation(40) + 1, True),
        (sorted(np.random.default_rng(0).permutation(50)[:40] + 1), True),  # of held-out rows
        (np.linspace(0, 1, 40), False),
        ([f"u{i // 2}" for i in range(40)], False),
        ([f"u{i}" for i in range(39)] + ["u0"], True),
        ([None] * 40, True),
    ],
)
def test_identifiers(values, left_out):
    table = pd.DataFrame({"a": ["x", "z"] * 20, "b": list(values), "y": 0.0})
    assert ("b" in decided(table).left_out) == left_out


def test_plain_numbers_are_no_identifiers_unless_they_are_called_so():
    table = pd.DataFrame({"t": range(40), "x": np.linspace(0, 1, 40)})
    assert decided(table) is None
    assert set(decided(table.rename(columns={"t": "id"})).left_out) == {"id"}


def test_an_identifier_that_recurs_is_a_category():
    table = pd.DataFrame({"person_id": [3, 5, 7, 9] * 10, "s": ["a", "b"] * 20})
    assert decided(table).columns[0].levels == ("3", "5", "7", "9")


def test_rare_levels_of_many_are_one():
    names = [f"c{i}" for i in range(60)] * 3 + ["once", "too"]
    table = pd.DataFrame({"city": names, "x": np.arange(182) % 7})
    encoding = decided(table)
    assert encoding.columns[0].pooled == ("once", "too")
    codes = encoded(encoding, table)["city"].to_numpy()
    assert codes[-1] == codes[-2] == -2 and len(set(codes)) == 61


def test_free_text_is_left_out():
    table = pd.DataFrame({"a": [1, 2] * 20, "s": [f"it came on day {i}" for i in range(40)]})
    assert "free text" in decided(table).left_out["s"]


def test_ranks_of_ordered_categories():
    grades = pd.Categorical(["low", "high", None], ["low", "mid", "high"], ordered=True)
    table = pd.DataFrame({"g": grades, "s": ["a", "b", "a"]})
    assert encoded(decided(table), table)["g"].tolist() == [0.0, 2.0, 1.0]  # missing: median


def test_dates_have_the_parts_that_rows_support():
    hourly = pd.DataFrame({"t": pd.date_range("2024-01-01", periods=24 * 20, freq="h")})
    parts = {c.part for c in decided(hourly).columns if c.part}
    assert parts == {"hour of day", "day of week"}
    for unit in ("s", "us", "ns"):
        other = hourly.astype(f"datetime64[{unit}]")
        pd.testing.assert_frame_equal(
            encoded(decided(other), other), encoded(decided(hourly), hourly)
        )


def test_complex_and_nested_columns():
    with pytest.raises(ValueError, match="Complex data not supported: column 'z'"):
        decided(pd.DataFrame({"z": [1j, 2.0], "s": ["a", "b"]}))
    assert "lists" in decided(pd.DataFrame({"a": [1, 2], "b": [[1], [2]]})).left_out["b"]


def test_a_number_and_gaps_are_two_levels():
    table = pd.DataFrame({"a": [1.0, np.nan] * 10, "b": ["x", "z"] * 10})
    columns = decided(table)
    assert [column.kind for column in columns.columns] == ["category", "category"]
    assert encoded(columns, table)["a"].tolist() == [1.0, 0.0] * 10


def test_fills_and_levels_come_from_the_training_rows():
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0, 100.0, np.nan], "b": list("xyxyz")})
    columns = decided(table[:3])
    with pytest.warns(UserWarning, match="'a': missing here"):
        X = encoded(columns, table)
    assert X["a"].tolist() == [1.0, 2.0, 3.0, 100.0, 2.0]
    assert X["b"].tolist() == [1.0, 2.0, 1.0, 2.0, -1.0]  # z is unknown


def test_columns_survive_json_and_order():
    table = mixed_table()
    columns = decided(table)
    again = TableEncoding.from_json(json.loads(json.dumps(columns.as_json())))
    assert again == columns
    np.testing.assert_array_equal(again.encode(table[table.columns[::-1]]), columns.encode(table))


def test_json_of_version_0_1_is_read():
    stored = {"name": "a", "kind": "number", "fill": 1.5, "levels": []}
    indicator = {"name": "a", "kind": "missing", "fill": None, "levels": []}
    other = {"name": "b", "kind": "category", "fill": None, "levels": ["x", "y"]}
    columns = [stored, indicator, other]
    encoding = TableEncoding.from_json({"columns": columns, "left_out": {}, "notes": []})
    assert [c.position for c in encoding.columns] == [0, 0, 1]
    table = pd.DataFrame({"b": ["y", "?"], "a": [None, 3.0]})
    assert encoding.encode(table).tolist() == [[1.5, 1.0, 2.0], [3.0, 0.0, -1.0]]


def test_json_that_somebody_made_is_refused():
    for kept in (None, {}, {"columns": [{"name": 3}], "left_out": {}, "notes": []}, []):
        with pytest.raises(ValueError, match="fit the model again"):
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
