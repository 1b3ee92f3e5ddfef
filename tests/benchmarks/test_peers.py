"""The comparison with peers: what a process answers, who is ahead, what the page says."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.datasets import data_folder
from benchmarks.large_fit import median_run
from benchmarks.peers import __main__ as command
from benchmarks.peers import environments, runner
from benchmarks.peers.environments import Ready, without_places
from benchmarks.peers.houseelectric import records_of_houseelectric
from benchmarks.peers.page import write_page
from benchmarks.peers.reached import DEFAULTS, best_try, race, races
from benchmarks.peers.registry import (
    CLASSIFICATION,
    OURS,
    OURS_IN_TIME,
    OURS_PLAIN,
    PEERS,
    REGRESSION,
    SGPR,
    SVGP,
)
from benchmarks.peers.runner import Conditions
from benchmarks.peers.splits import split_file
from benchmarks.peers.workers.protocol import Fitted, Scores, Split, serve


def table(*, classes=False, categories=False, n=60):
    rng = np.random.default_rng(0)
    X = 5.0 + 2.0 * rng.standard_normal((2 * n, 3))
    y = np.where(X[:, 0] > 5.0, 1.0, -1.0) if classes else 100.0 + 10.0 * X[:, 0]
    return Split(X[:n], y[:n], X[n:], y[n:], classes, categories)


def saved(split, file):
    np.savez(file, **vars(split))
    return file


# ------------------------------------------------------------------ a process


@pytest.fixture
def answer(tmp_path, monkeypatch):
    """Return what a process answers with a given fit."""

    def answered(fit, *, classes=False, as_it_is=False):
        file = saved(table(classes=classes), tmp_path / "split.npz")
        asked, answered = tmp_path / "request.json", tmp_path / "reply.json"
        request = {"split": str(file), "settings": {"depth": 3}, "seed": 7, "threads": 1}
        asked.write_text(json.dumps(request))
        monkeypatch.setattr(sys, "argv", ["worker", str(asked), str(answered)])
        serve(fit, ("no such package",), as_it_is=as_it_is)
        return json.loads(answered.read_text())

    return answered


def test_measures_are_those_of_the_standardised_target(answer):
    def fit(split, settings, seed):
        assert settings == {"depth": 3, "threads": 1} and seed == 7
        shifted = split.y_test + 0.5  # every mean is half a unit off
        return Fitted(lambda X: (shifted, np.full(len(X), 0.25)), {"note": "kept"})

    scaled, as_it_is = answer(fit), answer(fit, as_it_is=True)
    assert scaled["rmse"] == pytest.approx(0.5) and scaled["coverage"] == 0.0
    assert scaled["nlpd"] == pytest.approx(0.5 * 4 + np.log(0.25) + 0.5 * np.log(2 * np.pi))
    scale = table().y.std()
    assert as_it_is["rmse"] == pytest.approx(0.5 / scale)
    assert as_it_is["nlpd"] == pytest.approx(scaled["nlpd"] - np.log(scale))
    assert scaled["note"] == "kept" and scaled["versions"]["no such package"] == "unknown"
    assert scaled["peak_mb"] >= scaled["peak_mb_before"] > 1.0


def test_densities_that_are_not_normal_count(answer):
    def fit(split, settings, seed):
        def scores(X, y):
            return Scores(np.full(len(y), -2.0), np.where(y > 0, y - 1, y + 1), y + 2)

        return Fitted(lambda X: (split.y_test, np.ones(len(X))), {}, scores)

    found = answer(fit)
    assert found["nlpd"] == pytest.approx(2.0) and found["rmse"] == 0.0
    assert found["coverage"] == pytest.approx(np.mean(table().standardised().y_test > 0))


def test_labels_have_an_error_and_a_probability(answer):
    def fit(split, settings, seed):
        return Fitted(lambda X: np.where(split.y_test > 0, 0.9, 0.4))

    found = answer(fit, classes=True)
    positive = np.mean(table(classes=True).y_test > 0)
    wanted = -positive * np.log(0.9) - (1 - positive) * np.log(0.6)
    assert found["error"] == 0.0 and found["nlp"] == pytest.approx(wanted)


@pytest.mark.parametrize("classes", [False, True], ids=["targets", "labels"])
def test_predictions_that_are_not_finite_are_a_failure(answer, classes):
    def fit(split, settings, seed):
        nothing = np.full(len(split.y_test), np.nan)
        return Fitted(lambda X: nothing if classes else (nothing, nothing))

    assert "not finite" in answer(fit, classes=classes)["failed"]


def test_codes_become_columns():
    split = table(categories=True)
    codes = Split(
        *(np.round(a) % 3 for a in (split.X, split.y, split.X_test, split.y_test)), True, True
    )
    hot = codes.standardised()
    assert hot.X.shape == (60, 9) and np.array_equal(hot.X.sum(axis=1), np.full(60, 3.0))


@pytest.mark.parametrize(
    ("name", "rows", "n_training", "n_test", "categories"),
    [("kin40k", None, 36_000, 4_000, False), ("splice", 100, 100, 100, True)],
)
def test_a_split_is_written_once_and_as_a_whole(
    name, rows, n_training, n_test, categories, tmp_path
):
    if not (data_folder() / f"{name}.parquet").exists():
        pytest.skip(f"no data set {name}: set SPARSEGP_DATA")
    file = split_file(name, 0, rows, tmp_path)
    split = Split.read(file)
    assert len(split.y) == n_training and len(split.X_test) == n_test
    assert split.categories == split.classes == categories
    assert [f.name for f in tmp_path.iterdir()] == [file.name]  # no part is left
    written = file.stat().st_mtime_ns
    assert split_file(name, 0, rows, tmp_path).stat().st_mtime_ns == written


def test_constant_columns_are_left_out():
    split = table()
    split.X[:, 1] = 0.1  # its mean is not 0.1 to the last bit
    kept = split.standardised()
    assert kept.X.shape == (60, 2) and kept.X_test.shape == (60, 2)
    assert np.allclose(kept.X.std(axis=0), 1.0)


# ------------------------------------------------------------------ the runner


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Let every split be one of 60 rows."""
    file = saved(table(), tmp_path / "split.npz")
    monkeypatch.setattr(runner, "split_file", lambda *_: file)
    monkeypatch.setattr(runner, "gemm_rate", lambda: 1.0)
    monkeypatch.setattr(runner, "busy_share", lambda: 0.25)
    return tmp_path


def run_once(peer, settings, tmp_path, seconds=100.0, memory=None):
    conditions = Conditions(1, seconds, memory, tmp_path)
    (record,) = runner.run(peer, settings, "pol", 0, None, Path(sys.executable), conditions)
    return record


def test_we_run_in_a_process_of_our_own(small):
    plain = next(peer for peer in PEERS if peer.name == "sparsegp plain")
    record = run_once(plain, {**plain.runs[0], "max_basis": 20}, small)
    assert 0 < record["n_basis"] <= 20 and record["nmse"] < 1.0 and record["fit_seconds"] > 0.0
    assert record["threads"] == 1 and record["gemm_gflops"] == [1.0, 1.0]
    assert record["busy_share"] == 0.25
    assert {"phase", "seconds"} == set(record["history"][0])
    assert record["versions"]["sparsegp"] and record["finished"]


def test_a_run_that_takes_too_long_or_breaks_is_recorded(small):
    ours = PEERS[0]
    assert run_once(ours, {}, small, seconds=0.01)["failed"] == "did not finish in 0.01 s"
    broken = run_once(ours, {"max_basis": -3}, small)
    assert broken["failed"].startswith("ValueError: max_basis")


def test_failures_of_commands_name_no_place():
    assert without_places("at https://host/simple/x in /home/me/lib/y.py") == "at … in y.py"
    found = environments._failure([sys.executable, "-c", "raise SystemExit('no /a/b/wheel')"])
    assert found == "no wheel"
    assert environments._failure([sys.executable, "-c", "pass"]) is None


# ------------------------------------------------------------------ the command


def test_what_tells_most_runs_first(capsys):
    command.main(["--dry-run"])
    lines = capsys.readouterr().out.splitlines()
    first = [line for line in lines if f"method {SGPR} " in line or f"method {OURS} " in line]
    n_first = len(REGRESSION) * (len(PEERS[0].runs) + len(PEERS[1].runs))
    assert lines[:n_first] == first[:n_first]
    assert all(f"set {name} " in " ".join(lines[n_first:]) for name in CLASSIFICATION)


def test_it_goes_on_where_it_stood_and_skips_what_is_not_installed(tmp_path, monkeypatch, capsys):
    asked = []

    def run(peer, settings, name, *_):
        asked.append((peer.name, settings.get("max_basis")))
        yield {"nlpd": 1.0}

    def prepare_environment(name, folder):
        return Ready(Path("python")) if name is None else Ready(None, "no wheel")

    monkeypatch.setattr(command, "run", run)
    monkeypatch.setattr(command, "prepare_environment", prepare_environment)
    out = tmp_path / "peers.json"
    options = ["--sets", "pol", "--peers", OURS, SGPR, "--out", str(out)]
    command.main(options)
    ladder = [(OURS, run["max_basis"]) for run in PEERS[0].runs]
    assert asked == ladder
    command.main(options)
    assert asked == ladder  # nothing is repeated …
    command.main([*options, "--again"])
    assert asked == 2 * ladder and len(json.loads(out.read_text())) == len(ladder)  # … unless asked
    states = json.loads((tmp_path / "peers_environments.json").read_text())
    assert states["gpytorch"]["not_installed"] == "no wheel" and states["machine"]["cores"]
    assert "gpytorch is skipped: no wheel" in capsys.readouterr().out


# ------------------------------------------------------------------ who is ahead


def record(method, nlpd=1.0, rmse=1.0, seconds=1.0, name="pol", **settings):
    return {
        "set": name,
        "partition": 0,
        "rows": None,
        "method": method,
        "settings": settings,
        "nlpd": nlpd,
        "rmse": rmse,
        "nlp": nlpd,
        "nmse": 1.0,
        "coverage": 0.95,
        "error": 1.0,
        "fit_seconds": seconds,
        "predict_seconds": 1.0,
        "peak_mb": 9.0,
        "n_training": 50,
        "threads": 2,
        "gemm_gflops": [50.0, 60.0],
        "versions": {"x": "1"},
    }


def failed(method, name="pol"):
    kept = {"set": name, "partition": 0, "rows": None, "method": method, "settings": {}}
    return {**kept, "failed": "out of | memory", "threads": 2, "gemm_gflops": [50.0, 60.0]}


SLOW = [
    record(SGPR, 0.3, 0.3, 40.0, start="library"),
    record(SGPR, 0.2, 0.4, 50.0, start="sqrt_d"),
]


def test_the_quickest_fit_that_is_as_good_by_both_counts():
    rungs = [
        record(OURS, 0.1, 0.5, 1.0, max_basis=50),  # better density, worse error
        record(OURS, 0.2, 0.4, 4.0, max_basis=200),
        record(OURS, 0.1, 0.1, 2.0, max_basis=500),
    ]
    assert best_try(SLOW, SGPR)["settings"]["start"] == "sqrt_d"
    found = race([*SLOW, *rungs], SGPR)
    assert found.ours["settings"]["max_basis"] == 500 and found.ratio == pytest.approx(2 / 50)
    in_time = record(OURS_IN_TIME, 0.1, 0.1, 1.5, max_basis=500, time_limit=1.4)
    assert race([*SLOW, *rungs, in_time], SGPR).ours is in_time
    assert found.larger == (0, 0)
    assert found.peer["rmse"] == 0.3  # of the other start
    third = record(OURS, 0.1, 0.2, 1.0, max_basis=100)
    assert race([*SLOW, third, *rungs], SGPR).larger == (1, 2)
    assert race([*SLOW, rungs[0]], SGPR).ours is None
    assert race(rungs, SGPR) is None
    assert not found.uneven
    busy = [{**rung, "gemm_gflops": [10.0, 20.0]} for rung in rungs]
    assert race([*SLOW, *busy], SGPR).uneven


def test_plain_fits_count_and_are_told_from_defaults(tmp_path):
    results = tmp_path / "results"
    results.mkdir()
    bent = record(OURS, 0.1, 0.5, 1.0, max_basis=50)  # better density, worse error
    plain = record(OURS_PLAIN, 0.2, 0.2, 5.0, max_basis=500)
    assert race([*SLOW, bent, plain], SGPR).ours is plain
    assert race([*SLOW, bent, plain], SGPR, DEFAULTS).ours is None
    (results / "peers.json").write_text(json.dumps([*SLOW, bent, plain]))
    page = write_page(results / "peers.json", tmp_path / "docs").read_text()
    assert "| 500, plain | 0.200 | 0.2000 | 5.0 | 0.100 |" in page
    assert "With defaults alone they are reached on 0 of 1 splits" in page
    assert "With plain settings alone they are reached on 1 of 1 splits" in page


def test_another_peer_stands_in_for_one_that_fails():
    records = [failed(SGPR), record(SVGP, seconds=9.0), record(OURS, seconds=1.0, max_basis=50)]
    (found,) = races(records, (SGPR, SVGP), REGRESSION)
    assert found.peer["method"] == SVGP and found.ratio == pytest.approx(1 / 9)


def test_the_page_shows_what_we_lose(tmp_path):
    results = tmp_path / "results"
    results.mkdir()
    rungs = [record(OURS, 0.5, 0.5, s, max_basis=m) for s, m in ((1.0, 50), (9.0, 500))]
    quick = [record(OURS_IN_TIME, 0.1, 0.1, 2.0, name="banana", max_basis=80, time_limit=1.4)]
    labels = [record(SVGP, 0.2, seconds=40.0, name="banana"), failed("GPBoost VIF", "banana")]
    few = {**record("GPy sparse", -9.0), "rows": 100}  # a trial
    (results / "peers.json").write_text(json.dumps([*SLOW, *rungs, *quick, *labels, few]))
    page = write_page(results / "peers.json", tmp_path / "docs").read_text()
    assert "**not reached**" in page and "reached on 0 of 1 splits" in page
    assert "| banana | 50 | GPyTorch SVGP | 0.2000 | 40.0 | limit 1.4 s | 0.1000 | 2.0 |" in page
    assert "| 2.0 | 0.050 | 0 of 0 |" in page
    assert "| GPBoost VIF | out of / memory |" in page and "−9.0" not in page
    for kind in ("regression", "classification"):
        assert (tmp_path / "docs" / "images" / f"peers_{kind}.png").stat().st_size > 5_000


def test_houseelectric_is_raced_by_the_pace_of_svgp_alone(tmp_path):
    assert records_of_houseelectric(tmp_path) == []
    ours = {"max_basis": 1000, "gemm_gflops": 50.0, "n_training": 99, "fit_seconds": 5.0}
    ours |= {"rmse": 0.1, "nlpd": -1.0, "coverage": 0.95}
    peer = {**ours, "settings": {}, "nlpd": 0.0, "fit_seconds": 900.0, "steps": 1000}
    pace = {"fit_seconds": 10.0, "steps": 100, "gemm_gflops": [50.0, 60.0]}
    found = {"ours": {"defaults": ours}, "svgp": peer, "svgp_pace": pace}
    (tmp_path / "scale_houseelectric.json").write_text(json.dumps(found))
    (entry,) = races(records_of_houseelectric(tmp_path), (SGPR, SVGP), REGRESSION)
    assert entry.peer["method"] == SVGP and entry.ratio == pytest.approx(5 / 100)
    assert not entry.uneven
    page = write_page(tmp_path / "peers.json", tmp_path).read_text()
    assert "| houseelectric | 99 | GPyTorch SVGP |" in page


def test_without_records_the_page_names_the_commands(tmp_path):
    page = write_page(tmp_path / "peers.json", tmp_path).read_text()
    for name in ("peers", "large_fit", "profile_fit", "prediction_speed", "footprint"):
        assert f"python -m benchmarks.{name}`" in page


def test_of_several_whole_fits_the_page_shows_the_one_in_the_middle(tmp_path):
    runs = [
        {
            "products": p,
            "max_basis": 9,
            "seconds": 2 * p,
            "rmse": 0.1,
            "nlpd": -1.0,
            "coverage": 0.95,
        }
        for p in (7.0, 5.0, 9.0, 8.0)
    ]
    (tmp_path / "large_fit.json").write_text(json.dumps(median_run(runs)))
    page = write_page(tmp_path / "peers.json", tmp_path).read_text()
    assert "| defaults | 9 | **8.0** | 7.0, 5.0, 9.0, 8.0 | 16.0 | 0.100 | −1.00 | 95.0 % |" in page
    assert "| plain |" not in page
