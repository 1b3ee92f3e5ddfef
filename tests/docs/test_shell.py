"""The shell commands of the pages run as printed, in a folder with the tables that they name."""

import os
import shlex
import subprocess
import sys

import numpy as np
import pytest

from tests.docs.blocks import ROOT, blocks

PAGES = ["docs/tour.md", "docs/guide/command_line.md"]
#: Lines of pages that install something, or are ``make test``, which is what is running.
LEFT_OUT = ("pip ", "make ")
COMMANDS = 'python() { "$PYTHON" "$@"; }; sparsegp() { "$PYTHON" -m sparsegp.cli "$@"; }; set -e\n'


@pytest.fixture
def folder(tmp_path):
    """Return a folder with small tables of the names that the pages use."""
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    area = rng.uniform(20, 200, 120)
    houses = pd.DataFrame({"id": np.arange(120), "area": area, "town": rng.choice(["A", "B"], 120)})
    houses.to_parquet(tmp_path / "new.parquet")
    houses.assign(price=3 * area + rng.normal(0, 9, 120)).to_csv(
        tmp_path / "houses.csv", index=False
    )
    hours = pd.DataFrame({"hour": np.arange(150) % 24, "day": np.arange(150) // 24})
    hours = hours.assign(load=np.sin(hours.hour / 4) + rng.normal(0, 0.1, 150))
    hours[:100].to_csv(tmp_path / "rows.csv", index=False)
    hours[100:].to_csv(tmp_path / "more.csv", index=False)
    return tmp_path


@pytest.mark.parametrize("page", PAGES)
def test_commands_run(page, folder):
    pytest.importorskip("typer")
    lines = "".join(blocks(ROOT / page, "sh")).splitlines()
    lines = [line for line in lines if not line.startswith(LEFT_OUT)]
    assert lines
    source = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        ["bash", "-c", COMMANDS + "\n".join(lines)],
        cwd=folder,
        env=os.environ | {"PYTHON": sys.executable, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{shlex.join(lines)}\n{done.stdout}\n{done.stderr}"
