"""The ablation runs on the code of today: every variant has a result and leaves no patch behind."""

import json
import sys
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest

from benchmarks import ablation, ablation_page
from benchmarks.datasets import DataSet
from sparsegp import SparseGPClassifier, SparseGPRegressor
from sparsegp.learning.classes import policy as class_policy
from sparsegp.learning.noise import policy as noise_policy
from sparsegp.learning.structure import policy as structure_policy
from sparsegp.model.noise.predictive import MeanDependentNoise

N_ROWS, MAX_BASIS = 120, 10
REGRESSION_FIGURES = {"rmse", "nlpd", "crps", "coverage", "seconds"}
CLASS_FIGURES = {"error", "nlpd", "brier", "seconds"}
NOISE_VARIANTS = {
    "default",
    "no level",
    "no tails",
    "no floor",
    "no level, no floor",
    "no calibration",
    "no Student rows",
    "no noise process",
    "no choice of noise",
    "no choice, no level",
    "no choice, no floor",
    "no choice, no level, no floor",
    "noise=gaussian",
    "noise=gaussian, no level",
    "Gaussian everything",
}
SEARCH_VARIANTS = ablation.AFTER_STRUCTURE | ablation.WHOLE_SEARCH
CLASS_VARIANTS = {"default", *ablation.OF_CLASSES, "basis stays"}
PLAIN_VARIANTS = {"plain", "plain, no length-scale prior"}


def generated(name, seed=0):
    """Return rows whose noise grows with the mean; for a classifier the sign of the target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, 2))
    mean = 2.0 * np.sin(2.0 * X[:, 0]) + X[:, 1]
    y = mean + 0.2 * np.exp(0.3 * mean) * rng.standard_t(3, size=N_ROWS)
    return DataSet(X, np.where(y > 0.0, 1.0, -1.0) if name in ablation.CLASSES else y)


ORIGINAL_WATCHED = ablation.watched


@contextmanager
def watched_all():
    """Take every rule of the classifier for one that acted, so that it is fitted without it."""
    with ORIGINAL_WATCHED() as acted:
        yield acted
    acted.update(ablation.OF_CLASSES)


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    """Fit small models of a small table, with all phases that a larger table has."""
    monkeypatch.setattr(ablation, "load", generated)
    monkeypatch.setattr(ablation, "CACHE", tmp_path / "cache")
    regressor = partial(SparseGPRegressor, max_basis=MAX_BASIS)
    # no rule of the classifier's variants is part of the choice of kernel and transforms
    quick = {"kernel": None, "transform_X": "standard"}
    classifier = partial(SparseGPClassifier, max_basis=MAX_BASIS, **quick)
    monkeypatch.setattr(ablation, "SparseGPRegressor", regressor)
    monkeypatch.setattr(ablation, "SparseGPClassifier", classifier)
    monkeypatch.setattr(ablation, "PLAIN_BASIS", MAX_BASIS)
    monkeypatch.setattr(class_policy, "EVALUATIONS", 5)
    for name in ("LONG_SEARCH", "SHORT_SEARCH", "KERNEL_SEARCH_ON_FEW", "KERNEL_SEARCH_ON_MORE"):
        monkeypatch.setattr(structure_policy, name, 3)
    monkeypatch.setattr(noise_policy, "MIN_HELD_OUT", 10)
    monkeypatch.setattr(noise_policy, "MIN_ROWS_FOR_NOISE_CHOICE", 50)


@pytest.fixture
def unpatched():
    """Check that afterwards every name of the package is what it was before."""
    before = {name: dict(vars(module)) for name, module in package().items()}
    yield
    after = package()
    changed = [
        f"{name}.{key}"
        for name, names in before.items()
        for key, value in names.items()
        if getattr(after[name], key, None) is not value
    ]
    assert not changed


def package():
    return {name: m for name, m in sys.modules.items() if name.split(".")[0] == "sparsegp"}


def records(file, task):
    """Return the results of one task by variant."""
    found = [json.loads(line) for line in file.read_text().splitlines()]
    return {one["variant"]: one for one in found if one["task"] == task}


def run(file, task, name):
    ablation.main(["--tasks", task, "--seeds", "0", "--sets", name, "--results", str(file)])
    return records(file, task)


def assert_finite(found, variants, figures):
    assert set(found) == {*variants, "all done"}
    for variant in variants:
        assert figures <= set(found[variant]), variant
        assert np.all(np.isfinite([found[variant][key] for key in figures])), variant


@pytest.mark.usefixtures("unpatched")
def test_noise_and_searches(tmp_path):
    file = tmp_path / "results.jsonl"
    found = run(file, "noise", "snelson")
    assert_finite(found, NOISE_VARIANTS, REGRESSION_FIGURES)
    assert found["no calibration"]["nlpd"] != found["default"]["nlpd"]

    # all rules take part, whether they acted in the default fit or not
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for one in lines:
        if one["variant"] == "default":
            one["acted"] = [*SEARCH_VARIANTS, *ablation.IDLE]
    file.write_text("".join(json.dumps(one) + "\n" for one in lines))
    assert_finite(run(file, "search", "snelson"), SEARCH_VARIANTS, REGRESSION_FIGURES)
    assert_finite(run(file, "idle", "snelson"), ablation.IDLE, REGRESSION_FIGURES)


@pytest.mark.usefixtures("unpatched")
def test_plain(tmp_path):
    found = run(tmp_path / "results.jsonl", "plain", "snelson")
    assert_finite(found, PLAIN_VARIANTS, REGRESSION_FIGURES)
    assert found["plain"]["nlpd"] != found["plain, no length-scale prior"]["nlpd"]


@pytest.mark.usefixtures("unpatched")
def test_classes(tmp_path, monkeypatch):
    monkeypatch.setattr(ablation, "watched", watched_all)
    found = run(tmp_path / "results.jsonl", "classes", "banana")
    assert_finite(found, CLASS_VARIANTS, CLASS_FIGURES)
    assert found["basis stays"]["nlpd"] != found["default"]["nlpd"]


def test_a_rule_that_did_not_act_is_not_fitted_again(tmp_path):
    found = list(ablation.search_variants("snelson", 0, [], SEARCH_VARIANTS))
    assert found == [{"variant": variant, "same": True} for variant in SEARCH_VARIANTS]


def test_scores_are_those_of_the_model_and_parts_of_its_calibration_are_switched_off(monkeypatch):
    rows = ablation.split("snelson", 0, N_ROWS)
    fit = ablation.Fit(rows, 0)
    found = fit.scores()
    error = fit.model.predict(rows.X_test) - rows.y_test
    density = fit.model.log_density(rows.X_test, rows.y_test)
    low, high = fit.model.predict_interval(rows.X_test)
    assert found["rmse"] == pytest.approx(np.sqrt(np.mean(error**2)) / rows.deviation)
    assert found["nlpd"] == pytest.approx(-np.mean(density) - np.log(rows.deviation))
    assert found["coverage"] == np.mean((low <= rows.y_test) & (rows.y_test <= high))
    assert fit.calls  # the model was calibrated
    assert fit.scores(fit.calibrated()) == pytest.approx(found)

    # 50 % intervals that must cover 75 % of 16 rows are too short
    monkeypatch.setattr(noise_policy, "INTERVAL", 0.5)
    monkeypatch.setattr(noise_policy, "COVERAGE_STANDARD_ERRORS", -2.0)
    whole = fit.calibrated()
    assert fit.calibrated(ablation.NO_FLOOR).noise < whole.noise
    assert whole.level != MeanDependentNoise()
    assert fit.calibrated(ablation.NO_LEVEL).level == MeanDependentNoise()
    assert fit.calibrated(tails=False).tails.df is None


def test_an_error_leaves_no_patch(unpatched):
    patches = [patch for rules in ablation.OF_CLASSES.values() for patch in rules]
    with pytest.raises(ValueError, match="inside"), ablation.patched(patches):
        raise ValueError("inside")


def test_page_holds_the_stored_results():
    stored = map(json.loads, ablation.RESULTS.read_text().splitlines())
    tables, _ = ablation_page.write([one for one in stored if one["variant"] != "all done"], [])
    assert ablation_page.PAGE.read_text().split(ablation_page.MARK)[1].strip() == tables.strip()
