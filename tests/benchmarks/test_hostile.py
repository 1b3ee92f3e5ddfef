"""The trial of hostile input, with a few cases of each kind: no findings, and it can find some."""

import numpy as np
import pytest

from benchmarks.hostile import watched
from benchmarks.hostile.__main__ import main
from benchmarks.hostile.watched import Trial, is_finite


def test_a_few_cases_have_no_findings(capsys):
    counts = {"--tables": 8, "--files": 45, "--commands": 7, "--threads": 3, "--seed": 5}
    assert main([str(part) for pair in counts.items() for part in pair]) == 0
    said = capsys.readouterr().out
    assert said.endswith("0 findings\n")
    for part in ("table: ", "file: ", "command: ", "threads: "):
        assert part in said


def fails():
    raise KeyError("of nobody")


def hangs():
    while True:
        pass


def takes_memory():
    return str(len(np.ones(30_000_000))) and "predicted"


@pytest.mark.parametrize(
    ("check", "problem"), [(fails, "KeyError"), (hangs, "longer than"), (takes_memory, "MiB")]
)
def test_what_a_finding_is(check, problem, monkeypatch, capsys):
    if check is takes_memory and watched._reset_peak() is None:
        pytest.skip("the system does not tell the peak of the memory")
    monkeypatch.setattr(watched, "BYTES_PER_CASE", 100 * 2**20)
    trial = Trial("file", 1, seconds_per_case=0.2 if check is hangs else 60.0)
    trial.run(7, "a case", check)
    assert problem in str(trial.findings[0])
    assert capsys.readouterr().out.startswith("file 7 (a case): ")


def test_only_finite_numbers_are_finite():
    assert is_finite([1.0, 2.0]) and is_finite(["a", "b"])
    assert not is_finite([1.0, np.nan]) and not is_finite([np.inf])


def test_a_trial_goes_on_where_it_was_after_the_cases_with_findings(tmp_path, capsys):
    def run(n_cases, broken):
        trial, ran = Trial("file", n_cases, record=tmp_path / "file.json"), []
        for number in trial.numbers():
            ran.append(number)
            trial.run(number, "a case", fails if number in broken else lambda: "predicted")
        return trial, ran

    trial, ran = run(3, broken={1})
    assert ran == [0, 1, 2] and trial.outcomes == {"predicted": 2, "finding": 1}
    trial, ran = run(5, broken={1, 4})
    assert ran == [1, 3, 4] and [finding.number for finding in trial.findings] == [1, 4]
    trial, ran = run(5, broken=())
    assert ran == [1, 4] and trial.outcomes == {"predicted": 5} and not trial.findings
    with pytest.raises(ValueError, match="seed 0"):
        next(Trial("file", 5, seed=1, record=tmp_path / "file.json").numbers())
    capsys.readouterr()
