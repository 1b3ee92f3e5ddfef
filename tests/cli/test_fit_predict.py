"""From a table to a model to predictions."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sparsegp
from tests.cli.commands import invoke, mixed_table, run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table and a model of it, made as a user would."""
    folder = tmp_path_factory.mktemp("cli")
    mixed_table().to_csv(folder / "t.csv", index=False)
    done = run(
        *("fit", folder / "t.csv", "--target", "y", "--max-basis", 30),
        *("--out", folder / "m.safetensors"),
    )
    assert done.returncode == 0, done.stderr
    (folder / "stdout").write_text(done.stdout)
    (folder / "stderr").write_text(done.stderr)
    return folder


def test_fit_says_what_it_does_and_how_good_it_is(folder):
    told, shown = (folder / "stderr").read_text(), (folder / "stdout").read_text()
    for part in ("left out: 'row' looks like", "'unit' is always", "note: 'day': dates"):
        assert part in told
    for phase in ("hyperparameters on 192 rows", "selection, up to 30", "final pass"):
        assert phase in told
    for name in (
        "R²",
        "RMSE",
        "MAE",
        "NLPD",
        "95 % coverage",
        "basis vectors",
        "seconds",
        "peak memory",
    ):
        assert name in shown


@pytest.fixture(scope="module")
def told_as_json(folder):
    done = invoke("fit", folder / "t.csv", "--target", "y", "--max-basis", 30, "--json")
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_json_is_one_object_and_the_model_is_good(told_as_json):
    found = told_as_json
    assert found["scores"]["nmse"] < 0.1
    assert 0.8 < found["scores"]["coverage"] <= 1.0
    assert found["rows"] == 192
    assert found["held_out"] == 48
    assert found["model"] is None
    assert found["peak_memory_bytes"] > 2**20


def test_what_is_left_to_the_evidence_is_told(folder, told_as_json):
    arguments = ("fit", folder / "t.csv", "--target", "y", "--max-basis", 30)
    found = told_as_json
    assert found["kernel_chosen"].split()[0] in found["kernel"]
    assert "OneHot" in found["kernel"] and "Auto" not in found["kernel"]
    assert len(found["transform_x"]) == len(found["columns"])
    assert set(found["transform_x"].values()) <= {"standard", "quantile", "none"}
    names = [candidate["name"] for candidate in found["tried"]]
    assert f"transforms: target {found['transform_y']}" in names
    assert any(name.startswith("kernel: Matern 3/2") for name in names)
    shown = invoke(*arguments, "--report", folder / "chosen.html").stdout
    assert found["kernel_chosen"] in shown and "candidates compared" in shown
    page = (folder / "chosen.html").read_text()
    assert "Choice of kernel and transforms" in page and f"is {found['kernel_chosen']}." in page
    given = ("--kernel", "rbf", "--transform-x", "standard", "--transform-y", "standard")
    plain = json.loads(invoke(*arguments, *given, "--json").stdout)
    assert plain["kernel_chosen"] is None and plain["tried"] == []
    assert set(plain["transform_x"].values()) == {"standard", "none"}


def test_labels_choose_too(folder):
    arguments = ("fit", folder / "t.csv", "--target", "warm", "--max-basis", 10)
    chosen = ("--kernel", "auto", "--transform-x", "auto")
    found = json.loads(invoke(*arguments, *chosen, "--json").stdout)
    assert found["task"] == "classification" and found["transform_y"] is None
    assert found["kernel_chosen"] is not None and found["tried"]


def test_a_limit_of_time_says_what_was_cut(folder):
    arguments = ("fit", folder / "t.csv", "--target", "y", "--time-limit", 1e-3)
    found = json.loads(invoke(*arguments, "--json").stdout)
    assert found["n_basis"] <= 50
    assert any(cut.startswith("selection: at most") for cut in found["cut_short"])
    shown = invoke(*arguments, "--out", folder / "quick.safetensors").stdout
    assert "shortened by --time-limit" in shown
    assert "at most" in shown
    assert sparsegp.load(folder / "quick.safetensors").time_limit == 1e-3
    free = json.loads(invoke("fit", folder / "t.csv", "--target", "warm", "--json").stdout)
    assert free["cut_short"] == []


def test_predictions_are_those_of_python(folder):
    table = mixed_table()
    out = folder / "p.csv"
    done = invoke(
        *("predict", folder / "m.safetensors", folder / "t.csv", "--out", out),
        *("--with", "row", "--level", 0.5, "--json"),
    )
    assert json.loads(done.stdout).items() >= {"rows": 240, "out": str(out)}.items()
    found = pd.read_csv(out)
    assert list(found.columns) == ["row", "mean", "std", "lower", "upper"]
    assert found["row"].tolist() == table["row"].tolist()
    assert np.mean((found["mean"] - table["y"]) ** 2) < 0.1 * np.var(table["y"])
    assert 0.3 < np.mean((found["lower"] < table["y"]) & (table["y"] < found["upper"])) < 0.8
    model = sparsegp.load(folder / "m.safetensors")
    assert model.encoding_.input_names[-1] == "weight is missing"
    np.testing.assert_allclose(model.predict(table), found["mean"], rtol=1e-6)


def test_blocks_and_order_of_columns_and_format_change_nothing(folder, monkeypatch):
    monkeypatch.setattr("sparsegp.cli.predict.ROWS_PER_BLOCK", 7)
    table = mixed_table()
    table[table.columns[::-1]].drop(columns="y").to_parquet(folder / "r.parquet")
    for given, out in (("r.parquet", "r_out.parquet"), ("t.csv", "t_out.csv")):
        done = invoke("predict", folder / "m.safetensors", folder / given, "--out", folder / out)
        assert "240 rows predicted" in done.stderr
    a, b = pd.read_parquet(folder / "r_out.parquet"), pd.read_csv(folder / "t_out.csv")
    np.testing.assert_allclose(a.to_numpy(), b.to_numpy(), rtol=1e-9, atol=1e-8)


def test_unseen_and_missing_values_are_predicted(folder):
    table = mixed_table(5)
    table["colour"] = ["mauve", None, "red", "green", "blue"]
    table.loc[2, "size"] = np.nan
    table.loc[3, "day"] = None
    table.to_csv(folder / "u.csv", index=False)
    out = folder / "u_out.csv"
    invoke("predict", folder / "m.safetensors", folder / "u.csv", "--out", out)
    found = pd.read_csv(out)
    assert np.isfinite(found.to_numpy()).all()
    assert found["std"][0] > 2 * found["std"][4]  # nobody knows mauve


def test_classes(folder):
    table = mixed_table().drop(columns="warm")
    table.to_parquet(folder / "c.parquet")
    fitted = invoke(
        *("fit", folder / "c.parquet", "--target", "colour", "--max-basis", 20, "--json"),
        *("--out", folder / "c.safetensors"),
    )
    found = json.loads(fitted.stdout)
    assert found["task"] == "classification"
    assert found["scores"]["error"] < 0.4
    out = folder / "c_out.parquet"
    invoke("predict", folder / "c.safetensors", folder / "c.parquet", "--out", out)
    predictions = pd.read_parquet(out)
    assert list(predictions.columns) == ["class", "p_blue", "p_green", "p_red"]
    np.testing.assert_allclose(predictions.iloc[:, 1:].sum(axis=1), 1.0)
    assert np.mean(predictions["class"].to_numpy() == table["colour"].to_numpy()) > 0.6


def test_info(folder):
    shown = invoke("info", folder / "m.safetensors").stdout
    for part in ("SparseGPRegressor", "colour", "blue, green, red", "nmse (held-out rows)"):
        assert part in shown
    found = json.loads(invoke("info", folder / "m.safetensors", "--json").stdout)
    assert found["estimator"] == "SparseGPRegressor"
    assert found["notes"]["target"] == "y"


def test_a_model_made_in_python_predicts_tables(folder):
    X = pd.DataFrame({"a": np.linspace(0, 3, 50), "b": np.linspace(1, 0, 50) ** 2})
    sparsegp.SparseGPRegressor(random_state=0).fit(X, np.sin(X["a"])).save(folder / "py.st")
    X.to_csv(folder / "py.csv", index=False)
    invoke("predict", folder / "py.st", folder / "py.csv", "--out", folder / "py_out.csv")
    found = pd.read_csv(folder / "py_out.csv")
    np.testing.assert_allclose(found["mean"], np.sin(X["a"]), atol=0.05)


def test_the_mean_alone(folder):
    X = pd.DataFrame({"a": np.linspace(0, 3, 50)})
    model = sparsegp.SparseGPRegressor(random_state=0).fit(X, np.sin(X["a"]))
    model.save(folder / "mean.st", variance=False)
    X.to_csv(folder / "mean.csv", index=False)
    invoke("predict", folder / "mean.st", folder / "mean.csv", "--out", folder / "mean_out.csv")
    assert list(pd.read_csv(folder / "mean_out.csv").columns) == ["mean"]


def test_the_script_is_installed():
    script = shutil.which("sparsegp", path=str(Path(sys.executable).parent))
    if script is None:
        pytest.skip("sparsegp is not installed as a script")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == sparsegp.__version__
