"""Running commands: in this process, which is quick, or as a user would."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from sparsegp.cli.app import app

PROGRAM = [sys.executable, "-m", "sparsegp"]
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def invoke(*arguments, stdin=None):
    """Run a command here; a bug in it is raised."""
    result = CliRunner().invoke(app, [str(a) for a in arguments], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def run(*arguments, stdin=None):
    """Run a command as a process of its own."""
    return subprocess.run(
        [*PROGRAM, *(str(a) for a in arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | ONE_THREAD,
        timeout=120,
    )


def data_file(name):
    """Return a file of the benchmark data, whether it is there or not."""
    beside = Path(__file__).parents[3] / "shared" / "data"
    return Path(os.environ.get("SPARSEGP_DATA", beside)) / f"{name}.parquet"


def mixed_table(n=240, seed=0):
    """Return rows with columns of all kinds; y depends on four of them."""
    rng = np.random.default_rng(seed)
    size = rng.uniform(-3, 3, n)
    colour = rng.choice(["red", "green", "blue"], n)
    day = rng.integers(0, 100, n)
    gaps = rng.random(n) < 0.1
    level = pd.Series(colour).map({"red": 0.0, "green": 1.0, "blue": 2.0}).to_numpy()
    y = np.sin(size) + level + 0.01 * day + gaps + 0.05 * rng.standard_normal(n)
    return pd.DataFrame(
        {
            "row": np.arange(n),
            "size": size,
            "colour": colour,
            "warm": colour == "red",
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(day, unit="D"),
            "weight": np.where(gaps, np.nan, rng.uniform(0, 1, n)),
            "unit": "cm",
            "name": [f"item {i}" for i in range(n)],
            "y": y,
        }
    )
