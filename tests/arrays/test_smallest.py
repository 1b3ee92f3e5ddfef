"""The smallest elements of lines, long ones by stretches, against a full sort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.arrays.policy import STRETCH
from sparsegp.arrays.smallest import smallest


@given(
    n=st.integers(1, 5),
    n_stretches=st.integers(1, 30),
    rest=st.sampled_from([0, 0, 1, 63]),
    k=st.integers(1, 12),
    n_values=st.sampled_from([3, 10_000]),  # few values: many ties
    seed=st.integers(0, 99),
)
@pytest.mark.parametrize("library", ["numpy", "array_api_strict"])
def test_values_and_places(library, n, n_stretches, rest, k, n_values, seed):
    xp = pytest.importorskip(library)
    rng = np.random.default_rng(seed)
    A = rng.integers(0, n_values, (n, STRETCH * n_stretches + rest)).astype(float)
    A[rng.random(A.shape) < 0.1] = np.inf
    values, places = map(np.asarray, smallest(xp.asarray(A), k))
    np.testing.assert_array_equal(values, np.sort(A, axis=1)[:, :k])
    np.testing.assert_array_equal(np.take_along_axis(A, places, axis=1), values)
    assert all(len(set(line)) == k for line in places)  # each once
