"""One bar for a whole fit, with the time left."""

import re

import numpy as np
import pytest

from sparsegp import SparseGPClassifier, SparseGPRegressor
from sparsegp.cli.display import FitDisplay
from sparsegp.cli.fit_progress import FitProgress
from sparsegp.learning.history.progress import Progress


class Clock:
    """Time that stands still until it is set."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.mark.parametrize("kind", [SparseGPRegressor, SparseGPClassifier])
def test_the_share_grows_from_zero_to_nearly_one(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] > 0 if kind is SparseGPClassifier else X[:, 0]
    progress, shares = FitProgress(clock=Clock()), []

    def listen(step):
        progress.update(step)
        shares.append(progress.share)

    kind(random_state=0, callback=listen).fit(X, y)
    assert shares == sorted(shares)
    assert shares[0] < 0.2 and 0.6 < shares[-1] <= 1.0


def test_the_time_left_is_in_proportion():
    clock = Clock()
    progress = FitProgress(clock=clock)
    progress.update(Progress("transforms", 1, 4, 0.0))
    assert progress.seconds_left is None  # too early to tell
    clock.now = 10.0
    left = progress.seconds_left
    assert left == pytest.approx(10.0 * (1.0 - progress.share) / progress.share)
    clock.now = 11.0
    progress.update(Progress("selection", 50, 100, 0.0))
    assert progress.seconds_left < left


def test_a_time_limit_bounds_the_time_left():
    clock = Clock()
    progress = FitProgress(20.0, clock)
    assert progress.seconds_left == 20.0
    clock.now = 15.0
    progress.update(Progress("transforms", 1, 60, 0.0))
    assert progress.seconds_left == 5.0
    assert progress.share == pytest.approx(0.75)
    clock.now = 30.0
    assert (progress.share, progress.seconds_left) == (1.0, 0.0)


def test_on_a_terminal_there_is_one_bar(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    with FitDisplay() as display:
        for phase in ("transforms: target log", "kernel: RBF", "selection", "final pass"):
            for step in range(3):
                display(Progress(phase, step + 1, 3, 0.0))
        display._bars.refresh()
        shown = capsys.readouterr().out
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)
    assert "final pass, 3 of 3" in text
    assert all(line.count("fit ") <= 1 for line in text.split("\r"))
    last = text.replace("\r", "\n").strip().splitlines()[-1]
    assert "transforms" not in last  # what is finished is gone


def test_elsewhere_each_kind_of_phase_is_one_line(capsys):
    with FitDisplay() as display:
        for phase in ("kernel: RBF", "kernel: Matern 3/2", "selection", "kernel: RBF", "selection"):
            display(Progress(phase, 1, 9, 0.0))
    assert capsys.readouterr().out.splitlines() == ["kernel: RBF, up to 9", "selection, up to 9"]
