"""Every method of the papers has a call that runs, an oracle that exists, and a record."""

import ast
import json
import math
from functools import cache
from pathlib import Path

import pytest

from benchmarks.reproduce.method_rows import ROWS
from benchmarks.reproduce.methods import call
from benchmarks.reproduce.records import RESULTS

ROOT = Path(__file__).resolve().parents[2]


@cache
def functions_of(file):
    tree = ast.parse((ROOT / file).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.key)
def test_the_call_runs(row):
    assert math.isfinite(call(row))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.key)
def test_oracle_and_record_exist(row):
    file, name = row.test.split("::")
    assert name in functions_of(file)
    records = json.loads((RESULTS / f"{row.record}.json").read_text())
    own = row.record == "methods"
    assert any(r["row"] == row.key for r in records) if own else records


def test_rows_differ():
    assert len({row.key for row in ROWS}) == len(ROWS)
    assert {row.paper for row in ROWS} == {"KC", "SKS", "SS", "CO"}
