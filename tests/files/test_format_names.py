"""Renaming code does not rename anything in a model file."""

import pytest

from sparsegp.files.container import from_bytes
from tests.files.format_names import document_of, listed_names, names_in
from tests.files.models import FITS, TABLES, fitted
from tests.files.test_old_formats import FILES

LISTED = listed_names()


def assert_all_listed(document):
    for where, names in names_in(document).items():
        assert where in LISTED, f"new in the format: {where}"
        assert names <= LISTED[where], f"new in the format, {where}: {names - LISTED[where]}"


@pytest.mark.parametrize("name", [*FITS, *TABLES])
def test_files_contain_only_listed_names(name):
    assert_all_listed(document_of(fitted(name)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_names_of_old_files_are_listed(path):
    assert_all_listed(from_bytes(path.read_bytes())[0])
