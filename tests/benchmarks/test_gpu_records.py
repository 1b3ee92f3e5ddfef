"""One command makes both records of a GPU, and ends in time."""

import subprocess

import numpy as np
import pytest

from benchmarks.gpu import parts, records
from benchmarks.machine import commit


def test_both_scripts_share_the_time(tmp_path, monkeypatch, capsys):
    asked = []

    def run(command, *, timeout, **_):
        asked.append((command, timeout))
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(records.subprocess, "run", run)
    records.main([str(tmp_path / "out"), "--seconds", "400", "--shrink", "2000"])
    (first, left), (second, _) = asked
    assert "benchmarks.gpu.device_work" in first and "benchmarks.gpu.same_model" in second
    assert first[-4:] == ["--shrink", "2000", "--seconds", "220"] and left <= 400.0
    assert second[-4:-1] == ["--shrink", "50", "--seconds"] and float(second[-1]) <= 360.0
    assert capsys.readouterr().out.count("was ended: no time left") == 2
    assert (tmp_path / "out").is_dir()


def test_parts_that_would_begin_late_are_left_out(tmp_path, capsys):
    done = parts.run_parts({"a": lambda _: 1}, ["a"], None, tmp_path / "f.json", seconds=-1.0)
    assert done == {} and "no time left" in capsys.readouterr().out


def test_a_copy_without_its_log_names_its_commit(monkeypatch):
    monkeypatch.setenv("SPARSEGP_COMMIT", "abc1234")
    assert commit() == "abc1234"


def test_tables_for_machines_without_parquet(tmp_path, monkeypatch):
    monkeypatch.setenv("SPARSEGP_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="no twins as"):
        parts.find_table("twins")
    np.savez_compressed(tmp_path / "twins.npz", table=np.eye(2))
    assert np.array_equal(parts.find_table("twins"), np.eye(2))
