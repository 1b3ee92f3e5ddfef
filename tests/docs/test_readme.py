"""The code in README.md runs as printed."""

import re

from tests.docs.blocks import ROOT, run_python

README = ROOT / "README.md"


def test_readme_code_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # it saves a model
    assert run_python(README)
    printed = capsys.readouterr().out
    scores = [float(line) for line in printed.splitlines() if re.fullmatch(r"[0-9.]+", line)]
    assert len(scores) == 2  # of numbers and of labels
    assert min(scores) > 0.9
    assert "RBF(length_scale=" in printed


def test_readme_links_lead_somewhere():
    links = re.findall(r"\]\(([^)#]+)", README.read_text(encoding="utf-8"))
    assert links
    for link in links:
        assert "://" in link or (README.parent / link).exists(), link
