"""The shell commands of the pages run as printed, in a folder with the tables that they name."""

import shlex
import subprocess
import sys

import numpy as np
import pytest

from tests.docs.blocks import ROOT, blocks

PAGES = ["docs/tour.md", "docs/guide/command_line.md"]
#: Lines of pages that install something, or are ``make test``, which is what is running.
LEFT_OUT = ("pip ", "make ")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder, the current one, with small tables of the names that the pages use."""
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    area = rng.uniform(20, 200, 120)
    houses = pd.DataFrame({"id": np.arange(120), "area": area, "town": rng.choice(["A", "B"], 120)})
    houses.to_parquet("new.parquet")
    houses.assign(price=3 * area + rng.normal(0, 9, 120)).to_csv("houses.csv", index=False)
    hours = pd.DataFrame({"hour": np.arange(150) % 24, "day": np.arange(150) // 24})
    hours = hours.assign(load=np.sin(hours.hour / 4) + rng.normal(0, 0.1, 150))
    hours[:100].to_csv("rows.csv", index=False)
    hours[100:].to_csv("more.csv", index=False)
    return tmp_path


@pytest.mark.parametrize("page", PAGES)
def test_commands_run(page, folder):
    pytest.importorskip("typer")
    from tests.cli.commands import invoke  # needs typer

    lines = "".join(blocks(ROOT / page, "sh")).replace("\\\n", "").splitlines()
    lines = [line for line in lines if not line.startswith(LEFT_OUT)]
    assert lines
    for line in lines:
        words = shlex.split(line, comments=True)
        stdin = None
        if "<" in words:
            stdin = (folder / words.pop()).read_text()
            words.remove("<")
        if words[0] == "python":
            subprocess.run([sys.executable, *words[1:]], check=True)
            continue
        assert words[0] == "sparsegp"
        result = invoke(*words[1:], stdin=stdin)
        assert result.exit_code == 0, f"{line}\n{result.output}"
