import numpy as np
import pytest

from sparsegp.arrays import safe_cholesky
from sparsegp.kernels import RBF, Linear
from sparsegp.model import features
from sparsegp.model.features import make_basis, residual_variances


def test_the_prior_of_the_weights_is_white():
    Z = np.random.default_rng(0).standard_normal((6, 2))
    Phi = make_basis(2.0 * RBF(), Z).features(Z)
    np.testing.assert_allclose(Phi @ Phi.T, (2.0 * RBF())(Z, Z), rtol=1e-10)


def test_nothing_is_left_at_the_basis_itself():
    Z = np.random.default_rng(0).standard_normal((6, 2))
    residual = residual_variances(RBF(), Z, make_basis(RBF(), Z).features(Z))
    np.testing.assert_allclose(residual, 0.0, atol=1e-12)


@pytest.mark.parametrize("kernel", [RBF(), Linear(), 3.0 * RBF()], ids=str)
def test_a_basis_with_equal_rows_is_saved_by_a_recorded_jitter(kernel):
    Z = np.ones((5, 2))
    basis = make_basis(kernel, Z)
    assert 0.0 < basis.jitter < 1e-8 * kernel.diagonal(Z)[0]
    assert np.isfinite(basis.features(Z)).all()


def test_a_basis_that_the_kernel_maps_to_zero_has_features_of_zero():
    basis = make_basis(Linear(), np.zeros((3, 2)))
    np.testing.assert_array_equal(basis.features(np.ones((4, 2))), 0.0)


@pytest.mark.parametrize("copies", [False, True])
def test_equal_basis_vectors_are_seen_before_a_factorisation_is_tried(copies, monkeypatch):
    Z = np.random.default_rng(0).normal(size=(6, 2))
    Z[5] = Z[4] if copies else Z[5]
    usual = make_basis(RBF(1.0), Z)
    monkeypatch.setattr(features, "ROWS_TO_LOOK_FOR_COPIES", 5)
    known = []
    monkeypatch.setattr(
        features,
        "safe_cholesky",
        lambda A, singular: known.append(singular) or safe_cholesky(A, singular=singular),
    )
    np.testing.assert_array_equal(make_basis(RBF(1.0), Z).L, usual.L)
    assert known == [copies]
    assert (usual.jitter > 0.0) == copies
