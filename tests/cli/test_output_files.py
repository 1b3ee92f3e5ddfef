"""No output destroys an input, another output or a device, and no fit ends at a closed door."""

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pandas as pd
import pytest

import sparsegp
from sparsegp.cli.output_files import check_output
from sparsegp.files.atomic import write_atomically
from tests.cli.commands import ONE_THREAD, PROGRAM, invoke, mixed_table
from tests.cli.test_bad_input import check


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table, a model of it, a stream, and links to them."""
    folder = tmp_path_factory.mktemp("outputs")
    table = mixed_table(60)
    table.to_csv(folder / "t.csv", index=False)
    model = sparsegp.SparseGPRegressor(random_state=0).fit(table[["size"]], table["y"])
    model.save(folder / "m.st")
    sparsegp.OnlineGPRegressor().partial_fit(table[["size"]], table["y"]).save(folder / "s.st")
    (folder / "link.csv").symlink_to(folder / "t.csv")
    os.link(folder / "t.csv", folder / "hard.csv")
    return folder


FIT = ("fit", "t.csv", "--target", "y")
STREAM = ("stream", "--new", "--target", "y")
SAME_FILE = {
    (*FIT, "--out", "t.csv"): "--out t.csv is TABLE",
    (*FIT, "--out", "./../outputs0/t.csv"): "is TABLE",
    (*FIT, "--out", "link.csv"): "--out link.csv is TABLE",
    (*FIT, "--report", "hard.csv"): "--report hard.csv is TABLE",
    (*FIT, "--out", "new", "--report", "./new"): "--out and --report are the same file",
    ("predict", "m.st", "t.csv", "--out", "t.csv"): "--out t.csv is TABLE",
    ("predict", "t.csv", "t.csv", "--out", "hard.csv"): "--out hard.csv is MODEL",
    ("report", "m.st", "t.csv", "--target", "y", "--out", "m.st"): "--out m.st is MODEL",
    ("report", "m.st", "t.csv", "--target", "y", "--out", "link.csv"): "is TABLE",
    (*STREAM, "--checkpoint", "x", "--out", "x"): "--checkpoint and --out are the same file",
    ("stream", "s.st", "--target", "y", "--out", "s.st"): "--out s.st is MODEL",
    ("stream", "s.st", "--target", "y", "--checkpoint", "s.st"): "--checkpoint s.st is MODEL",
    (*STREAM, "--checkpoint", os.devnull): "is no file",
}


@pytest.mark.parametrize("arguments", SAME_FILE)
def test_outputs_that_are_inputs_or_each_other(folder, arguments, monkeypatch):
    monkeypatch.chdir(folder)
    check(folder, arguments, SAME_FILE[arguments], stdin="x,y\n1,2\n")


def test_a_stream_does_not_write_into_its_input(folder):
    before = (folder / "t.csv").read_bytes()
    with (folder / "t.csv").open() as rows:
        done = subprocess.run(
            [*PROGRAM, *STREAM, "--out", str(folder / "t.csv")],
            stdin=rows,
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | ONE_THREAD,
        )
    assert done.returncode == 2
    assert "is standard input, which would be overwritten" in done.stderr
    assert (folder / "t.csv").read_bytes() == before


@pytest.fixture
def pipe(tmp_path):
    """Return a pipe in the file system, and what was read from it."""
    path, received = tmp_path / "pipe.csv", []
    os.mkfifo(path)

    def read():
        received.append(path.read_bytes())

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    yield path, received, reader
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_pipes_stay_pipes(pipe):
    path, received, reader = pipe
    write_atomically(path, b"abc")
    reader.join(10)
    assert received == [b"abc"]


def test_predictions_into_a_pipe(pipe, folder):
    path, received, reader = pipe
    assert invoke("predict", folder / "m.st", folder / "t.csv", "--out", path).exit_code == 0
    reader.join(10)
    assert received[0].startswith(b"mean,std,lower,upper\n")
    assert received[0].count(b"\n") == 61


def test_a_stream_into_a_pipe(pipe, folder):
    path, received, reader = pipe
    rows = "x,y\n1,2\n2,3\n"
    assert invoke(*STREAM, "--out", path, stdin=rows).exit_code == 0
    reader.join(10)
    assert received[0].count(b"\n") == 3


def test_devices_stay_devices(tmp_path, folder):
    """Through a link: with a device of its own this would need root."""
    link = tmp_path / "null.csv"
    link.symlink_to(os.devnull)
    write_atomically(link, b"abc")
    assert invoke("predict", folder / "m.st", folder / "t.csv", "--out", link).exit_code == 0
    assert link.is_symlink()
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_a_link_stays_a_link_to_predictions(tmp_path, folder):
    (tmp_path / "p.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "p.csv")
    out = tmp_path / "link.csv"
    assert invoke("predict", folder / "m.st", folder / "t.csv", "--out", out).exit_code == 0
    assert out.is_symlink()
    assert len(pd.read_csv(tmp_path / "p.csv")) == 60


def test_a_place_that_cannot_be_written_is_found_before_the_fit(folder, monkeypatch):
    """As a disk that is read-only: permissions do not tell, and hold nothing against root."""

    def touch(self, **_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("pathlib.Path.touch", touch)
    monkeypatch.setattr("sparsegp.cli.fit.read_table", None)  # would be called next
    monkeypatch.chdir(folder)
    check(folder, (*FIT, "--out", "new.st"), "cannot be written (Read-only file system)")
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    check(folder, (*FIT, "--out", "n" * 250), "cannot be written")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_protected_file_is_not_replaced(tmp_path):
    path = tmp_path / "kept"
    path.touch(0o444)
    with pytest.raises(Exception, match="may not be written to"):
        check_output(path)


def test_options_that_gave_tracebacks(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for command in (FIT, STREAM):
        check(folder, (*command, "--seed", "-1"), "--seed must be", stdin="x,y\n1,2\n")
        check(folder, (*command, "--seed", str(2**32)), "--seed must be", stdin="x,y\n1,2\n")
    again = ("predict", "m.st", "t.csv", "--out", "p.csv", "--with", "y", "--with", "y")
    check(folder, again, "--with y is given twice")
    check(folder, (*FIT, "--holdout", "0.999"), "leaves 0 of 60 rows to learn from")


WAITING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
import sparsegp.cli.{module} as module
def wait(*_, **__):
    os.kill(os.getpid(), signal.{signal})
    raise AssertionError("the signal was lost")
module.{function} = wait
from sparsegp.cli.main import main
sys.argv = ["sparsegp", *sys.argv[1:]]
main()
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_signals_leave_no_partial_file(folder, tmp_path, name):
    """While predictions are written: the part is removed, and there is no traceback."""
    code = WAITING.format(module="predict", function="_predicted", signal=name)
    out = tmp_path / "p.csv"
    arguments = ("predict", folder / "m.st", folder / "t.csv", "--out", out)
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | ONE_THREAD,
    )
    assert done.returncode == 128 + getattr(signal, name)
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


INTERRUPTED_IMPORT = """
import sys
from importlib.abc import MetaPathFinder
class Interrupts(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupts())
from sparsegp.cli.main import main
main()
"""


def test_an_interrupt_while_libraries_are_imported_is_no_traceback():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_IMPORT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    assert done.stderr == "sparsegp: interrupted, nothing more was written\n"
