"""The decorrelated model of all rows (Vecchia), the reference of predictions with neighbours.

Row i is conditioned on its neighbours among earlier rows, N. With R = K − ΦΦᵀ and S = R + σ²I,

    a = S_NN⁻¹ R_Ni,   d = S_ii − aᵀR_Ni,   φ̃ = φ_i − Φ_Nᵀa,   ỹ = y_i − aᵀy_N,

and rows (φ̃, ỹ) with noise d are independent given the weights.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.model.exact import exact_log_evidence
from sparsegp.model.features import make_basis
from tests.model.neighbours.test_conditionals import KERNELS, table
from tests.model.neighbours.test_prediction import VARIANCE, fitted, new_inputs


def decorrelated(kernel, rows, m, k):
    """Return φ̃ (n, m), ỹ (n,), d (n,) with up to k of the earlier rows as neighbours."""
    basis = make_basis(kernel, rows.X[:m])
    Phi = basis.features(rows.X)
    K = kernel(rows.X, rows.X)
    R = K - Phi @ Phi.T
    S = R + VARIANCE * np.eye(len(rows))
    features, targets, noise = [], [], []
    for i in range(len(rows)):
        N = np.argsort(-K[i, :i], kind="stable")[:k]
        a = np.linalg.solve(S[np.ix_(N, N)], R[N, i])
        features.append(Phi[i] - a @ Phi[N])
        targets.append(rows.y[i, 0] - a @ rows.y[N, 0])
        noise.append(S[i, i] - a @ R[N, i])
    return np.array(features), np.array(targets), np.array(noise)


def log_evidence(features, targets, noise):
    C = features @ features.T + np.diag(noise)
    value = targets @ np.linalg.solve(C, targets) + np.linalg.slogdet(2.0 * np.pi * C)[1]
    return -0.5 * value


@given(seed=st.integers(0, 100), m=st.integers(1, 6), kernel=st.sampled_from(KERNELS))
def test_all_earlier_rows_as_neighbours_give_the_exact_evidence(seed, m, kernel):
    rows = table(seed, n=20)
    found = log_evidence(*decorrelated(kernel, rows, m, len(rows)))
    assert found == pytest.approx(exact_log_evidence(kernel, rows, VARIANCE), abs=1e-7)


def test_a_posterior_of_decorrelated_rows_predicts_much_like_that_of_fitc():
    """The reason to condition rows by FITC, which needs no neighbours of all rows."""
    kernel, rows, m, k = KERNELS[0], table(3, n=40), 5, 10
    model, X = fitted(kernel, rows, m, k), new_inputs(20)
    features, targets, noise = decorrelated(kernel, rows, m, k)
    B = np.eye(m) + features.T @ (features / noise[:, None])
    beta = np.linalg.solve(B, features.T @ (targets / noise))
    simple = model.mean_and_variance(X)[0][:, 0]
    parts = model.corrections(X, model.search.nearest(X, k))
    rest = np.concatenate([part.rest for part in parts])
    difference = rest @ (beta - model.posterior.beta[:, 0])
    assert np.sqrt(np.mean(difference**2)) < 0.1 * np.std(simple)
