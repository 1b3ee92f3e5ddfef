"""Transforms on a device: the bits of NumPy, since searches magnify the last one."""

import numpy as np
import pytest

from sparsegp.arrays import is_of_other_library, to_numpy
from sparsegp.tables.transforms.columns import fit_columns
from sparsegp.tables.transforms.curves import CURVES
from sparsegp.tables.transforms.scaling import fit_scaling
from sparsegp.tables.transforms.warps import fit_warps
from tests.array_libraries import on_device


def columns(n=257):
    X = np.random.default_rng(0).normal(size=(n, 3))
    X[:, 1] = np.exp(3.0 * X[:, 1])
    X[:, 2] = 1e9 + np.round(X[:, 2], 1)
    return X


@pytest.mark.parametrize("kind", ["standard", "common", "none"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_scaling_has_the_same_bits(kind, weighted):
    X = columns()
    weight = np.linspace(0.1, 3.0, len(X)) if weighted else None
    here = fit_scaling(X, weight, kind)
    there = fit_scaling(on_device(X), on_device(weight) if weighted else None, kind).to_host()
    np.testing.assert_array_equal(there.offset, here.offset)
    np.testing.assert_array_equal(there.scale, here.scale)
    for work in ("apply", "invert", "log_slope"):
        found = getattr(here, work)(on_device(X))  # the transform is NumPy's, the rows are not
        assert is_of_other_library(found)
        np.testing.assert_array_equal(to_numpy(found), getattr(here, work)(X))


def test_maps_of_columns_have_the_same_bits():
    X = columns()
    transform = fit_columns(X, None, ["quantile", "log", "standard"])
    outside = np.vstack((X, 2.0 * X.max(axis=0) - X.min(axis=0), 2.0 * X.min(axis=0), X[:3] + 1e-7))
    found = transform.apply(on_device(outside))
    np.testing.assert_array_equal(to_numpy(found), transform.apply(outside))
    back = transform.invert(found)
    np.testing.assert_array_equal(to_numpy(back), transform.invert(transform.apply(outside)))


@pytest.mark.parametrize("name", ["log", "yeo-johnson", "sinh-arcsinh"])
def test_warped_targets_have_the_same_bits(name):
    y = np.exp(columns()[:, :1])
    warps = fit_warps(y, None, [CURVES[name]])
    z = warps.apply(on_device(y))
    assert is_of_other_library(z)
    np.testing.assert_array_equal(to_numpy(z), warps.apply(y))
    np.testing.assert_array_equal(to_numpy(warps.invert(z)), warps.invert(warps.apply(y)))
