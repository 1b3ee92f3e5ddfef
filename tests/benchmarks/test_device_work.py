"""The script for a device runs through on the CPU, at a size where its figures mean nothing."""

import json

import pytest

from benchmarks.gpu import device_work


@pytest.fixture
def no_tables(monkeypatch, tmp_path):
    monkeypatch.setenv("SPARSEGP_DATA", str(tmp_path))
    monkeypatch.setattr(device_work, "_library", device_work._Strict)
    monkeypatch.setattr(device_work, "SIX_TABLES", ("kin40k", "bike"))
    device_work.table.cache_clear()


def errors_in(part, where=""):
    """Return the tracebacks anywhere in a result."""
    if isinstance(part, list):
        part = dict(enumerate(part))
    if not isinstance(part, dict):
        return []
    own = [part["traceback"]] if "traceback" in part else []
    return own + [error for inner in part.values() for error in errors_in(inner)]


def test_rehearsal(no_tables, tmp_path, capsys):
    file = tmp_path / "results" / "device.json"
    device_work.main(["--shrink", "20000", "--json", str(file)])
    found = json.loads(file.read_text())
    assert not errors_in(found)
    assert set(found) == set(device_work.PARTS)
    assert found["about"]["commit"]
    assert found["selection"]["chosen"] == 24
    same = found["selection"]["same_as_host"]
    assert all(same[name]["first_difference"] is None for name in ("log_posterior",))
    assert found["kin40k"]["all"]["n_basis"] == found["kin40k"]["all"]["n"]
    assert "in place of kin40k" in found["kin40k"]["all"]["table"]
    assert set(found["mixed"]) == set(device_work.SIX_TABLES)


def test_a_part_that_fails_leaves_its_traceback(no_tables, tmp_path, monkeypatch, capsys):
    def fails(bench):
        raise RuntimeError("out of order")

    monkeypatch.setitem(device_work.PARTS, "moments_pass", fails)
    file = tmp_path / "device.json"
    device_work.main(["--shrink", "4000", "--json", str(file), "--only", "moments_pass"])
    found = json.loads(file.read_text())
    assert "out of order" in found["moments_pass"]["traceback"]
    assert "device" in found["about"]
