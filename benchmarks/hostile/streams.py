"""Streams that are killed at any moment: resumed, they write what they would have written."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.hostile.watched import Trial

__all__ = ["try_streams"]

N_ROWS = 300
OPTIONS = ("--new", "--target", "y", "--max-basis", "8", "--warmup", "30", "--every", "7")
#: A process needs some seconds to start; a killed stream starts twice.
SECONDS_PER_CASE = 180.0


def try_streams(trial: Trial) -> None:
    """Kill streams, run them again, and compare their output with that of one left alone."""
    trial.seconds_per_case = SECONDS_PER_CASE
    with TemporaryDirectory() as place:
        folder = Path(place)
        rng = np.random.default_rng((trial.seed, 5))
        x = rng.normal(size=N_ROWS)
        lines = [f"{a:.6f},{np.sin(a) + 0.1 * rng.normal():.6f}" for a in x]
        (folder / "rows.csv").write_text("x,y\n" + "\n".join(lines) + "\n")
        _finish(_start(folder, "whole.csv", None))
        for number in trial.numbers():
            own = trial.rng(number)
            signals = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
            how, wait = signals[own.integers(3)], float(own.uniform(0.0, 0.3))
            check = partial(_kill_and_resume, folder, how, wait)
            trial.run(number, f"{how.name} {wait:.2f} s after a checkpoint", check)


def _kill_and_resume(folder: Path, how: signal.Signals, wait: float) -> str:
    out, checkpoint = folder / "killed.csv", folder / "killed.st"
    for path in (out, checkpoint):
        path.unlink(missing_ok=True)
    process = _start(folder, out.name, checkpoint.name)
    while not checkpoint.exists() and process.poll() is None:
        time.sleep(0.002)
    time.sleep(wait)
    process.send_signal(how)
    _, said = process.communicate()
    if "Traceback" in said:
        raise AssertionError(f"a traceback: {said[-200:]}")
    outcome = "resumed" if process.returncode else "done before"
    _finish(_start(folder, out.name, checkpoint.name))
    if out.read_bytes() != (folder / "whole.csv").read_bytes():
        raise AssertionError("the output is not that of a stream that was left alone")
    left = [file.name for file in folder.iterdir() if file.name.endswith(".part")]
    if left:
        raise AssertionError(f"partial files are left: {left}")
    return outcome


def _start(folder: Path, out: str, checkpoint: str | None) -> "subprocess.Popen[str]":
    options = [*OPTIONS, "--out", str(folder / out)]
    if checkpoint is not None:
        options += ["--checkpoint", str(folder / checkpoint)]
    with (folder / "rows.csv").open() as rows:
        return subprocess.Popen(
            [sys.executable, "-m", "sparsegp", "stream", *options],
            stdin=rows,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )


def _finish(process: "subprocess.Popen[str]") -> None:
    _, said = process.communicate()
    if process.returncode:
        raise AssertionError(f"exit code {process.returncode}: {said[-200:]}")
