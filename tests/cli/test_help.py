"""Help, completion, and what is said where a package is missing."""

import sys

import pytest

from sparsegp.cli.main import main
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
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert told == "sparsegp: the command line needs typer: pip install 'sparsegp[cli]'\n"
