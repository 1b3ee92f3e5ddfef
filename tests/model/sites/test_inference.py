"""Sites of all rows against dense formulas."""

import numpy as np
import pytest

from sparsegp.kernels import RBF, Constant
from sparsegp.likelihoods import Probit
from sparsegp.model.feature_rows import FeatureRows
from sparsegp.model.features import make_basis
from sparsegp.model.posterior import means_and_variances
from sparsegp.model.sites.inference import Sites, infer_sites
from sparsegp.model.sites.updates import SCHEMES
from sparsegp.tables.rows import Rows
from tests.oracles.sites import dense_bound, dense_ep, numerical_tilted_moments, tilted_moments

EP, VARIATIONAL = SCHEMES["ep"], SCHEMES["variational"]
TIGHT = {"tolerance": 1e-11, "max_sweeps": 500}


def problem(seed, n=14, m=14, n_columns=1, amplitude=2.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    noisy = X[:, :1] + 0.7 * rng.normal(size=(n, n_columns))
    rows = Rows(X, np.where(noisy > 0.2, 1.0, -1.0))
    kernel = Constant(amplitude) * RBF((1.0, 1.7))
    return rows, make_basis(kernel, X[:m])


def dense_prior(basis, X):
    """Covariance Q of what the basis explains, and the rest d of the prior variance."""
    Phi = basis.features(X)
    return Phi @ Phi.T, np.clip(basis.kernel.diagonal(X) - np.sum(Phi**2, axis=1), 0.0, None)


def test_the_oracle_itself_has_the_moments_of_the_tilted_distribution():
    for case in ((0.3, 2.0, 0.0, 1.0, 1.0, 0.0), (-1.2, 0.4, 0.7, 1.0, 1.6, 0.4)):
        np.testing.assert_allclose(
            tilted_moments(*case), numerical_tilted_moments(*case), rtol=1e-7
        )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("probit", [Probit(), Probit(1.5, -0.4)])
def test_with_every_row_in_the_basis_ep_is_that_of_the_full_kernel_matrix(seed, probit):
    rows, basis = problem(seed)
    found = infer_sites(FeatureRows(basis, rows), [probit], EP, **TIGHT)
    K = basis.kernel(rows.X, rows.X)
    mean, S, value = dense_ep(K, np.zeros(len(rows)), rows.y[:, 0], probit.slope, probit.bias)
    ours_mean, ours_variance = found.posteriors[0].mean_and_variance(rows.X)
    np.testing.assert_allclose(ours_mean[:, 0], mean, atol=1e-5)
    np.testing.assert_allclose(ours_variance, np.diag(S), atol=1e-5)
    assert found.log_evidence == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_with_some_rows_in_the_basis_it_is_ep_with_the_rest_as_noise(seed):
    rows, basis = problem(seed, m=5)
    Q, d = dense_prior(basis, rows.X)
    mean, S, value = dense_ep(Q + 1e-12 * np.eye(len(d)), d, rows.y[:, 0], 1.0, 0.3)
    found = infer_sites(FeatureRows(basis, rows), [Probit(1.0, 0.3)], EP, **TIGHT)
    ours_mean, ours_variance = found.posteriors[0].mean_and_variance(rows.X)
    np.testing.assert_allclose(ours_mean[:, 0], mean, atol=1e-5)
    np.testing.assert_allclose(ours_variance - d, np.diag(S), atol=1e-5)
    assert found.log_evidence == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize("seed", range(2))
def test_the_variational_scheme_finds_the_highest_bound(seed):
    rows, basis = problem(seed, n=7, m=7, amplitude=1.5)
    K = basis.kernel(rows.X, rows.X)
    mean, S, bound = dense_bound(K, np.zeros(7), rows.y[:, 0], 1.2, -0.1)
    found = infer_sites(FeatureRows(basis, rows), [Probit(1.2, -0.1)], VARIATIONAL, **TIGHT)
    ours_mean, ours_variance = found.posteriors[0].mean_and_variance(rows.X)
    assert found.log_evidence == pytest.approx(bound, abs=1e-6)
    np.testing.assert_allclose(ours_mean[:, 0], mean, atol=1e-3)
    np.testing.assert_allclose(ours_variance, np.diag(S), atol=1e-3)


def test_the_bound_lies_below_the_evidence_and_falls_with_the_basis():
    rows, basis = problem(0, n=40, m=40)
    whole = infer_sites(FeatureRows(basis, rows), [Probit()], VARIATIONAL, **TIGHT)
    assert whole.log_evidence < infer_sites(FeatureRows(basis, rows), [Probit()], EP).log_evidence
    part = make_basis(basis.kernel, basis.Z[:8])
    fewer = infer_sites(FeatureRows(part, rows), [Probit()], VARIATIONAL, **TIGHT)
    assert fewer.log_evidence < whole.log_evidence


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
def test_a_row_of_weight_two_is_two_rows(scheme):
    rows, basis = problem(1, n=30, m=8)
    weight = np.arange(30) % 2 + 1.0
    repeat = np.repeat(np.arange(30), weight.astype(int))
    weighted = FeatureRows(basis, Rows(rows.X, rows.y, weight))
    repeated = FeatureRows(basis, rows.take(repeat))
    a, b = (infer_sites(f, [Probit(1.0, 0.1)], scheme, **TIGHT) for f in (weighted, repeated))
    assert a.log_evidence == pytest.approx(b.log_evidence, abs=1e-8)
    np.testing.assert_allclose(a.posteriors[0].beta, b.posteriors[0].beta, atol=1e-8)


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
def test_columns_of_labels_do_not_mix(scheme):
    rows, basis = problem(2, n=30, m=8, n_columns=3)
    probits = [Probit(1.0, b) for b in (0.0, 0.3, -0.2)]
    together = infer_sites(FeatureRows(basis, rows), probits, scheme, **TIGHT)
    alone = [
        infer_sites(FeatureRows(basis, Rows(rows.X, rows.y[:, [c]])), [probits[c]], scheme, **TIGHT)
        for c in range(3)
    ]
    assert together.log_evidence == pytest.approx(sum(a.log_evidence for a in alone), abs=1e-7)
    mean, variance = means_and_variances(together.posteriors, rows.X)
    for c in range(3):
        one_mean, one_variance = alone[c].posteriors[0].mean_and_variance(rows.X)
        np.testing.assert_allclose(mean[:, c], one_mean[:, 0], atol=1e-8)
        np.testing.assert_allclose(variance[:, c], one_variance, atol=1e-8)


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
def test_the_fixed_point_does_not_depend_on_the_start_or_on_what_is_kept(scheme, monkeypatch):
    rows, basis = problem(3, n=60, m=10)
    first = infer_sites(FeatureRows(basis, rows), [Probit()], scheme, **TIGHT)
    cold = Sites.none(*rows.y.shape)
    monkeypatch.setattr("sparsegp.model.feature_rows.KEPT_BYTES", 0)
    second = infer_sites(FeatureRows(basis, rows), [Probit()], scheme, cold, **TIGHT)
    np.testing.assert_allclose(first.posteriors[0].beta, second.posteriors[0].beta, atol=1e-7)


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
@pytest.mark.parametrize("amplitude", [1e-8, 1e2, 1e6])
def test_separable_rows_and_extreme_amplitudes_stay_finite(scheme, amplitude):
    X = np.linspace(-3.0, 3.0, 80)[:, None]
    rows = Rows(X, np.sign(X))
    basis = make_basis(Constant(amplitude) * RBF(1.0), X[::8])
    found = infer_sites(FeatureRows(basis, rows), [Probit()], scheme, max_sweeps=100)
    mean, variance = found.posteriors[0].mean_and_variance(X)
    assert np.isfinite(found.log_evidence)
    assert np.all(np.isfinite(mean))
    assert np.all(variance >= 0.0)
    assert np.all(mean[:, 0] * X[:, 0] >= 0.0)


def test_the_latent_mean_is_near_that_of_laplace():
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.gaussian_process import kernels as sk

    rows, basis = problem(5, n=60, m=60)
    theirs = GaussianProcessClassifier(
        sk.ConstantKernel(2.0) * sk.RBF([1.0, 1.7]), optimizer=None
    ).fit(rows.X, rows.y[:, 0])
    # their logistic function is about Φ at a slope of √(π/8)
    found = infer_sites(FeatureRows(basis, rows), [Probit(np.sqrt(np.pi / 8.0))], EP, **TIGHT)
    mean, variance = found.posteriors[0].mean_and_variance(rows.X)
    ours = Probit(np.sqrt(np.pi / 8.0)).probability(mean[:, 0], variance)
    np.testing.assert_allclose(ours, theirs.predict_proba(rows.X)[:, 1], atol=0.05)
