"""The module ``sparsegp.data`` of version 0.1 still provides ``open_table``."""

import pytest

import sparsegp.data
from sparsegp import tables


def test_open_table_is_deprecated_but_there():
    with pytest.warns(DeprecationWarning, match=r"import it from sparsegp\.tables"):
        assert sparsegp.data.open_table is tables.open_table
    with pytest.warns(DeprecationWarning, match=r"sparsegp\.data\.open_table"):
        from sparsegp.data import open_table
    assert open_table is tables.open_table


def test_other_names_are_unknown():
    with pytest.raises(AttributeError, match="no attribute 'load_table'"):
        sparsegp.data.load_table  # noqa: B018
