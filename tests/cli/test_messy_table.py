"""A messy table: Python and the command line make the same model of it, and use each other's."""

import re
import subprocess
import sys
from html import unescape

import numpy as np
import pandas as pd
import pytest

import sparsegp
from sparsegp.cli.holdout_split import split_rows
from sparsegp.exceptions import ColumnWarning
from tests.cli.commands import invoke

ROWS, SEED, HELD_OUT = 3000, 0, 0.85  # few training rows: a quick fit


def messy_table():
    """Return an id, times with gaps, 40 cities, prices with separators, booleans and free text."""
    rng = np.random.default_rng(SEED)
    city = rng.integers(0, 40, ROWS)
    when = pd.Timestamp("2022-03-01") + pd.to_timedelta(rng.uniform(0, 200, ROWS), unit="D")
    price = rng.lognormal(7.5, 0.8, ROWS)
    sold = rng.random(ROWS) < 0.3
    effect = rng.normal(size=40)[city] + np.sin(2 * np.pi * when.hour / 24.0)
    y = effect + 0.5 * np.log(price) + 0.4 * sold + 0.1 * rng.normal(size=ROWS)
    missing = rng.random(ROWS) < 0.1
    return pd.DataFrame(
        {
            "id": np.arange(1, ROWS + 1),
            "when": pd.Series(when.round("s")).where(rng.random(ROWS) > 0.05),
            "city": [f"city {c:02d}" for c in city],
            "price": [None if m else f"{p:,.2f}" for m, p in zip(missing, price, strict=True)],
            "sold": sold,
            "text": [f"the words of row {i} say nothing" for i in range(ROWS)],
            "y": y.round(3),  # short numbers mean the same to every parser
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("messy")
    messy_table().to_csv(folder / "t.csv", index=False)
    done = invoke(
        *("fit", folder / "t.csv", "--target", "y", "--holdout", HELD_OUT),
        *("--max-basis", 60, "--n-neighbors", 0),
        *("--out", folder / "m.safetensors", "--report", folder / "r.html"),
        *("--kernel", "rbf", "--transform-x", "standard", "--transform-y", "standard"),
    )
    assert done.exit_code == 0, done.stderr
    assert "left out: 'id'" in done.stderr and "'text' looks like free text" in done.stderr
    return folder


def test_python_makes_the_same_model(folder):
    table = pd.read_csv(folder / "t.csv")  # other types than the command line has
    training, held_out = split_rows(ROWS, HELD_OUT, SEED)
    model = sparsegp.SparseGPRegressor(
        "rbf",
        max_basis=60,
        n_neighbors=0,
        transform_X="standard",
        transform_y="standard",
        random_state=SEED,
    )
    X = table.drop(columns="y")
    with pytest.warns(ColumnWarning, match="'id' looks like an identifier.*'text' looks like free"):
        model.fit(X.iloc[training], table["y"].iloc[training])
    saved = sparsegp.load(folder / "m.safetensors")
    assert model.encoding_ == saved.encoding_
    assert model.kernel_ == saved.kernel_
    new = X.iloc[held_out]
    np.testing.assert_array_equal(model.predict(new), saved.predict(new))
    assert model.score(new, table["y"].iloc[held_out]) > 0.5
    parts = {column.part for column in model.encoding_.columns if column.part}
    assert parts == {"hour of day", "day of week"}


def test_a_new_process_runs_the_code_of_the_report(folder):
    page = (folder / "r.html").read_text()
    [code] = re.findall(r"<pre[^>]*>(?:<code>)?(import pandas.*?)</", page, re.S)
    script = f"{unescape(code)}\nprint(repr(float(mean[0])))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    mean = float(done.stdout.splitlines()[-1])
    invoke("predict", folder / "m.safetensors", folder / "t.csv", "--out", folder / "p.csv")
    assert np.any(np.isclose(pd.read_csv(folder / "p.csv")["mean"], mean, rtol=1e-5))


def test_a_model_of_python_predicts_the_file(folder):
    table = pd.read_csv(folder / "t.csv").drop(columns=["id", "text"])[:300]
    model = sparsegp.SparseGPRegressor(None, max_basis=10, optimizer=None, random_state=0)
    model.fit(table.drop(columns="y"), table["y"]).save(folder / "python.safetensors")
    invoke("predict", folder / "python.safetensors", folder / "t.csv", "--out", folder / "q.csv")
    found = pd.read_csv(folder / "q.csv")["mean"][:300]
    np.testing.assert_allclose(found, model.predict(table), rtol=1e-6)
    shown = invoke("info", folder / "python.safetensors").stdout
    assert "price" in shown and "hour of day" in shown
