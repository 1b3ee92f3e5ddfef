"""The pages under ``benchmarks/`` are those that the records make, and their images are there."""

import re
from pathlib import Path

import pytest

from benchmarks.peers import page as peers_page
from benchmarks.reproduce import (
    classification_page,
    kc_page,
    ours_page,
    sks_page,
    streams_page,
    tables_page,
)
from benchmarks.reproduce.page import BENCHMARKS, PAGES, write_pages
from benchmarks.reproduce.records import RESULTS
from benchmarks.reproduce.selector_blocks import BLOCKS, SELECTOR_PAGE, fill

DRAWING = (kc_page, ours_page, sks_page, tables_page, classification_page, streams_page, peers_page)
WRITTEN = [*(page.name for page in PAGES), "peers"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Write all pages without drawing their figures; return the folder."""
    folder = tmp_path_factory.mktemp("pages")
    with pytest.MonkeyPatch.context() as patch:
        for module in DRAWING:
            for name in [name for name in vars(module) if name.startswith("plot_")]:
                patch.setattr(module, name, lambda *_: None)
        write_pages(RESULTS, folder)
        peers_page.write_page(folder=folder)
    return folder


@pytest.mark.parametrize("name", WRITTEN)
def test_the_page_is_the_one_that_the_records_make(name, made):
    file = f"{name}.md"
    assert (BENCHMARKS / file).read_text() == (made / file).read_text()


@pytest.mark.parametrize("file", sorted(BENCHMARKS.glob("*.md")), ids=lambda file: file.stem)
def test_links_and_images_lead_somewhere(file):
    for target in re.findall(r"\]\(([^)#]+)", file.read_text()):
        assert "://" in target or Path(file.parent, target).exists(), target


def test_figures_of_which_selector_are_those_of_the_records():
    text = SELECTOR_PAGE.read_text()
    assert set(re.findall(r"<!-- records: (\w+) -->", text)) == set(BLOCKS)
    assert fill(text, RESULTS) == text
