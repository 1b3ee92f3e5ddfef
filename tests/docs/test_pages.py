"""The code in the pages of the documentation runs as printed; ``test_readme`` runs the README."""

import re

import pytest

from tests.docs.blocks import ROOT, blocks, languages, run_python

#: ``text`` is no code, ``bibtex`` no program; ``py`` needs a GPU or another library,
#: and is compiled only.
KNOWN = {"python", "py", "sh", "bibtex", "text", ""}

ALL_PAGES = [
    path.relative_to(ROOT).as_posix()
    for path in sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
    if not {"_build", "api", "gallery"} & set(path.relative_to(ROOT).parts)
]
TOPICS = [
    "which_tool",
    *(f"coming_from/{name}" for name in ("scikit_learn", "gpytorch", "lightgbm")),
    *(
        f"guide/{name}"
        for name in (
            "time_series",
            "bayesian_optimisation",
            "importance",
            "missing_values",
            "custom_kernels",
            "calibrated_probabilities",
            "deployment",
        )
    ),
]
PAGES = [page for page in ALL_PAGES if blocks(ROOT / page, "python") and page != "README.md"]


def test_the_pages_of_first_steps_have_code():
    assert {"docs/tour.md", "docs/faq.md", "docs/guide/regression.md"} <= set(PAGES)


@pytest.mark.parametrize("topic", TOPICS)
def test_the_pages_that_users_look_for_have_code_and_are_in_the_index(topic):
    assert f"docs/{topic}.md" in PAGES
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert f"({topic}.md)" in index  # a newcomer reads the page
    assert f"\n{topic}\n" in index  # and the contents beside it


@pytest.mark.parametrize("page", ALL_PAGES)
def test_links_between_pages_lead_somewhere(page):
    if not page.startswith("docs/"):
        return  # ``test_readme`` follows those
    prose = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text("utf-8"), flags=re.S | re.M)
    folder = (ROOT / page).parent
    for link in re.findall(r"\]\(([^)#\s]+)", prose):
        generated = {"api", "gallery"} & set(link.split("/"))  # by `make docs`
        assert "://" in link or generated or (folder / link).exists(), link


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
