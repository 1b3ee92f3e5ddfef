"""The Python code in the pages of the documentation runs as printed."""

import pytest

from tests.docs.blocks import ROOT, blocks, run_python

PAGES = [
    path.relative_to(ROOT).as_posix()
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if "_build" not in path.parts and blocks(path, "python")
]


def test_the_tour_has_code():
    assert "docs/tour.md" in PAGES


@pytest.mark.parametrize("page", PAGES)
def test_page_runs(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)  # some pages write files
    assert run_python(ROOT / page)
