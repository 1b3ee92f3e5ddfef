"""Types of fields, also as other versions of Python and NumPy write them."""

from types import GenericAlias

import numpy as np

from sparsegp.files.type_checks import matches_type


class Alias:
    """Stands for the alias of a type: NumPy's ``NDArray`` from 2.5 on."""

    __value__ = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def test_an_alias_is_the_type_that_it_stands_for():
    for hint in (Alias(), GenericAlias(Alias(), (np.float64,)), None | GenericAlias(Alias(), int)):
        assert matches_type(np.zeros(2), hint)
        assert not matches_type([0.0], hint)
