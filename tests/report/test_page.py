"""Pages are complete, escaped, and agree with the model they describe."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from sparsegp import OnlineGPRegressor, SparseGPClassifier, SparseGPRegressor, load
from sparsegp.kernels import RBF, Categorical, OnColumns
from sparsegp.report import About, report_page
from tests.report.pages import read

HOSTILE = ["<script>alert(1)</script>", 'a&b "quoted" $x^2$ it\'s', "</svg></style>\n\x00\u202etxt"]
SECTIONS = [
    "Predicted against observed",
    "What an interval looks like",
    "Inputs that matter",
    "Effect of each input",
    "Calibration",
    "Largest errors",
    "The basis",
    "Use the model",
    "Details",
    "Fitting time",
    "Preprocessing of the columns",
    "Choice of kernel and transforms",
    "Length scales",
    "Basis vectors, one by one",
]


def regression(names=("x", "z", "group")):
    """Return a model of two numbers and a category, rows it has not seen, and its targets."""
    rng = np.random.default_rng(0)
    group = rng.integers(1, 4, 260)
    X = pd.DataFrame({names[0]: rng.uniform(-2, 2, 260), names[1]: rng.normal(size=260)})
    X[names[2]] = group.astype(float)
    y = np.sin(2 * X[names[0]].to_numpy()) + group + 0.1 * rng.normal(size=260)
    kernel = 1.0 * OnColumns(RBF((1.0, 1.0)), [0, 1]) * OnColumns(Categorical(2.0), [2])
    model = SparseGPRegressor(kernel, max_basis=24, random_state=0).fit(X[:180], y[:180])
    return model, X[180:], y[180:], y[:180]


@pytest.fixture(scope="module")
def hostile():
    return regression(HOSTILE)


def about_hostile():
    return About(
        title="<img src=x onerror=alert(1)>",
        target="<b>y",
        rows="rows of <i>t.csv",
        levels={HOSTILE[2]: {1: "<u>one", 2: "two", 3: "three"}},
        columns=[(HOSTILE[0], "number", "0", "")],
        left_out={"<a href='http://x'>": "is always '<x>'"},
        notes=["<!-- note"],
        model_file="m '<x>.safetensors",
    )


def test_names_are_escaped_and_shown(hostile):
    model, X, y, y_training = hostile
    page = read(report_page(model, X, y, about=about_hostile(), y_training=y_training))
    assert "<script>alert(1)</script>" in page.cells  # as a text, and only as that
    assert "<img src=x onerror=alert(1)>" in page.headings
    assert "<u>one" in page.cells
    assert "img" not in page.tags
    assert "\x00" not in page.text
    assert "\u202e" not in page.text
    assert 'a&b "quoted" $x^2$ it\'s' in page.cells


def test_a_regression_has_all_sections_and_figures(hostile):
    model, X, y, y_training = hostile
    page = read(report_page(model, X, y, y_training=y_training))
    assert page.headings[1:] == SECTIONS
    assert len(page.figures) == 7 + 3  # one effect for each input
    listed = page.told.split("On this page")[1]
    assert [listed.index(h) for h in SECTIONS[:9]] == sorted(listed.index(h) for h in SECTIONS[:9])
    for m in (1, 3, 6, 12, 24):  # the halvings of the basis
        assert str(m) in page.cells


def test_the_verdict_has_the_scores_of_the_rows(hostile):
    model, X, y, _ = hostile
    mean = model.predict(X)
    explained = 1 - np.mean((y - mean) ** 2) / np.var(y)
    lower, upper = model.predict_interval(X, 0.95)
    inside = np.mean((lower <= y) & (y <= upper))
    page = read(report_page(model, X, y))
    assert f"explains {100 * explained:.1f} % of the variance" in page.told
    assert f"intervals contain {100 * inside:.1f} % of the observed values" in page.told
    assert "trained on some of these rows" not in page.told


def test_the_basis_is_a_table_of_real_rows(hostile):
    model, X, y, y_training = hostile
    page = read(report_page(model, X, y, y_training=y_training))
    first = model.basis_indices_[0]
    assert f"{y_training[first]:.4g}" in page.cells
    assert f"{model.basis_vectors_[0, 0]:.4g}" in page.cells
    assert f"{model._posterior.alpha[0, 0]:.4g}" in page.cells


def test_a_loaded_model_has_a_page_that_says_what_is_missing(hostile, tmp_path):
    model, X, y, _ = hostile
    model.save(tmp_path / "m.safetensors")
    page = read(report_page(load(tmp_path / "m.safetensors"), X, y))
    assert "Their targets are not shown" in page.told
    assert len(page.figures) == 7 + 3  # shorter models need no rows here


def test_possible_training_rows_are_pointed_out(hostile):
    model, X, y, _ = hostile
    page = read(report_page(model, X, y, about=About(unseen=False)))
    assert "may have been trained on some of these rows" in page.told


@pytest.fixture(scope="module")
def three_classes():
    X, y = load_iris(return_X_y=True, as_frame=True)
    labels = np.array(["<i>setosa", "versi&color", "virginica"])[y]
    model = SparseGPClassifier(max_basis=12, refine_basis=True, random_state=0)
    model.fit(X[::2], labels[::2])
    return model, X[1::2], labels[1::2], labels[::2]


def test_three_classes(three_classes):
    model, X, y, y_training = three_classes
    page = read(report_page(model, X, y, y_training=y_training))
    right = np.mean(model.predict(X) == y)
    assert f"correctly for {100 * right:.1f} %" in page.told
    assert "confusion matrix" in page.told
    assert "<i>setosa" in page.cells
    assert len(page.figures) == 3 + 4
    assert "optimised by the gradient" in page.told


def test_a_loaded_classifier_leaves_out_shorter_models(three_classes, tmp_path):
    model, X, y, _ = three_classes
    model.save(tmp_path / "m.safetensors")
    page = read(report_page(load(tmp_path / "m.safetensors"), X, y))
    assert "Smaller models are not compared here" in page.told


def test_arrays_without_names_and_one_row():
    X = np.random.default_rng(0).uniform(-3, 3, (60, 1))
    model = SparseGPRegressor(max_basis=5, random_state=0).fit(X, np.sin(X[:, 0]))
    page = read(report_page(model, X[:1], np.sin(X[:1, 0])))
    assert "not defined" in page.cells  # the variance of one target
    assert "x0" in page.cells
    assert report_page(model, X[:1], np.sin(X[:1, 0])) == page.text  # nothing in it is random


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m, X, y: (m, X, y[:-1]), "X must be two-dimensional"),
        (lambda m, X, y: (m, X[:0], y[:0]), "at least one"),
        (lambda m, X, y: (m, X, np.where(np.arange(len(y)) == 3, np.nan, y)), "must be finite"),
    ],
    ids=["lengths", "no rows", "missing target"],
)
def test_bad_rows_are_refused(hostile, change, message):
    with pytest.raises(ValueError, match=message):
        report_page(*change(*hostile[:3]))


def test_an_unknown_label_and_an_online_model_are_refused(three_classes):
    model, X, y, _ = three_classes
    with pytest.raises(ValueError, match="label 'rose', which the model does not know"):
        report_page(model, X, np.where(np.arange(len(y)) == 2, "rose", y))
    with pytest.raises(TypeError, match="got OnlineGPRegressor"):
        report_page(OnlineGPRegressor(), X, y)


@pytest.mark.parametrize(("given", "words"), [("auto", "up to 2,000"), ("all", "process is exact")])
def test_a_size_that_was_not_given_is_explained(given, words):
    X = np.random.default_rng(0).uniform(-3, 3, (60, 1))
    model = SparseGPRegressor(None, max_basis=given, transform_y="standard", random_state=0)
    page = read(report_page(model.fit(X, np.sin(X[:, 0])), X[:9], np.sin(X[:9, 0])))
    assert f"With max_basis='{given}'" in page.told
    assert words in page.told
