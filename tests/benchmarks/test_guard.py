"""The guard, the profile of a fit and the speed of predictions, at sizes that mean nothing."""

import json

import pytest

from benchmarks import footprint, guard, machine, prediction_speed, profile_fit
from benchmarks.guard import best_of, last_record
from benchmarks.peers.page import write_page
from benchmarks.profile_fit import Size, Work, work_of

SMALL = (Size(300, 8, 20), Size(400, 8, 25), Size(500, 8, 30))


@pytest.fixture
def small(monkeypatch):
    """Let everything that the commands measure be small."""
    for module in (profile_fit, guard):
        monkeypatch.setattr(module, "SIZES", SMALL)
        monkeypatch.setattr(module, "VARIANTS", {"plain": profile_fit.PLAIN})
    monkeypatch.setattr(profile_fit, "gemm_rate", lambda: 10.0)
    monkeypatch.setattr(profile_fit, "copy_rate", lambda: 10.0)
    monkeypatch.setattr(guard, "gemm_rate", lambda: 10.0)
    monkeypatch.setattr(guard, "busy_share", lambda: 0.0)
    monkeypatch.setattr(guard, "PREDICTED_ROWS", 400)
    monkeypatch.setattr(guard, "BASIS_OF_PREDICTIONS", 20)
    seconds = {"sklearn_seconds": 2.0, "beyond_sklearn": 1.0, "beyond_sklearn_cpu": 1.0}
    monkeypatch.setattr(guard, "import_seconds", lambda repeats: seconds)


def test_a_working_tree_is_compared_with_the_last_record(tmp_path, small, capsys, monkeypatch):
    file = tmp_path / "guard.json"
    options = ["--file", str(file), "--margin", "1000"]
    assert guard.main([*options, "--record"]) == 0
    assert "nothing to compare with yet" in capsys.readouterr().out
    (record,) = json.loads(file.read_text())
    names = list(record["ratios"])
    assert record["ratios"]["import / import of sklearn"] == 0.5 and record["threads"] > 0
    assert sum(name.startswith("fit / product") for name in names) == 2  # without --full
    assert all(value > 0.0 for value in record["ratios"].values())
    assert guard.main(options) == 0
    # the same again, as if the last record had been much faster
    fast = dict.fromkeys(names, 1e-09)
    file.write_text(json.dumps([{**record, "ratios": fast}]))
    monkeypatch.setattr(guard, "MOST_TRIES", 1)
    capsys.readouterr()
    assert guard.main(options) == 1
    told = capsys.readouterr().out
    assert told.count("SLOWER") == len(names) and "slower by more than" in told
    assert len(json.loads(file.read_text())) == 1  # nothing is recorded unless asked


def test_nothing_is_recorded_on_a_busy_machine(tmp_path, small, capsys, monkeypatch):
    shares = iter([0.0, 0.4])
    monkeypatch.setattr(guard, "busy_share", lambda: next(shares))
    file = tmp_path / "guard.json"
    assert guard.main(["--file", str(file), "--record"]) == 2
    assert "others took 40% of the cores" in capsys.readouterr().out and not file.exists()


def test_the_share_of_others_is_a_share():
    assert 0.0 <= machine.busy_share(seconds=0.05) <= 1.0


def test_what_seems_slower_is_measured_again():
    values = iter([2.0, 1.5, 1.1, 1.0])
    assert best_of(lambda: {"a": next(values)}, {"a": 1.0}, 0.25) == {"a": 1.1}
    assert next(values) == 1.0
    assert best_of(lambda: {"a": 9.0}, {}, 0.25) == {"a": 9.0}


def test_records_of_other_threads_do_not_count():
    records = [{"threads": 2, "commit": "a"}, {"threads": 2, "commit": "b"}, {"threads": 1}]
    assert last_record(records, 2)["commit"] == "b" and last_record(records, 4) is None


def test_the_floor_of_a_phase_is_what_it_must_do():
    size = Size(10_000, 8, 500)
    assert work_of({"phase": "final pass"}, size).operations == 1e4 * (2 * 500**2 + 2 * 500 * 8)
    entry = {"phase": "hyperparameters on 100 rows", "n_evaluations": 3}
    assert work_of(entry, size).operations == 3 * (100**3 + 4 * 100**2 * 8)
    assert work_of({"phase": "kernel"}, size) is None
    assert Work(2e9, 8e9).seconds(gflops=1.0, gbytes=2.0) == pytest.approx(4.0)


def test_profile_and_predictions_reach_the_page(tmp_path, small):
    profile_fit.main(["--json", str(tmp_path / "profile_fit.json")])
    found = json.loads((tmp_path / "profile_fit.json").read_text())["sizes"]
    assert [entry["n_rows"] for entry in found] == [300, 400, 500]
    for entry in found:
        assert sum(phase["seconds"] for phase in entry["phases"]) <= entry["seconds"] * 1.001
        assert {"selection", "final pass"} <= {phase["phase"] for phase in entry["phases"]}
    speed = ["--rows", "300", "--max-basis", "20", "--repeats", "1"]
    prediction_speed.main([*speed, "--json", str(tmp_path / "prediction_speed.json")])
    page = write_page(tmp_path / "peers.json", tmp_path).read_text()
    assert "**plain: kin40k, 500 rows of 8 columns" in page and "| final pass |" in page
    assert "300 rows, 8 columns, 20 basis vectors" in page


def test_the_import_is_timed_in_a_fresh_process():
    found = footprint.import_seconds(repeats=1)
    assert 0.0 <= found["beyond_sklearn"] < found["import_seconds"]
