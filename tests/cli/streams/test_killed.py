"""Killed at any moment, a stream loses no row and writes none twice."""

import os
import signal
import subprocess
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from tests.cli.commands import ONE_THREAD, PROGRAM, invoke
from tests.cli.streams.stream_rows import as_csv, rows

# SPARSEGP_KILLS=20 for the full test
KILLS = int(os.environ.get("SPARSEGP_KILLS", "2"))
N_ROWS = 80 * (KILLS + 1)
NEW = ("stream", "--new", "--target", "y", "--max-basis", "10", "--warmup", "30", "--every", "10")


def start(arguments, given):
    return subprocess.Popen(
        [*PROGRAM, *map(str, arguments)],
        stdin=given,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | ONE_THREAD,
    )


def stamp(path):
    return path.stat().st_mtime_ns if path.exists() else None


def wait_for_checkpoint(process, path):
    """Wait until a new checkpoint is there, or the process has ended."""
    before = stamp(path)
    while stamp(path) == before and process.poll() is None:
        time.sleep(0.001)


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_killed_and_resumed_equals_uninterrupted(tmp_path):
    given = tmp_path / "rows.csv"
    given.write_text(as_csv(rows(N_ROWS)))
    arguments = (*NEW, "--out", tmp_path / "o.csv", "--checkpoint", tmp_path / "c.st")
    rng, killed = np.random.default_rng(0), 0
    for _ in range(KILLS):
        with given.open() as file:
            process = start(arguments, file)
        wait_for_checkpoint(process, tmp_path / "c.st")
        time.sleep(rng.uniform(0.0, 0.15))
        process.kill()
        _, told = process.communicate()
        assert process.returncode in (0, -signal.SIGKILL), told
        killed += process.returncode == -signal.SIGKILL
    assert killed > KILLS // 2
    with threadpool_limits(1):  # as in the processes
        done = invoke(*arguments, stdin=given.read_text())
        whole = invoke(*NEW, stdin=given.read_text())
    assert done.exit_code == 0, done.stderr
    assert "resuming after row" in done.stderr
    assert (tmp_path / "o.csv").read_text() == whole.stdout
    assert len(whole.stdout.splitlines()) == N_ROWS + 1
    assert sorted(file.name for file in tmp_path.iterdir()) == ["c.st", "o.csv", "rows.csv"]


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_asked_to_end_it_keeps_its_place(tmp_path):
    out, kept = tmp_path / "o.csv", tmp_path / "c.st"
    arguments = (*NEW[:-1], "25", "--seconds", "999", "--out", out, "--checkpoint", kept)
    process = start(arguments, subprocess.PIPE)
    process.stdin.write(as_csv(rows(25)).encode())
    process.stdin.flush()
    wait_for_checkpoint(process, kept)  # the only one, after the last row
    process.send_signal(signal.SIGTERM)
    _, told = process.communicate()
    assert process.returncode == 128 + signal.SIGTERM
    assert b"25 rows" in told
    assert len(out.read_text().splitlines()) == 26
