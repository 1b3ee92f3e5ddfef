"""The code in README.md runs as printed, its links lead somewhere, its tables are the records'."""

import re

import pytest

from benchmarks.peers.summary import read_split, summary_table
from tests.docs.blocks import ROOT, run_python

README = ROOT / "README.md"
PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "GLOSSARY.md"]


def test_readme_code_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_python(README)
    score, kernel = capsys.readouterr().out.split(maxsplit=1)
    assert float(score) > 0.9
    assert " * " in kernel and "([" in kernel


@pytest.mark.parametrize("labels", [False, True])
def test_readme_tables_are_those_of_the_records(labels):
    assert summary_table(read_split(), labels=labels) in README.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)", (ROOT / page).read_text(encoding="utf-8"))
    assert links
    for link in links:
        assert "://" in link or (ROOT / link).exists(), link
