"""The examples with other libraries run, where these are installed."""

import runpy
import warnings

import pytest

from tests.docs.blocks import ROOT

FOLDER = ROOT / "examples" / "interop"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_example_runs(path, tmp_path, monkeypatch, capsys):
    library = path.name.partition("_")[0]
    pytest.importorskip(library, reason=f"{library} is not installed")
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the other library
        runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out
