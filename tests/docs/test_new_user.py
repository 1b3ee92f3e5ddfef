"""README and tour, literally, as somebody who comes new: a clone, a fresh environment, every line.

It needs the network and some minutes, so it runs only if SPARSEGP_NEW_USER is set. Without it, the
Python blocks of the same pages run in ``test_readme`` and ``test_pages``. One line is left out:
``make test``, which is what is running.
"""

import os
import re
import shutil
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT

FENCED = re.compile(r"^```(python|sh)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)


@pytest.mark.skipif(
    not os.environ.get("SPARSEGP_NEW_USER"),
    reason="needs the network and minutes: set SPARSEGP_NEW_USER=1",
)
@pytest.mark.parametrize("page", ["README.md", "docs/tour.md"])
def test_every_line_works(page, tmp_path):
    clone = _clone(tmp_path / "clone")
    environment = _fresh_environment(tmp_path / "environment")
    found = FENCED.findall((clone / page).read_text(encoding="utf-8"))
    assert {language for language, _ in found} == {"python", "sh"}
    # Python blocks that follow each other share their names, as in a notebook
    for language, group in groupby(found, key=lambda block: block[0]):
        code = "".join(block for _, block in group)
        commands = [["python", "-c", code]] if language == "python" else _lines(code)
        for command in commands:
            done = subprocess.run(
                command, cwd=clone, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{command[-1]}\n{done.stdout}\n{done.stderr}"


def _lines(code: str) -> list[list[str]]:
    lines = [line for line in code.splitlines() if line and not line.startswith("make test")]
    return [["bash", "-c", line] for line in lines]


def _clone(target: Path) -> Path:
    """Copy what git knows of the working tree, as a clone would hold it."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def _fresh_environment(folder: Path) -> dict[str, str]:
    """Make a virtual environment; return the variables of a shell in which it is active."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    inherited = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    path = os.pathsep.join((str(folder / "bin"), os.environ["PATH"]))
    return inherited | {"PATH": path, "VIRTUAL_ENV": str(folder)}
