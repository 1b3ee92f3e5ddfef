"""Commands on files of the benchmark data."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.cli.commands import data_file, invoke, run
from tests.report.pages import read


def some_rows(name, n, folder, change=lambda table: table):
    """Write some rows of a set as a table of its own."""
    file = data_file(name)
    if not file.exists():
        pytest.skip(f"no data set {name}: set SPARSEGP_DATA")
    table = pd.read_parquet(file).sample(n, random_state=0)
    path = folder / f"{name}.csv"
    change(table).to_csv(path, index=False)
    return path


def fitted(path, target, folder, *options):
    """Fit, predict the same rows, and return what was found."""
    model, out = folder / "m.safetensors", folder / "p.parquet"
    done = invoke("fit", path, "--target", target, "--out", model, "--json", *options)
    assert done.exit_code == 0, done.stderr
    assert invoke("predict", model, path, "--out", out).exit_code == 0
    return json.loads(done.stdout), pd.read_parquet(out), pd.read_csv(path)


def test_calhouse(tmp_path):
    path = some_rows("calhouse", 450, tmp_path)
    found, predictions, table = fitted(path, "y", tmp_path, "--max-basis", 30)
    assert found["scores"]["nmse"] < 0.45
    assert 0.85 < found["scores"]["coverage"] < 1.0
    assert np.corrcoef(predictions["mean"], table["y"])[0, 1] > 0.75


def test_abalone_with_its_categories(tmp_path):
    sexes = ["sex_M", "sex_F", "sex_I"]

    def with_sex(table):
        sex = table[sexes].idxmax(axis=1).str[-1]
        return table.drop(columns=sexes).assign(sex=sex).rename(columns={"y": "rings"})

    path = some_rows("abalone", 300, tmp_path, with_sex)
    page = tmp_path / "p.html"
    found, predictions, table = fitted(path, "rings", tmp_path, "--max-basis", 20, "--report", page)
    assert found["columns"][-1] == {
        "name": "sex",
        "kind": "category",
        "fill": None,
        "levels": ["F", "I", "M"],
        "position": 7,
        "had_missing": False,
    }
    assert found["scores"]["nmse"] < 0.6
    inside = (predictions["lower"] < table["rings"]) & (table["rings"] < predictions["upper"])
    assert inside.mean() > 0.85
    shown = read(page.read_text(encoding="utf-8"))
    assert {"M", "F", "I"} & set(shown.cells)  # of the basis vectors
    assert "F, I, M" in shown.cells  # levels of the column
    assert "Effect of sex" in shown.figures


def test_image(tmp_path):
    path = some_rows("image", 400, tmp_path)
    found, predictions, table = fitted(path, "y", tmp_path, "--max-basis", 20)
    assert found["task"] == "classification"  # 1 and −1 are labels
    assert found["scores"]["error"] < 0.15
    assert np.mean(predictions["class"].astype(int).to_numpy() == table["y"].to_numpy()) > 0.9


def test_a_table_larger_than_a_block_needs_no_more_memory(tmp_path):
    x = np.linspace(0, 3, 100_000)
    table = pd.DataFrame({"x": x, "y": np.sin(x)})
    table[::400].to_csv(tmp_path / "some.csv", index=False)
    table.to_parquet(tmp_path / "all.parquet")
    model, out = tmp_path / "m.st", tmp_path / "p.parquet"
    given = ("--kernel", "rbf", "--transform-x", "standard", "--transform-y", "standard")
    arguments = ("fit", tmp_path / "some.csv", "--target", "y", "--max-basis", 20, *given)
    assert invoke(*arguments, "--out", model).exit_code == 0
    done = run("predict", model, tmp_path / "all.parquet", "--out", out, "--json")
    told = json.loads(done.stdout)
    assert told["rows"] == 100_000
    assert told["peak_memory_bytes"] is None or told["peak_memory_bytes"] < 2**29
    found = pd.read_parquet(out)["mean"]
    np.testing.assert_allclose(found, table["y"], atol=0.1)
