"""What the person reads who asked for the prediction: verdict, examples, advice, code that runs."""

import re
from copy import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sparsegp import SparseGPClassifier, SparseGPRegressor
from sparsegp.kernels import RBF
from sparsegp.report import About, report_page, write_report
from sparsegp.report.calibration import calibration_section
from sparsegp.report.evaluation import evaluate_regression
from sparsegp.report.predictions import rows_table
from sparsegp.report.report_data import make_report_data
from tests.report.pages import read

FAST = {"transform_X": "standard", "transform_y": "standard", "random_state": 0}


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"area (m²)": rng.uniform(20, 200, 240), "it's": rng.normal(size=240)})
    y = pd.Series(30.0 * X["area (m²)"] + 400.0 * rng.normal(size=240), name="price")
    model = SparseGPRegressor(1.0 * RBF((1.0, 1.0)), max_basis=8, **FAST).fit(X[:160], y[:160])
    return model, X[160:], y[160:]


def told(model, X, y, **about):
    return read(report_page(model, X, y, about=About(**about)))


@pytest.fixture(scope="module")
def page(fitted):
    return told(*fitted, target="price")


def test_the_verdict_is_in_units_of_the_target(fitted, page):
    model, X, y = fitted
    error = np.mean(np.abs(y - model.predict(X)))
    assert f"off by {float(f'{error:.3g}'):.0f} on average" in page.told
    assert "in the units of price" in page.told
    assert f"{1 - np.mean((y - model.predict(X)) ** 2) / np.var(y):.4g}" in page.cells  # R²


def test_ten_rows_have_their_intervals_and_names(fitted, page):
    model, X, _ = fitted
    lower, upper = model.predict_interval(X, 0.95)
    ends = {
        f"{float(f'{low:.4g}'):.0f} to {float(f'{high:.4g}'):.0f}"
        for low, high in zip(lower, upper, strict=True)
        if low >= 1_000 and high < 10_000  # four digits have no comma
    }
    lowest = X.index[np.argmin(model.predict(X))]
    assert str(lowest) in page.cells
    assert len(ends & set(page.cells)) >= 5


def test_the_largest_errors_are_listed(fitted, page):
    model, X, y = fitted
    worst = X.index[np.argmax(np.abs(y - model.predict(X)))]
    after = page.text.split('id="largest-errors"')[1]
    first = re.search(r"<tbody>\s*<tr><td[^>]*>(.*?)</td>", after)
    assert first is not None
    assert first[1] == str(worst)
    assert "Largest errors" in page.headings


def test_a_fit_that_was_cut_short_is_told_to_allow_more_time(fitted, page):
    model, X, y = fitted
    assert "Allow more time" not in page.told
    cut = copy(model)
    cut.cut_short_, cut.time_limit = ["selection: ended at 8 basis vectors"], 1.0
    page = told(cut, X, y)
    assert "cut short by its time limit of 1 s. Allow more time" in page.told
    assert "The time limit allowed 8 of them" in page.told
    assert "ended at 8 basis vectors" in page.cells
    assert "max_basis=" not in page.told


def test_the_basis_is_not_told_to_grow_where_it_cannot():
    X = np.random.default_rng(0).uniform(-3, 3, (40, 1))
    y = np.sin(4 * X[:, 0])
    model = SparseGPRegressor(RBF(0.3), max_basis="all", **FAST).fit(X[:20], y[:20])
    assert "try max_basis" not in told(model, X[20:], y[20:]).told


@pytest.mark.parametrize("saved", [True, False])
def test_the_code_runs_as_printed(fitted, saved, tmp_path, monkeypatch, capsys):
    model, X, y = fitted
    monkeypatch.chdir(tmp_path)
    if saved:
        model.save("my model.safetensors")
    page = told(model, X, y, model_file="my model.safetensors" if saved else None)
    exec(page.code[0], {} if saved else {"model": model})
    mean = re.search(r"[\d.]+", capsys.readouterr().out)
    assert float(mean[0]) == pytest.approx(model.predict(X[:1])[0], rel=1e-5)


def test_the_code_of_arrays_and_classes_runs_as_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(80, 2))
    model = SparseGPClassifier(max_basis=5, random_state=0).fit(X, X[:, 0] > 0)
    exec(told(model, X[:9], X[:9, 0] > 0).code[0], {"model": model})
    assert str(model.predict(X[:1])[0]) in capsys.readouterr().out


def test_dates_are_dates_and_some_of_many_inputs_are_counted():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(150, 14)), columns=[f"c{i}" for i in range(14)])
    X["day"] = rng.uniform(19000, 19400, 150)
    y = X["day"] / 100 + X["c0"]
    model = SparseGPRegressor(1.0 * RBF(np.ones(15)), max_basis=10, **FAST).fit(X[:100], y[:100])
    page = told(model, X[100:], y[100:], dates=["day"])
    assert "12 of 15 inputs are shown" in page.told
    assert re.search(r"202[23]-\d\d-\d\d", page.told.split("Effect of each input")[-1])


def test_numbers_have_no_offsets_exponents_or_nats(page):
    assert not re.search(r"\de[+-]\d", page.told)
    assert "nats" not in page.told
    assert page.text.count("data-says") > 80 + 10  # all rows, and more


def test_the_model_writes_its_page(fitted, tmp_path):
    model, X, y = fitted
    model.report(X, y, tmp_path / "page.html")
    page = read((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert page.headings[0] == "Predicting price"
    assert "variance of price" in page.told
    write_report(model, X, y.to_numpy(), tmp_path / "b.html", title="T <b>", target="cost")
    page = read((tmp_path / "b.html").read_text(encoding="utf-8"))
    assert page.headings[0] == "T <b>"
    assert "variance of cost" in page.told


def test_a_path_before_the_rows_is_named(fitted, tmp_path):
    model, X, y = fitted
    with pytest.raises(TypeError, match=r"path must be a file name, got .*X, y and path"):
        model.report(tmp_path / "page.html", X, y)


def test_calibration_does_not_contradict_its_figure(fitted):
    model, X, y = fitted
    data = make_report_data(model, X, y, About())
    evaluation = evaluate_regression(model, X, data.y)
    inside = np.arange(len(y)) >= 4  # 76 of 80: 95 %, and all of them in the middle
    pit, upper = np.where(inside, 0.5, 0.001), np.where(inside, y + 1, y - 1)
    words = calibration_section(
        data, replace(evaluation, pit=pit, lower=y - 2, upper=upper)
    ).paragraphs[0]
    assert "The 95 % intervals are about right: they contain 95.0 %" in words
    assert "But the 50 % intervals are too wide: they contain 95.0 %" in words


def test_missing_inputs_are_called_missing():
    rng = np.random.default_rng(0)
    missing = (np.arange(60) % 2).astype(float)
    X = pd.DataFrame({"a": rng.normal(size=60), "a is missing": missing})
    y = X["a"].to_numpy() + missing
    model = SparseGPRegressor(1.0 * RBF((1.0, 1.0)), max_basis=5, **FAST).fit(X, y)
    data = make_report_data(model, X, y, About())
    table = rows_table(data, evaluate_regression(model, X, y), np.array([0, 1]), np.ones(2))
    assert table.head[-1] == "a"
    assert [row[-1] == "missing" for row in table.rows] == [False, True]


def test_the_mean_of_a_warped_target_is_that_of_predict():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (840, 2))
    y = np.exp(X[:, 0] + np.where(rng.uniform(size=840) < 0.3, 1.5, 0.0))
    options = FAST | {"transform_y": "log", "max_basis": 40, "n_neighbors": 8}
    model = SparseGPRegressor(RBF(1.0), **options).fit(X[:800], y[:800])
    assert model._target_mean is not None  # the mean is not that of the distribution alone
    found = evaluate_regression(model, X[800:], y[800:])
    np.testing.assert_allclose(found.mean, model.predict(X[800:]))
    np.testing.assert_allclose(found.lower, model.predict_interval(X[800:], 0.95)[0])
    np.testing.assert_allclose(found.loss, -model.log_density(X[800:], y[800:]))
    assert "Predicted against observed" in told(model, X[800:], y[800:]).headings
