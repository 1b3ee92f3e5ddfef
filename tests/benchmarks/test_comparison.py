"""The comparison of defaults: its tables, densities and ranks, a fit, and the page from records."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from benchmarks.comparison import __main__ as command
from benchmarks.comparison import runner, sets
from benchmarks.comparison.densities import LEVELS, FromQuantiles, Normal, scores
from benchmarks.comparison.encodings import as_categories, as_numbers, as_strings
from benchmarks.comparison.fitted import Task
from benchmarks.comparison.heads import NORMAL, better_density
from benchmarks.comparison.methods import METHODS, OURS, TUNED
from benchmarks.comparison.page import write_page
from benchmarks.comparison.processes import exact, ours, peer
from benchmarks.comparison.ranks import duel, groups, tied
from benchmarks.comparison.runner import Conditions
from benchmarks.comparison.stored import comparable, newest, scores_of
from benchmarks.comparison.trees import forest, histgb
from benchmarks.comparison.worker import fit_one

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "number": [1.0, np.nan, 3.0, 4.0] * 30,
        "word": ["a", "b", None, "a"] * 30,
        "constant": 7.0,
    }
)


# ---- tables ----


def test_there_are_tables_enough_of_both_kinds():
    assert len(sets.REGRESSION) >= 20 and len(sets.CLASSIFICATION) >= 10 and len(sets.SETS) >= 30
    assert len(set(sets.SETS)) == len(sets.SETS)


@pytest.mark.parametrize("name", ["friedman1", "iris"])
def test_splits_are_permutations(name):
    split, again, other = (sets.split(name, k) for k in (0, 0, 1))
    n = len(split.y) + len(split.y_test)
    assert len(split.y_test) == n // 5
    pd.testing.assert_frame_equal(split.X, again.X)
    assert not np.array_equal(split.X, other.X)
    if split.labels:
        assert set(split.y) == {0, 1, 2}
    else:
        assert np.std(split.y) == pytest.approx(1.0)
    few = sets.split(name, 0, most_rows=50)
    assert len(few.y) == 40 and len(few.y_test) == 10


def test_encodings_learn_from_training_rows_alone():
    new = pd.DataFrame({"number": [np.nan], "word": ["unseen"], "constant": [9.0]})
    X, X_new = (as_numbers(FRAME, scaled=False)(table) for table in (FRAME, new))
    assert X.shape == (120, 3) and set(X[:, 1]) == {0.0, 1.0}
    np.testing.assert_array_equal(X_new, [[3.0, 0.0, 0.0]])  # the median, and no known word
    scaled = as_numbers(FRAME, scaled=True)(FRAME)
    np.testing.assert_allclose(scaled.std(axis=0), 1.0)
    assert as_categories(FRAME)(new)["word"].isna().all()
    assert list(as_strings(FRAME)(FRAME)["word"][:3]) == ["a", "b", "missing"]


def test_a_column_may_be_called_like_an_argument_of_pandas():
    frame = pd.DataFrame({"self": ["no", "yes", None], "other": [1.0, 2.0, 3.0]})
    assert list(as_categories(frame)(frame)["self"].cat.codes) == [0, 1, -1]
    assert list(as_strings(frame)(frame)["self"]) == ["no", "yes", "missing"]


# ---- densities ----


def test_densities_between_quantiles_integrate_to_one():
    values = np.sort(RNG.normal(size=(3, len(LEVELS))), axis=1)
    density = FromQuantiles(values, 1e-3)
    grid = np.linspace(-60.0, 60.0, 400_001)
    for row in range(3):
        alone = FromQuantiles(np.repeat(values[row : row + 1], len(grid), axis=0), 1e-3)
        p = np.exp(alone.log_density(grid))
        assert np.sum(p) * (grid[1] - grid[0]) == pytest.approx(1.0, abs=2e-3)
    np.testing.assert_allclose(density.quantiles(LEVELS), values, atol=1e-9)
    tails = density.quantiles((0.001, 0.999))
    assert np.all(tails[:, 0] < values[:, 0]) and np.all(tails[:, 1] > values[:, -1])


def test_quantiles_that_cross_or_coincide_are_sorted_and_kept_apart():
    density = FromQuantiles(np.array([[1.0, 1.0, 0.0]]), 0.1, levels=(0.25, 0.5, 0.75))
    np.testing.assert_allclose(density.values, [[0.0, 1.0, 1.1]])
    assert np.isfinite(density.log_density(np.array([1.05]))).all()


def test_scores_are_those_of_the_normal_density():
    y = RNG.normal(size=20_000)
    found = scores(y, np.zeros(len(y)), Normal(np.zeros(len(y)), np.ones(len(y))))
    assert found["rmse"] == pytest.approx(1.0, abs=0.02)
    assert found["nlpd"] == pytest.approx(-np.mean(norm.logpdf(y)))
    assert found["crps"] == pytest.approx(1.0 / np.sqrt(np.pi), abs=0.02)
    assert found["coverage"] == pytest.approx(0.95, abs=0.01)


def noisy(n=600):
    """Noise that grows with x: a variance for each row pays."""
    x = RNG.uniform(size=n)
    return Task(pd.DataFrame({"x": x}), RNG.normal(size=n) * np.exp(3.0 * x), False, 0, 1)


@pytest.mark.parametrize("knows", [True, False])
def test_validation_rows_choose_the_density(knows):
    def heads(_):
        return lambda X, at, __: Normal(at, np.exp(3.0 * X["x"]) if knows else np.full(len(at), 99))

    name, density = better_density(noisy(), lambda _: lambda X: np.zeros(len(X)), heads, "own")
    assert name == ("own" if knows else NORMAL)
    task = noisy()
    assert np.isfinite(density(task.X, np.zeros(600)).log_density(task.y)).all()


# ---- methods ----


def small_task(labels):
    word = RNG.choice(["a", "b"], 120)
    X = FRAME.assign(number=RNG.normal(size=120), word=word)
    f = X["number"].to_numpy() + (word == "a")
    return Task(X, (f > 0.5).astype(int) if labels else f, labels, 0, 1)


@pytest.mark.filterwarnings("ignore")  # as in a worker
@pytest.mark.parametrize("labels", [False, True], ids=["numbers", "labels"])
@pytest.mark.parametrize("fit", [histgb, forest, exact, ours(max_basis=20, optimizer=None)])
def test_methods_predict(fit, labels):
    task = small_task(labels)
    model = fit(task)
    found = model.predict(task.X)
    if labels:
        assert found.shape == (120, 2)
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        assert np.mean(found.argmax(axis=1) == task.y) > 0.9
    else:
        assert np.corrcoef(found, task.y)[0, 1] > 0.9
        _, density = model.make_density()
        measures = scores(task.y, found, density(task.X, found))
        assert np.isfinite(list(measures.values())).all() and measures["coverage"] > 0.7


def test_workers_of_the_peers_are_given_scaled_numbers(monkeypatch):
    from types import SimpleNamespace

    from benchmarks.comparison import processes
    from benchmarks.peers.workers.protocol import Fitted

    seen = []

    def fit(split, settings, seed):
        seen.append((split, settings, seed))
        half = np.full(len(split.y), 0.25)
        return Fitted(lambda X: half if split.classes else (split.y, half))

    monkeypatch.setattr(processes, "import_module", lambda _: SimpleNamespace(fit=fit))
    task = small_task(False)
    model = peer("any", {"depth": 3})(task)
    split, settings, _ = seen[0]
    assert settings == {"depth": 3, "threads": 1} and split.y.std() == pytest.approx(1.0)
    np.testing.assert_allclose(model.predict(task.X), task.y)
    density = model.make_density()[1](task.X, task.y)
    np.testing.assert_allclose(density.std, 0.25 * task.y.std())
    labels = peer("any", {})(small_task(True))
    np.testing.assert_allclose(labels.predict(task.X)[0], [0.75, 0.25])
    assert set(seen[1][0].y) == {-1.0, 1.0}
    many = Task(task.X, np.arange(120) % 3, True, 0, 1)
    with pytest.raises(NotImplementedError, match="two classes"):
        peer("any", {})(many)


@pytest.mark.filterwarnings("ignore")
def test_lightgbm_is_tuned_for_our_seconds():
    pytest.importorskip("lightgbm")
    from benchmarks.comparison.tuned import tuned_lightgbm

    task = small_task(False)
    with pytest.raises(ValueError, match="seconds of our default fit"):
        tuned_lightgbm(task)
    model = tuned_lightgbm(Task(task.X, task.y, False, 0, 1, seconds=0.3))
    assert model.notes["n_trials"] >= 1 and model.notes["settings"]["n_estimators"] >= 1


def test_a_fit_has_scores_seconds_and_memory():
    asked = {"split": 0, "rows": 150, "threads": 1, "seconds": None}
    found = fit_one(asked | {"set": "friedman1", "method": "HistGradientBoosting"})
    assert {"rmse", "nlpd", "crps", "coverage", "density", "density_seconds"} < set(found)
    assert found["n_train"] == 120 and found["peak_mb"] >= found["peak_mb_before"]
    found = fit_one(asked | {"set": "iris", "method": "random forest"})
    assert found["labels"] and found["error"] < 0.3 and "density" not in found
    assert "labels" in fit_one(asked | {"set": "iris", "method": "GPyTorch SGPR"})["not_for"]


# ---- the command ----


def test_what_is_recorded_is_not_repeated(tmp_path, monkeypatch, capsys):
    asked = []

    def run(request, conditions):
        asked.append((request["set"], request["method"], request["seconds"]))
        return {"rmse": 0.5, "fit_seconds": 4.0}

    monkeypatch.setattr(command, "run", run)
    monkeypatch.setattr(command, "_runs", lambda *_: True)
    out = tmp_path / "records.jsonl"
    base = ["--sets", "snelson", "--out", str(out), "--methods"]
    command.main([*base, TUNED])
    assert asked == [] and "no seconds of ours" in capsys.readouterr().out
    command.main([*base, OURS, TUNED])
    assert asked == [("snelson", OURS, None), ("snelson", TUNED, 4.0)]
    command.main([*base, OURS])
    assert len(asked) == 2
    command.main([*base, OURS, "--again"])
    assert len(asked) == 3
    stored = json.loads(out.read_text().splitlines()[0])
    assert {"commit", "machine", "threads", "finished"} < set(stored)


def test_methods_without_their_library_are_skipped(monkeypatch):
    monkeypatch.setattr(command, "find_spec", lambda name: None if name == "lightgbm" else name)
    assert not command._runs("LightGBM", "iris") and command._runs("random forest", "iris")
    assert not command._runs("GPyTorch SGPR", "iris") and command._runs("GPyTorch SGPR", "pol")


def test_a_fit_that_takes_too_long_is_a_record():
    asked = {"set": "iris", "split": 0, "rows": 60, "method": "random forest", "seconds": None}
    found = runner.run(asked, Conditions(1, 0.01, None))
    assert found == {"failed": "did not finish in 0.01 s"}


# ---- the page ----


def record(name, method, split=0, **more):
    return {
        "set": name,
        "split": split,
        "rows": None,
        "method": method,
        "threads": 1,
        "machine": {"processor": "P", "cores": 2, "memory_gb": 8, "blas": None},
        "commit": "abc",
        "versions": {"python": "3"},
        **more,
    }


def numbers(name, method, value, split=0, **more):
    found = {"rmse": value, "nlpd": value, "crps": value, "coverage": 0.9, "density": "own"}
    seconds = {"fit_seconds": value, "fit_process_seconds": value, "predict_seconds": value}
    return record(name, method, split, **found, **seconds, peak_mb=100.0, **more)


RECORDS = [
    *(numbers(name, OURS, 0.5, k) for name in ("snelson", "boston") for k in (0, 1)),
    *(numbers(name, "LightGBM", 1.0) for name in ("snelson", "boston")),
    numbers("snelson", "XGBoost", 0.4),
    record("boston", "XGBoost", failed="did not | finish"),
    record("boston", "exact GP", not_for="more than 2,000 rows"),
    numbers("snelson", "LightGBM", 0.6),  # newer than the first
    record("iris", OURS, error=0.1, nlp=0.3, fit_seconds=1.0, peak_mb=9.0),
    record("iris", "LightGBM", error=0.1, nlp=0.2, fit_seconds=1.0, peak_mb=9.0),
    numbers("snelson", "CatBoost", 0.01) | {"rows": 100},  # a trial
]


def stored(tmp_path, records=RECORDS):
    file = tmp_path / "records.jsonl"
    file.write_text("".join(json.dumps(r) + "\n" for r in records))
    return file


def test_the_newest_of_a_fit_counts_and_failures_are_last(tmp_path):
    found = scores_of(newest(stored(tmp_path)), sets.REGRESSION, "rmse")
    assert found["snelson"] == {OURS: 0.5, "LightGBM": 0.6, "XGBoost": 0.4}
    assert found["boston"] == {OURS: 0.5, "LightGBM": 1.0, "XGBoost": np.inf}
    methods, common = comparable(found)
    assert methods == [OURS, "LightGBM", "XGBoost"] and set(common) == {"snelson", "boston"}
    assert duel(found, OURS, "XGBoost", "rmse") == (1, 0, 1)


def test_ties_and_groups():
    assert tied(1.0, 1.009, "rmse") and not tied(1.0, 1.02, "rmse")
    assert tied(-5.0, -5.009, "nlpd") and not tied(0.01, 0.013, "error")
    assert groups({"a": 1.0, "b": 3.0}, 0.5) == []


def test_the_page_shows_ranks_losses_failures_and_a_picture(tmp_path):
    page = write_page(stored(tmp_path), tmp_path).read_text()
    assert "| sparsegp | **1.50** |" in page and "(2 tables)" in page
    assert "| LightGBM | 2 / 0 / 0 | 2 / 0 / 0 | 2 / 0 / 0 | 0 / 1 / 0 | 0 / 0 / 1 |" in page
    assert "| snelson | RMSE 0.500, XGBoost 0.400<br>" in page
    assert "better by more than a tie: 2 of 3" in page and "iris | NLP 0.300" in page
    assert "| boston | XGBoost | did not / finish |" in page and "0.010" not in page
    assert (tmp_path / "images" / "comparison.png").stat().st_size > 5_000


def test_without_records_the_page_is_a_beginning(tmp_path):
    assert "Default against default" in write_page(tmp_path / "none.jsonl", tmp_path).read_text()


def test_every_method_has_a_name_and_packages():
    assert next(iter(METHODS)) == OURS and all(m.packages for m in METHODS.values())
