"""Hostile command lines: each succeeds, or ends with exit code 2 and says why.

They run in this process, which is quick; an exception that reaches us is the traceback that a user
would see.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from benchmarks.hostile.models import fitted
from benchmarks.hostile.watched import Trial
from sparsegp.cli.app import app

__all__ = ["try_commands"]

Rng = np.random.Generator
BAD_INPUT = 2

TABLES = {
    "good.csv": "a,b,y\n" + "\n".join(f"{i / 7:.3f},{'uvw'[i % 3]},{i % 5}" for i in range(40)),
    "labels.csv": "a,y\n" + "\n".join(f"{i / 7:.3f},{'no' if i % 3 else 'yes'}" for i in range(30)),
    "semicolons.csv": "a;y\n" + "\n".join(f"{i},5;{i % 7},25" for i in range(30)),
    "bad_cell.csv": "a,y\n" + "\n".join(f"{i if i != 7 else 'oops'},{i % 7}" for i in range(30)),
    "infinite.csv": "a,y\n1,2\ninf,3\n2,inf\n3,4\n",
    "ragged.csv": "a,y\n1,2\n1,2,3\n",
    "surplus.csv": "a,y\n1,2,3\n1,2,3\n",
    "twice.csv": "a,a,y\n1,2,3\n4,5,6\n",
    "short.csv": "a,y\n1,2\n",
    "header.csv": "a,b,y\n",
    "empty.csv": "",
    "blank.csv": "\n\n\n",
    "quotes.csv": 'a,y\n"1,2\n3,4\n',
    "nul.csv": "a,y\n\x00,1\n2,3\n",
    "latin.csv": "a,y\nö,1\nü,2\n",
    "no_parquet.parquet": "PAR1 this is no parquet PAR1",
    "constant.csv": "a,y\n" + "1,2\n" * 20,
    "huge.csv": "a,y\n" + "\n".join(f"{i}e300,{i % 3}e305" for i in range(20)),
}
NAMES = (
    *TABLES,
    "table.parquet",
    "table.arrow",
    "model.st",
    "stream.st",
    "numbers.st",
    "nowhere.csv",
)
COLUMNS = ("y", "y", "y", "a", "b", "z", "", "Y")
ODD = ("-1", "0", "1", "nan", "inf", "1e400", "", "x", "99999999999999999999", "0.5", "ü", "../x")
OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "fit": {
        "--target": COLUMNS,
        "--task": ("auto", "regression", "classification", "x"),
        "--max-basis": ("5", *ODD),
        "--n-neighbors": ("auto", "0", "3", *ODD),
        "--selection": ("random", "log_posterior", *ODD),
        "--time-limit": ("0.01", "1", *ODD),
        "--holdout": ("0", "0.5", "0.999", *ODD),
        "--keep": COLUMNS,
        "--drop": COLUMNS,
        "--kernel": ("rbf", "auto", *ODD),
        "--transform-x": ("standard", "log", *ODD),
        "--transform-y": ("standard", "log", *ODD),
        "--seed": ("0", *ODD),
    },
    "predict": {"--level": ("0.9", *ODD), "--with": COLUMNS},
    "report": {"--target": COLUMNS},
    "info": {},
    "stream": {
        "--target": COLUMNS,
        "--classes": ("no,yes", "a", *ODD),
        "--category": COLUMNS,
        "--drop": COLUMNS,
        "--max-basis": ("5", *ODD),
        "--warmup": ("5", *ODD),
        "--forget": ("auto", "none", "0.01", *ODD),
        "--lags": ("1", "y=1", "a=2", *ODD),
        "--mean": ("zero", "last", "x"),
        "--every": ("1", *ODD),
        "--seconds": ("1", *ODD),
        "--format": ("csv", "jsonl", "x"),
        "--level": ("0.9", *ODD),
        "--seed": ("0", *ODD),
    },
}
OUTPUTS = ("new.csv", "new.st", "new.html", "no/folder/x", ".", os.devnull, "new.parquet")
ROWS = (
    *("", "a,y\n", "a,y\n1,2\n2,3\n3,5\n", '{"a": 1, "y": 2}\n{"a": 2, "y": 3}\n', "a;y\n1,5;2\n"),
    *(
        "a,y\n1,2,3\n",
        "a,y\ninf,2\n",
        "a,y\n1,x\n",
        '{"a": [1], "y": 2}\n',
        "{}\n",
        "[1]\n",
        "\x00",
    ),
    *("a,y\n1,2\nx,3\n", "a,y\n1e300,1\n2,1e305\n3,-1e308\n", '{"a": 1e400, "y": 1}\n', "y\n1\n"),
)


def try_commands(trial: Trial) -> None:
    """Run drawn commands, each in a folder with the same files."""
    with TemporaryDirectory() as place, _within(Path(place)):
        _write_inputs()
        inputs = _contents()
        for number in trial.numbers():
            arguments, rows = _drawn(trial.rng(number))

            def check(arguments: list[str] = arguments, rows: str | None = rows) -> str:
                return _run(arguments, rows, inputs)

            trial.run(number, f"sparsegp {' '.join(map(repr, arguments))}", check)
            _restore(inputs)


def _run(arguments: list[str], rows: str | None, inputs: dict[str, bytes]) -> str:
    """Return the outcome; anything unexpected is an error."""
    done = CliRunner().invoke(app, arguments, input=rows)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    after = _contents()
    outputs = {b for a, b in pairwise(arguments) if a in ("--out", "--checkpoint")}
    if done.exit_code == 0:  # it may replace what it was told to write, and nothing else
        outputs -= {name for a, name in pairwise(arguments) if not a.startswith("--")}
    else:
        outputs = set() if arguments[0] != "stream" else outputs
    changed = [n for n, data in inputs.items() if after.get(n) != data and n not in outputs]
    new = sorted(set(after) - set(inputs))
    if changed:
        raise AssertionError(f"an input was changed: {changed}")
    if any("part" in name for name in new):
        raise AssertionError(f"a partial file is left: {new}")
    if done.exit_code == 0:
        if "--json" in arguments and arguments[0] != "stream":
            json.loads(done.stdout)
        return "done"
    if done.exit_code != BAD_INPUT:
        raise AssertionError(f"exit code {done.exit_code}")
    usage = done.stderr.startswith("Usage: ")
    if not usage and (not done.stderr.strip() or "Traceback" in done.stderr):
        raise AssertionError(f"said {done.stderr!r}")
    if arguments[0] != "stream" and new:
        raise AssertionError(f"refused, but wrote {new}")
    last = done.stderr.strip().splitlines()[-1]
    if not usage and not last.startswith("sparsegp: "):
        raise AssertionError(f"said {last!r}")
    return "refused"


def _drawn(rng: Rng) -> tuple[list[str], str | None]:
    """Return arguments, and rows for standard input."""
    shares = {"fit": 0.35, "predict": 0.2, "report": 0.02, "info": 0.08, "stream": 0.35}
    command = str(rng.choice(list(shares), p=list(shares.values())))
    arguments, models = [command], ("model.st", "numbers.st", "stream.st")
    if command in ("predict", "report", "info"):
        arguments.append(_one(models if rng.random() < 0.8 else NAMES, rng))
    if command in ("fit", "predict", "report"):
        arguments.append(_one(NAMES if rng.random() < 0.6 else ("good.csv",), rng))
    if command == "fit":
        arguments += ["--target", _one(COLUMNS, rng), "--time-limit", "0.5"]
    if command == "stream":
        new = rng.random() < 0.8
        arguments += ["--new", "--target", "y"] if new else [_one(models, rng)]
    options = list(OPTIONS[command])
    for _ in range(rng.integers(0, 3) if options else 0):
        name = _one(options, rng)
        arguments += [name, _one(OPTIONS[command][name], rng)]
    if command == "predict" or (command != "info" and rng.random() < 0.6):
        arguments += ["--out", _one(OUTPUTS if rng.random() < 0.7 else NAMES, rng)]
    if command == "stream" and rng.random() < 0.4:
        arguments += ["--checkpoint", _one(OUTPUTS if rng.random() < 0.7 else NAMES, rng)]
    if command in ("fit", "predict", "info") and rng.random() < 0.3:
        arguments.append("--json")
    return arguments, _one(ROWS, rng) if command == "stream" else None


def _one(options: Any, rng: Rng) -> str:
    return str(options[rng.integers(len(options))])


def _write_inputs() -> None:
    """Write tables and models into the working folder."""
    for name, text in TABLES.items():
        encoding = "latin-1" if name == "latin.csv" else "utf-8"
        Path(name).write_text(text, encoding=encoding)
    table = pd.read_csv("good.csv")
    table.to_parquet("table.parquet")
    table.to_feather("table.arrow")
    fitted("table").save("model.st")
    fitted("stream").save("stream.st")
    numbers = pd.read_csv("good.csv")[["a"]]
    type(fitted("regressor"))(max_basis=5, random_state=0).fit(numbers, table["y"]).save(
        "numbers.st"
    )


def _contents() -> dict[str, bytes]:
    files = (path for path in Path().rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in files}


def _restore(inputs: dict[str, bytes]) -> None:
    """Remove what a command wrote, and write again what it changed."""
    after = _contents()
    for name in set(after) - set(inputs):
        Path(name).unlink()
    for name, data in inputs.items():
        if after.get(name) != data:
            Path(name).write_bytes(data)


@contextmanager
def _within(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
