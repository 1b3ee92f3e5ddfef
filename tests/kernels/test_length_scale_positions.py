"""A kernel tells where its length scales by column are in theta."""

import numpy as np
import pytest

from sparsegp.kernels import (
    RBF,
    Categorical,
    Constant,
    Linear,
    Matern,
    OnColumns,
    Periodic,
    RationalQuadratic,
)

ARD = (1.0, 3.0)
CASES = {
    "shared": (RBF(2.0), ()),
    "one a column": (RBF(ARD), ((0, 1),)),
    "fixed": (RBF(ARD, length_scale_bounds="fixed"), ()),
    "scaled": (Constant(2.0) * Matern(ARD), ((1, 2),)),
    "fixed scale": (Constant(2.0, value_bounds="fixed") * RBF(ARD), ((0, 1),)),
    "two parts": (Constant(2.0) * RBF(ARD) + Linear(ARD) + Matern(ARD), ((1, 2), (5, 6))),
    "beside others": (RationalQuadratic(ARD) * Periodic(2.0), ((0, 1),)),
    "some columns": (OnColumns(RBF(ARD), [0, 2]) * OnColumns(Categorical(4.0), 1), ((0, 1),)),
}


@pytest.mark.parametrize("name", CASES)
def test_positions(name):
    kernel, expected = CASES[name]
    assert kernel.length_scale_positions == expected
    names = np.array(kernel.parameter_names)
    for part in expected:
        assert all("length_scale[" in each for each in names[list(part)])
