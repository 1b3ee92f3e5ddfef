"""The gradient of the evidence of sites against central differences."""

import numpy as np
import pytest

from sparsegp.kernels import RBF, Constant, Linear, Matern
from sparsegp.likelihoods import Probit
from sparsegp.model.feature_rows import FeatureRows
from sparsegp.model.features import make_basis
from sparsegp.model.sites.gradient import site_gradient
from sparsegp.model.sites.inference import infer_sites
from sparsegp.model.sites.updates import SCHEMES
from sparsegp.tables.rows import Rows
from tests.in_pairs import in_pairs

KERNELS = {
    "rbf": Constant(2.0) * RBF((1.0, 1.5, 2.0)),
    "matern": Constant(1.5) * Matern(1.4, nu=1.5),
    "sum": Constant(1.0) * RBF(1.2) + Linear(0.5),
}


CASES = in_pairs(KERNELS, SCHEMES, {"plain": False, "weighted": True})


@pytest.mark.parametrize(("kernel", "scheme", "weighted"), CASES.values(), ids=CASES)
def test_by_everything(kernel, scheme, weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(rng.random((60, 2)) < 1.0 / (1.0 + np.exp(-3.0 * X[:, :2])), 1.0, -1.0)
    rows = Rows(X, y, rng.integers(1, 4, 60) * 1.0 if weighted else None)
    q, Z = len(kernel.theta), X[:9] + 0.1

    def solve(at):
        """Return features and fixed point at (theta, log slope, biases, Z)."""
        probits = [Probit(np.exp(at[q]), bias) for bias in at[q + 1 : q + 3]]
        inputs = at[q + 3 :].reshape(Z.shape)
        features = FeatureRows(make_basis(kernel.with_theta(at[:q]), inputs), rows)
        return features, infer_sites(features, probits, scheme, tolerance=1e-12, max_sweeps=500)

    at = np.concatenate((kernel.theta, [0.1, 0.2, -0.1], Z.ravel()))
    found = site_gradient(*solve(at))
    ours = np.concatenate((found.theta, [found.log_slope.sum()], found.bias, found.Z.ravel()))
    checked = [*range(q + 3), q + 3, q + 11, q + 20]  # of Z some coordinates
    for i in checked:
        step = 1e-5 * np.eye(len(at))[i]
        numeric = (solve(at + step)[1].log_evidence - solve(at - step)[1].log_evidence) / 2e-5
        # quadrature of the bound is exact to a few 1e-6
        assert ours[i] == pytest.approx(numeric, rel=2e-5, abs=2e-5)
