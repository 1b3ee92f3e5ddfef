"""ARCHITECTURE.md is short, and the files that it names are there."""

import re

import pytest

from tests.docs.blocks import ROOT

PAGE = ROOT / "ARCHITECTURE.md"
PACKAGE = ROOT / "src" / "sparsegp"
STEPS = re.findall(r"^\| \d+ \| `(.+?)` \|", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)

ROOMS = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name[0] != "_"}
#: Pages that name modules of the package.
NAMING = [
    PAGE,
    *sorted((ROOT / "docs" / "methods").glob("*.md")),
    *sorted((ROOT / "docs" / "decisions").glob("0*.md")),
    ROOT / "docs" / "symbols.md",
]


def test_it_is_read_in_one_sitting():
    assert len(PAGE.read_text(encoding="utf-8").splitlines()) <= 200


def test_a_row_passes_at_most_twelve_files():
    assert STEPS[0] == "estimators/regressor.py"
    assert STEPS[-1] == "model/posterior.py"
    assert len(STEPS) <= 12


@pytest.mark.parametrize("step", STEPS)
def test_every_step_is_a_file(step):
    assert (PACKAGE / step).is_file()


@pytest.mark.parametrize("page", NAMING, ids=lambda page: page.name)
def test_named_modules_are_there(page):
    for name in re.findall(r"`(?:sparsegp/)?((?:\w+/)+(?:\w+\.py)?)`", page.read_text("utf-8")):
        if name.split("/")[0] in ROOMS:
            assert (PACKAGE / name).exists(), name


def test_every_room_is_in_the_table():
    named = set(re.findall(r"`(\w+)/`", PAGE.read_text(encoding="utf-8")))
    assert named >= ROOMS, ROOMS - named


def test_decisions_are_listed():
    folder = ROOT / "docs" / "decisions"
    listed = set(re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", (folder / "index.md").read_text()))
    assert listed == {path.name for path in folder.glob("0*.md")}
