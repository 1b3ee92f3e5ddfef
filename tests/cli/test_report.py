"""Pages from the command line, on files of the benchmark data and on hostile tables."""

import json

import numpy as np
import pandas as pd
import pytest

from sparsegp import SparseGPRegressor
from sparsegp.cli.holdout_split import split_rows
from sparsegp.cli.saved_split import recover_split, split_record
from sparsegp.files import save
from tests.cli.commands import invoke, mixed_table
from tests.cli.test_real_data import some_rows
from tests.report.pages import read


def test_calhouse_by_fit_and_by_report(tmp_path):
    path, model = some_rows("calhouse", 250, tmp_path), tmp_path / "m.safetensors"
    first, second = tmp_path / "fit.html", tmp_path / "m.html"
    done = invoke(
        *("fit", path, "--target", "y", "--max-basis", 12, "--out", model, "--report", first),
        *("--transform-x", "quantile", "--transform-y", "log", "--json"),
    )
    assert done.exit_code == 0, done.stderr
    scores = json.loads(done.stdout)["scores"]
    fresh = read(first.read_text(encoding="utf-8"))
    assert f"explains {100 * (1 - scores['nmse']):.1f} %" in fresh.told
    assert "On 50 held-out rows of calhouse.csv" in fresh.told
    assert fresh.cells.count("quantile") >= 5
    assert "Transform of the target: log." in fresh.told
    assert "load('m.safetensors')" in fresh.told
    assert len(fresh.figures) == 7 + 8
    # the same table again: the same rows are judged
    assert invoke("report", model, path).exit_code == 0
    loaded = read(second.read_text(encoding="utf-8"))
    assert loaded.told == fresh.told


def test_image_has_a_page_of_classes(tmp_path):
    path, model = some_rows("image", 300, tmp_path), tmp_path / "m.safetensors"
    invoke("fit", path, "--target", "y", "--max-basis", 10, "--out", model)
    other = some_rows("image", 250, tmp_path)  # not the table that it was fitted on
    done = invoke("report", model, other, "--out", tmp_path / "p.html", "--json")
    assert json.loads(done.stdout)["rows"] == 250
    shown = read((tmp_path / "p.html").read_text(encoding="utf-8"))
    assert "correctly for" in shown.told
    assert "may have been trained on some of these rows" in shown.told
    assert len(shown.figures) == 3 + 12


def test_hostile_names_dates_and_gaps(tmp_path):
    path, page = tmp_path / "t.csv", tmp_path / "p.html"
    table = mixed_table(200).rename(columns={"size": "<script>alert(1)</script>", "y": "</h1>"})
    table["colour"] = table["colour"].where(table["colour"] != "red", "<b>red")
    table.to_csv(path, index=False)
    done = invoke("fit", path, "--target", "</h1>", "--max-basis", 12, "--report", page)
    assert done.exit_code == 0
    shown = read(page.read_text(encoding="utf-8"))
    assert shown.headings[0] == "</h1> in t.csv"
    assert "<b>red" in shown.cells
    assert any(text.startswith("2024-0") for text in shown.cells)  # dates as dates
    assert "is always 'cm'" in shown.cells  # what was left out, and why
    assert "dates, used as days since 1970" in shown.told


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fitted")
    mixed_table(60).to_csv(folder / "t.csv", index=False)
    arguments = ("fit", folder / "t.csv", "--target", "y", "--max-basis", 5)
    assert invoke(*arguments, "--out", folder / "m.safetensors").exit_code == 0
    return folder / "m.safetensors"


def test_only_the_table_of_the_fit_is_split_again():
    X, y = pd.DataFrame({"x": np.arange(50.0)}), np.arange(50.0)
    kept = split_record(X, y, 0.2, 3)
    training, held = recover_split(kept, X, y, classes=False)
    np.testing.assert_array_equal(held, split_rows(50, 0.2, 3)[1])
    assert len(np.intersect1d(training, held)) == 0
    assert recover_split(kept, X, y + 1.0, classes=False) is None
    # a file that somebody made may hold anything
    for wrong in (
        None,
        [],
        {},
        kept | {"seed": -1},
        kept | {"holdout": "x"},
        kept | {"holdout": 2},
    ):
        assert recover_split(wrong, X, y, classes=False) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop(columns="y"), "there is no column 'y' for --target"),
        (lambda t: t.drop(columns="size"), "there is no column 'size'"),
        (lambda t: t[:0], "has no rows"),
        (lambda t: t.assign(y=np.nan), "missing in all rows"),
    ],
    ids=["no target", "no input", "no rows", "missing target"],
)
def test_bad_tables_are_one_line_and_write_nothing(tmp_path, model, change, message):
    out = tmp_path / "p.html"
    change(mixed_table(60)).to_csv(tmp_path / "bad.csv", index=False)
    done = invoke("report", model, tmp_path / "bad.csv", "--out", out)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not out.exists()


def test_models_without_error_bars_or_target_names_are_refused(tmp_path):
    x = pd.DataFrame({"x": np.linspace(0, 3, 40)})
    x.assign(y=np.sin(x["x"])).to_csv(tmp_path / "t.csv", index=False)
    model = SparseGPRegressor(max_basis=5, random_state=0).fit(x, np.sin(x["x"]))
    save(model, tmp_path / "named.safetensors")
    save(model, tmp_path / "mean.safetensors", variance=False)
    done = invoke("report", tmp_path / "named.safetensors", tmp_path / "t.csv")
    assert (done.exit_code, "give --target" in done.stderr) == (2, True)
    done = invoke("report", tmp_path / "mean.safetensors", tmp_path / "t.csv", "--target", "y")
    assert (done.exit_code, "no standard deviations" in done.stderr) == (2, True)
    done = invoke("report", tmp_path / "named.safetensors", tmp_path / "t.csv", "--target", "y")
    assert done.exit_code == 0  # a model made in Python has a page as well
    read((tmp_path / "named.html").read_text(encoding="utf-8"))


def test_a_fit_without_rows_held_out_has_no_report(tmp_path):
    mixed_table(60).to_csv(tmp_path / "t.csv", index=False)
    asked = ("fit", tmp_path / "t.csv", "--target", "y", "--report", tmp_path / "p.html")
    done = invoke(*asked, "--holdout", 0, "--out", tmp_path / "m.st")
    assert (done.exit_code, "--report needs held-out rows" in done.stderr) == (2, True)
    done = invoke(*asked[:4], "--report", tmp_path / "nowhere" / "p.html")
    assert (done.exit_code, "there is no folder" in done.stderr) == (2, True)
    assert [file.name for file in tmp_path.iterdir()] == ["t.csv"]


def test_transforms_that_do_not_exist_are_refused(tmp_path):
    mixed_table(60).to_csv(tmp_path / "t.csv", index=False)
    for option, column in (
        ("--transform-x", "y"),
        ("--transform-y", "y"),
        ("--transform-y", "colour"),
    ):
        done = invoke("fit", tmp_path / "t.csv", "--target", column, option, "cubic")
        assert done.exit_code == 2
        assert "transform" in done.stderr
