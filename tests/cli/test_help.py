"""Help, completion, and what is said where a package is missing."""

import subprocess
import sys

import pytest

import sparsegp
from sparsegp.cli.main import HELP, main
from tests.cli.commands import invoke


@pytest.mark.parametrize("command", ["fit", "predict", "info", "report", "stream", "demo"])
def test_help_has_examples(command):
    shown = invoke(command, "--help").stdout
    assert f"sparsegp {command}" in shown.split("Example", 1)[1]


def test_completion_is_offered():
    shown = invoke("--help").stdout
    assert "--install-completion" in shown
    assert "Exit codes" in shown


def test_a_missing_package_is_one_line(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "sparsegp.cli.app")
    monkeypatch.setitem(sys.modules, "typer", None)
    monkeypatch.setattr(sys, "argv", ["sparsegp", "info", "m.safetensors"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert told == "sparsegp: the command line needs typer: pip install 'sparsegp[cli]'\n"


# one process for all commands: the import takes longest
HIDDEN = """
import runpy, sys
for name in ("typer", "rich", "pandas", "pyarrow"):
    sys.modules[name] = None
for arguments in (["--version"], ["fit", "--help"], ["info", "m.safetensors"]):
    sys.argv = ["sparsegp", *arguments]
    try:
        runpy.run_module("sparsegp", run_name="__main__")
        print("code 0", flush=True)
    except SystemExit as ended:
        print("code", ended.code, flush=True)
"""


def test_help_and_version_need_no_extras():
    done = subprocess.run(
        [sys.executable, "-c", HIDDEN], capture_output=True, text=True, check=True, timeout=60
    )
    version, shown, refused, _ = done.stdout.replace("code 2", "code 0").split("code 0\n")
    assert version.strip() == sparsegp.__version__
    assert "predict" in shown and "pip install 'sparsegp[cli]'" in shown
    assert refused == "" and done.stdout.endswith("code 2\n")
    assert done.stderr == "sparsegp: the command line needs typer: pip install 'sparsegp[cli]'\n"


def test_the_help_without_extras_names_all_commands():
    shown = invoke("--help").stdout
    commands = [line.split()[0] for line in HELP.partition("Commands:\n")[2].splitlines() if line]
    assert commands == ["fit", "predict", "info", "report", "stream", "demo"]
    assert all(command in shown for command in commands)


def test_kernels_are_listed_with_the_default():
    shown = " ".join(invoke("fit", "--help").stdout.split())
    assert "auto|rbf|matern12|matern32" in shown
    assert "[default: auto, for classification rbf]" in shown
