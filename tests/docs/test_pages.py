"""The code in the pages of the documentation runs as printed; ``test_readme`` runs the README."""

import pytest

from tests.docs.blocks import ROOT, blocks, languages, run_python

#: ``text`` is no code, ``bibtex`` no program; ``py`` needs a GPU, and is compiled only.
KNOWN = {"python", "py", "sh", "bibtex", "text", ""}

ALL_PAGES = [
    path.relative_to(ROOT).as_posix()
    for path in sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
    if not {"_build", "api", "gallery"} & set(path.relative_to(ROOT).parts)
]
PAGES = [page for page in ALL_PAGES if blocks(ROOT / page, "python") and page != "README.md"]


def test_the_pages_of_first_steps_have_code():
    assert {"docs/tour.md", "docs/faq.md", "docs/guide/regression.md"} <= set(PAGES)


@pytest.mark.parametrize("page", ALL_PAGES)
def test_every_block_has_a_known_language(page):
    found = {name for name in languages(ROOT / page) if not name.startswith("{")}
    assert found <= KNOWN, f"{page}: a block of code that no test runs: {found - KNOWN}"


@pytest.mark.parametrize("page", PAGES)
def test_page_runs(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)  # some pages write files
    assert run_python(ROOT / page)


@pytest.mark.parametrize("page", [page for page in ALL_PAGES if blocks(ROOT / page, "py")])
def test_blocks_for_devices_compile(page):
    for block in blocks(ROOT / page, "py"):
        compile(block, page, "exec")
