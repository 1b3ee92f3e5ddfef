"""Bad input: one line on standard error, exit code 2, nothing written."""

import numpy as np
import pandas as pd
import pytest

import sparsegp
from tests.cli.commands import invoke, mixed_table, run


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Tables with something wrong, and models."""
    folder = tmp_path_factory.mktemp("bad")
    good = mixed_table(60)
    good.to_csv(folder / "good.csv", index=False)
    gaps = good.copy()
    gaps["y"] = np.nan
    gaps.to_csv(folder / "gaps.csv", index=False)
    good[["unit", "y"]].to_csv(folder / "constant.csv", index=False)
    good[["y"]].to_csv(folder / "only_y.csv", index=False)
    good.assign(y=4).to_csv(folder / "same_y.csv", index=False)
    good.drop(columns="size").to_csv(folder / "short.csv", index=False)
    good.iloc[:0].to_csv(folder / "no_rows.csv", index=False)
    good.assign(size="large").to_csv(folder / "texts.csv", index=False)
    many = pd.DataFrame({"x": np.arange(3000) % 7 + 0.5, "y": [f"t{i}" for i in range(3000)]})
    many.to_csv(folder / "many.csv", index=False)
    (folder / "empty.csv").write_text("")
    (folder / "ragged.csv").write_text("a,y\n1,2\n1,2,3\n")
    (folder / "foreign.parquet").write_bytes(b"PAR1 no parquet at all")
    (folder / "foreign.safetensors").write_bytes(b"\x93NUMPY" + bytes(200))
    X = good[["size"]]
    sparsegp.SparseGPRegressor(random_state=0).fit(X, good["y"]).save(folder / "model.st")
    sparsegp.SparseGPRegressor(random_state=0).fit(X.to_numpy(), good["y"]).save(folder / "raw.st")
    return folder


def check(folder, arguments, part, command=invoke, stdin=None):
    before = {file: file.read_bytes() for file in folder.iterdir()}
    done = command(*arguments, stdin=stdin)
    code = done.exit_code if hasattr(done, "exit_code") else done.returncode
    assert code == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("sparsegp: ")
    assert part in done.stderr
    assert {file: file.read_bytes() for file in folder.iterdir()} == before


FITS = {
    "nowhere.csv": "there is no file",
    "empty.csv": "is empty",
    "no_rows.csv": "has no rows",
    "ragged.csv": "cannot read",
    "foreign.parquet": "cannot read",
    "foreign.safetensors": "its name must end with",
    "gaps.csv": "is missing in all rows",
    "constant.csv": "no column is left to learn from ('unit' is always 'cm')",
    "only_y.csv": "there is only the target",
    "same_y.csv": "target 'y' is always '4'",
    "many.csv": "3,000 distinct values",
}


@pytest.mark.parametrize("name", FITS)
def test_tables_to_fit(tables, name):
    arguments = ("fit", tables / name, "--target", "y", "--out", tables / "out.st", "--json")
    check(tables, arguments, FITS[name])


OPTIONS = {
    ("--target", "Y"): "there is no column 'Y' for --target",
    ("--target", "sise"): "did you mean 'size'?",
    ("--target", "y", "--drop", "z"): "for --drop",
    ("--target", "y", "--task", "guess"): "--task must be one of",
    ("--target", "colour", "--task", "regression"): "which is not a number",
    ("--target", "y", "--selection", "best"): "give one of random,",
    ("--target", "colour", "--selection", "loo_error"): "give one of",
    ("--target", "y", "--holdout", "1.5"): "--holdout must be a share",
    ("--target", "y", "--time-limit", "0"): "--time-limit must be a positive number of seconds",
    ("--target", "y", "--time-limit", "nan"): "--time-limit must be a positive number of seconds",
    ("--target", "y", "--kernel", "matern"): "--kernel must be one of auto, rbf, matern12",
    ("--target", "y", "--transform-x", "sqrt"): "transform_X must be one of",
    ("--target", "colour", "--transform-y", "log"): "--transform-y is for regression",
    ("--target", "y", "--out", "no/folder/m.st"): "there is no folder",
    ("--target", "day"): "is neither numbers nor labels",
}


@pytest.mark.parametrize("options", OPTIONS)
def test_options_of_fit(tables, options):
    check(tables, ("fit", tables / "good.csv", "--json", *options), OPTIONS[options])


PREDICTIONS = {
    ("model.st", "nowhere.csv"): "there is no file",
    ("model.st", "short.csv"): "has no column 'size', which the model needs",
    ("model.st", "no_rows.csv"): "has no rows",
    ("model.st", "texts.csv"): "contains 'large', which is not a number",
    ("nowhere.st", "good.csv"): "there is no file",
    ("foreign.safetensors", "good.csv"): "cannot load",
    ("good.csv", "good.csv"): "cannot load",
    ("raw.st", "good.csv"): "without column names",
}


@pytest.mark.parametrize("names", PREDICTIONS)
def test_predictions(tables, names):
    model, table = (tables / name for name in names)
    check(tables, ("predict", model, table, "--out", tables / "p.csv"), PREDICTIONS[names])


def test_options_of_predict(tables):
    start = ("predict", tables / "model.st", tables / "good.csv", "--out")
    check(tables, (*start, tables / "p.xls"), "its name must end with")
    check(tables, (*start, tables), "is a folder")
    check(tables, (*start, tables / "p.csv", "--with", "z"), "for --with")
    check(tables, (*start, tables / "p.csv", "--level", "2"), "--level")


def test_info_of_a_foreign_file(tables):
    check(tables, ("info", tables / "foreign.safetensors"), "cannot read", run)


STREAMS = {
    ("--new",): "--new needs --target",
    (): "give a MODEL to continue with, or --new",
    ("--new", "--target", "z"): "the first row has no column 'z'",
    ("--new", "--target", "y", "--classes", "a"): "at least two labels",
    ("--new", "--target", "y", "--format", "xml"): "--format must be one of",
    ("--new", "--target", "y", "--forget", "2"): "--forget must be auto, none or a rate",
    ("--new", "--target", "y", "--lags", "x=much"): "--lags must be a number, or names",
    ("--new", "--target", "y", "--lags", "w=1"): "--lags names 'w'",
    ("--new", "--target", "y", "--mean", "first"): "--mean must be auto, zero or last",
    ("--new", "--target", "y", "--classes", "a,b", "--mean", "last"): "is for numbers",
    ("{model}", "--lags", "1"): "need --new",
    ("{model}",): "cannot learn further rows",
    ("{model}", "--seed", "3"): "need --new",
}


@pytest.mark.parametrize("options", STREAMS)
def test_options_of_stream(tables, options):
    given = [str(tables / "model.st") if option == "{model}" else option for option in options]
    check(tables, ("stream", *given, "--out", tables / "o"), STREAMS[options], stdin="x,y\n1,2\n")


@pytest.mark.parametrize(
    ("rows", "part"),
    [
        ("", "there is no row on standard input"),
        ("x,x,y\n1,2,3\n", "distinct column names"),
        ("x,y\n1,2,3\n", "row 1 has 3 cells"),
        ("y\n1\n", "no column besides the target"),
        ('{"x": 1, "y": 2\n', "row 1 is not valid JSON"),
    ],
)
def test_rows_of_stream(tables, rows, part):
    arguments = ("stream", "--new", "--target", "y", "--out", tables / "o")
    check(tables, arguments, part, stdin=rows)
