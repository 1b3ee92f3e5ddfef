"""Every example of the gallery runs, without a warning, and draws something."""

import runpy

import pytest

from tests.docs.blocks import ROOT

EXAMPLES = sorted(path.name for path in (ROOT / "examples").glob("*.py"))


def test_there_are_examples():
    assert len(EXAMPLES) >= 8


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_runs(name, tmp_path, monkeypatch, capsys):
    matplotlib = pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    with matplotlib.rc_context({"backend": "agg"}):
        import matplotlib.pyplot as plt

        monkeypatch.setattr(plt, "show", lambda: None)  # agg would warn that it cannot
        try:
            runpy.run_path(str(ROOT / "examples" / name), run_name="__main__")
            drawn = [ax for n in plt.get_fignums() for ax in plt.figure(n).axes if ax.has_data()]
            assert drawn
        finally:
            plt.close("all")
    assert capsys.readouterr().out
