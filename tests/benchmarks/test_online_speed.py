"""Rows a second of estimators that learn a row at a time."""

import argparse

from benchmarks import online_speed


def test_every_learner_has_a_full_basis(monkeypatch):
    monkeypatch.setattr(online_speed, "FIRST_ROWS", 40)
    monkeypatch.setattr(online_speed, "BATCH", 5)
    found = list(online_speed.single(argparse.Namespace(sizes=[10], rows=10)))
    assert [each["options"] for each in found] == [*online_speed.SINGLE_OPTIONS, "two classes"]
    for each in found:
        assert each["n_basis"] == 10
        low, high = each["quartiles"]
        assert 0.0 < low <= each["rows_a_second"] <= high
