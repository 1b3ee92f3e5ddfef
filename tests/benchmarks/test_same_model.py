"""The comparison of devices with the host, rehearsed on the CPU."""

import json
import sys

from benchmarks.gpu import same_model


def test_a_rehearsal_on_generated_tables(tmp_path, monkeypatch):
    file = tmp_path / "same.json"
    monkeypatch.setenv("SPARSEGP_DATA", str(tmp_path))  # has no table
    arguments = ["--shrink", "50", "--only", "bike", "banana", "--json", str(file)]
    monkeypatch.setattr(sys, "argv", ["same_model", *arguments])
    same_model.main()
    fits = json.loads(file.read_text())["fits"]
    assert [fit["table"] for fit in fits] == ["bike", "banana"]
    for fit in fits:
        assert fit["source"] == "generated"
        assert fit["library"] == "array_api_strict"
        assert fit["same"], fit


def test_a_library_that_fails_is_reported(monkeypatch, capsys):
    def nowhere(x):
        raise RuntimeError("no GPU")

    monkeypatch.setitem(same_model.LIBRARIES, "torch", nowhere)
    arguments = ["--shrink", "50", "--only", "banana", "--library", "torch"]
    monkeypatch.setattr(sys, "argv", ["same_model", *arguments])
    same_model.main()
    assert "no GPU" in json.loads(capsys.readouterr().out)["error"]
