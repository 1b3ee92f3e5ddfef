"""The section on neighbours has the scores of both models, and the whole page works with them."""

from copy import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sparsegp import SparseGPRegressor, load
from sparsegp.files.compact import without_neighbours
from sparsegp.kernels import Linear, Matern
from sparsegp.report import About, report_page
from sparsegp.report import basis_size as basis_size_module
from sparsegp.report.evaluation import evaluate_regression
from sparsegp.report.neighbours import neighbours_section
from sparsegp.report.report_data import make_report_data
from tests.report.pages import read

TITLE = "What the neighbours add"
COMPARED = {
    "phase": "number of neighbours",
    "chosen": 60,
    "n_rows": 1000,
    "log_density": {0: -0.75, 60: -0.25, 120: -0.24},
}


def rough(n, seed=0):
    """Return rows of a function that twenty basis vectors cannot follow."""
    X = np.random.default_rng(seed).uniform(-3, 3, (n, 2))
    noise = 0.05 * np.random.default_rng(seed + 1).standard_normal(n)
    return X, np.sin(6 * X[:, 0]) + 0.3 * X[:, 1] + noise


def fitted(X, y, **options):
    settings = {"kernel": 1.0 * Matern((0.5, 2.0)), "max_basis": 20, "n_neighbors": 8}
    plain = {"transform_X": "standard", "transform_y": "standard", "random_state": 0}
    return SparseGPRegressor(**(settings | plain | options)).fit(X, y)


@pytest.fixture(scope="module")
def model():
    return fitted(*rough(400))


@pytest.fixture(scope="module")
def rows():
    return rough(150, seed=7)


@pytest.fixture(scope="module")
def page(model, rows):
    return read(report_page(model, *rows, y_training=rough(400)[1]))


def section_of(model, rows, about=None):
    data = make_report_data(model, *rows, about or About())
    return neighbours_section(data, evaluate_regression(model, data.table, data.y))


def test_all_sections_are_there_and_a_figure_for_each(page):
    assert TITLE in page.headings
    assert page.headings.index(TITLE) == page.headings.index("The basis") - 1
    assert len(page.figures) == 7 + 2
    assert "corrected by the nearest training rows" in page.told


def test_both_predictions_have_the_scores_of_the_rows(model, rows, page):
    X, y = rows
    table = section_of(model, rows).tables[0]
    assert [row[0] for row in table.rows] == ["basis and neighbours", "basis alone"]
    alone = without_neighbours(model)
    for each, row in zip((model, alone), table.rows, strict=True):
        lower, upper = each.predict_interval(X, 0.95)
        rmse = np.sqrt(np.mean((y - each.predict(X)) ** 2))
        assert row[1] == f"{rmse:.4g}"
        assert row[2] == f"{-np.mean(each.log_density(X, y)):.4g}"
        assert row[3] == f"{100 * np.mean((lower <= y) & (y <= upper)):.1f} %"
        assert set(row[1:]) <= set(page.cells)
    assert "the 8 training rows nearest" in page.told
    assert "keeps 400 training rows (0.0096 MB)" in page.told
    assert "The neighbours help" in page.told


def test_a_loaded_model_has_the_same_page_and_a_compact_one_says_what_is_missing(
    model, rows, tmp_path
):
    chosen = copy(model)
    chosen.history_ = [*model.history_, COMPARED]
    chosen.save(tmp_path / "m.st")
    chosen.save(tmp_path / "c.st", compact=True)
    assert report_page(load(tmp_path / "m.st"), *rows) == report_page(chosen, *rows)
    page = read(report_page(load(tmp_path / "c.st"), *rows))
    assert "fitted with 60 neighbours, but the file" in page.told
    assert "Smaller models are not compared here" in page.told


def test_thirds_by_distance_hold_all_rows(model, rows):
    X, y = rows
    table = section_of(model, rows).tables[1]
    assert [row[0].split(" (")[0] for row in table.rows] == ["small", "middle", "large"]
    medians = [float(row[0].split("median ")[1].rstrip(")")) for row in table.rows]
    assert medians == sorted(medians)
    errors = [float(row[1].split(" (")[0]) for row in table.rows]
    assert np.mean(np.square(errors)) == pytest.approx(np.mean((y - model.predict(X)) ** 2), 1e-2)
    covered = [float(row[2].split(" %")[0]) for row in table.rows]
    lower, upper = model.predict_interval(X, 0.95)
    assert np.mean(covered) == pytest.approx(100 * np.mean((lower <= y) & (y <= upper)), abs=0.1)


def test_distances_to_training_rows_are_zero_and_pointed_out(model):
    X, y = rough(400)
    told = section_of(model, (X[:30], y[:30]), About(unseen=False)).tables[1]
    assert told.rows[0][0] == "small (median 0)"
    assert "100 % of the rows have the same inputs as a training row" in told.lead


def test_one_row_has_a_page(model):
    X, y = rough(1, seed=9)
    assert TITLE in read(report_page(model, X, y)).headings


def test_a_kernel_without_decay_has_no_nearest_rows(rows):
    model = fitted(*rough(300), kernel=1.0 * Linear(), optimizer=None)
    assert model.n_neighbors_ == 8
    assert len(section_of(model, rows).tables) == 1


def test_what_was_compared_is_listed(model, rows):
    chosen = copy(model)
    chosen.history_ = [COMPARED]
    table = section_of(chosen, rows).tables[-1]
    assert table.rows == [("0", "-0.75"), ("60 (chosen)", "-0.25"), ("120", "-0.24")]
    assert "1,000 training rows" in table.lead
    assert len(section_of(model, rows).tables) == 2  # a given number was not compared


def test_a_fit_without_neighbours_says_why_in_one_sentence(model, rows):
    alone = without_neighbours(model)
    alone.history_ = []
    assert section_of(alone, rows) is None  # neighbours were not considered
    said = {
        "would not improve": COMPARED | {"chosen": 0, "log_density": {"0": -0.25, "60": -0.26}},
        "memory_limit": {"phase": COMPARED["phase"], "chosen": 0, "n_rows": 0},
        "does not contain the training rows": COMPARED,
    }
    for words, entry in said.items():
        alone.history_ = [entry]
        section = section_of(alone, rows)
        assert len(section.paragraphs) == 1
        assert not section.tables
        assert words in section.paragraphs[0]
    assert TITLE in read(report_page(alone, *rows)).headings


@pytest.mark.parametrize(
    ("gain", "words"), [(0.5, "neighbours help"), (-0.5, "do harm"), (0, "add little")]
)
def test_the_verdict_follows_the_losses(model, rows, gain, words):
    data = make_report_data(model, *rows, About())
    alone = evaluate_regression(without_neighbours(model), data.table, data.y)
    section = neighbours_section(data, replace(alone, loss=alone.loss - gain))
    assert words in section.paragraphs[1]
    assert "the RMSE is the same" in section.paragraphs[1]


def test_smaller_models_are_compared_on_a_sample(model, rows, monkeypatch):
    monkeypatch.setattr(basis_size_module, "MAX_PREFIX_ROWS_WITH_NEIGHBOURS", 40)
    X = pd.DataFrame(rows[0], columns=["a", "b"])
    named = fitted(X, rows[1], optimizer=None)
    page = read(report_page(named, X, rows[1]))
    assert "also use the 8 neighbours of each row. They are compared on 40 rows" in page.told


def test_families_compared_by_neighbours_are_listed(model, rows):
    chosen = copy(model)
    chosen.history_ = [
        {"phase": "kernel: RBF on 90 rows", "log_evidence": -7.0, "score": -9.0},
        {"phase": "kernel", "kernel": "RBF + Linear"},
        {
            "phase": "hyperparameters by neighbours",
            "family": "Matern 1/2",
            "log_density": {"as chosen": -0.4, "Matern 1/2": -0.1},
        },
        {"phase": "kernel", "kernel": "Matern 1/2 + Linear"},
    ]
    page = read(report_page(chosen, *rows))
    assert "The chosen kernel is Matern 1/2 + Linear." in page.told
    assert "Matern 1/2 (chosen)" in page.cells
