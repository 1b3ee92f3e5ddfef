"""Small selections of a table on a device run on the host: the choices of the host, bit for bit."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sparsegp import SparseGPRegressor
from sparsegp.arrays import is_numpy, on_host
from sparsegp.learning.basis import policy, select
from tests.array_libraries import on_device

OPTIONS = {
    "kernel": "rbf",
    "transform_X": "standard",
    "transform_y": "standard",
    "max_basis": 30,
    "n_neighbors": 0,
    "random_state": 0,
}


def table(n=300):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    return X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("candidates", [None, 40])
@pytest.mark.parametrize("most", [policy.MAX_SELECTION_ON_HOST, 0.0])
def test_the_host_selects_what_it_affords(most, candidates, monkeypatch):
    monkeypatch.setattr(policy, "MAX_SELECTION_ON_HOST", most)
    seen, original = [], select.select_basis

    def watched(criterion, kernel, rows, inputs, *rest, **options):
        seen.append((rows.X, inputs))
        return original(criterion, kernel, rows, inputs, *rest, **options)

    monkeypatch.setattr(select, "select_basis", watched)
    X, y = table()
    given = {} if candidates is None else {"candidates": on_device(X[:candidates] + 0.1)}
    model = SparseGPRegressor(**OPTIONS).fit(on_device(X), on_device(y), **given)
    assert seen
    assert all(is_numpy(each) == (most > 0.0) for pair in seen for each in pair)
    assert not on_host(model._posterior.Z)


def test_the_basis_is_that_of_the_host_where_gains_are_rounding():
    X, y = table()
    X = np.concatenate((X, X + 1e-9))  # every candidate twice, to rounding
    y = np.concatenate((y, y))
    options = OPTIONS | {"max_basis": 60, "optimizer": None}
    here = SparseGPRegressor(**options).fit(X, y)
    there = SparseGPRegressor(**options).fit(on_device(X), on_device(y))
    assert_array_equal(there.basis_indices_, here.basis_indices_)
