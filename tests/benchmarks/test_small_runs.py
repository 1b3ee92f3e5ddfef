"""Small versions of the papers' experiments give what they gave when the pages were written.

If one fails, a change has moved an experiment that states all of its options. Either it was not
meant to, or the records of the experiment are stale: run it again, write its page, and then
``python -m tests.benchmarks.small_runs``.
"""

import json
import math

import pytest

from benchmarks.reproduce import page
from tests.benchmarks.small_runs import SMALL_RUNS, STORED, run_small

#: Sums in another order may differ by this.
ROUNDING = 1e-3


def assert_same(found, stored, where):
    """Compare numbers up to rounding, all else exactly."""
    if isinstance(stored, dict):
        assert found.keys() == stored.keys(), where
        for key, value in stored.items():
            assert_same(found[key], value, f"{where}, {key}")
    elif isinstance(stored, list):
        assert len(found) == len(stored), where
        for i, (one, other) in enumerate(zip(found, stored, strict=True)):
            assert_same(one, other, f"{where} [{i}]")
    elif isinstance(stored, float):
        assert math.isclose(found, stored, rel_tol=ROUNDING, abs_tol=ROUNDING), where
    else:
        assert found == stored, where


@pytest.mark.parametrize("name", SMALL_RUNS)
def test_a_small_run_gives_what_is_stored(name):
    assert_same(run_small(name), json.loads(STORED.read_text())[name], name)


def test_another_number_is_noticed():
    stored = json.loads(STORED.read_text())["kc_table1"]
    moved = [record | {"nmse": 1.01 * record["nmse"]} for record in stored]
    with pytest.raises(AssertionError, match="nmse"):
        assert_same(moved, stored, "kc_table1")


def test_every_experiment_of_the_papers_has_a_small_version():
    experiments = {
        name
        for name in SMALL_RUNS | dict.fromkeys(_experiments())
        if name.startswith(("kc_", "sks_", "ss_", "co_"))
    }
    assert experiments - SMALL_RUNS.keys() == {"ss_ours", "ss_svgp"}  # not the paper's methods


def _experiments():
    folder = type(STORED)(page.__file__).parent
    return [file.stem for file in folder.glob("*.py") if "def main(" in file.read_text()]
