"""The likeliest noise from moments equals that of a dense search."""

import numpy as np
import pytest

from sparsegp.data.rows import Rows
from sparsegp.kernels import RBF
from sparsegp.learning.noise import likeliest_noise
from sparsegp.learning.parameters import Parameters
from sparsegp.model.approximation import APPROXIMATIONS
from sparsegp.model.evidence import log_evidence
from sparsegp.model.features import make_basis
from sparsegp.model.moments import collect_moments

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 2))
ROWS = Rows(X, np.sin(X[:, :1]) + 0.3 * RNG.normal(size=(80, 1)))


@pytest.mark.parametrize("first", [10.0, 0.1, 1e-6])  # far above, near, far below
@pytest.mark.parametrize("name", ["sor", "dtc", "vfe"])
def test_no_noise_on_a_grid_is_likelier(name, first):
    rule = APPROXIMATIONS[name]
    basis = make_basis(RBF(1.0), X[:15])
    start = Parameters(RBF(1.0), first)
    found = likeliest_noise(collect_moments(basis, ROWS, first, rule), start, rule)
    best = log_evidence(basis, ROWS, found.noise_variance, rule)
    grid = [log_evidence(basis, ROWS, v, rule) for v in np.geomspace(1e-4, 10, 200)]
    assert best >= max(grid) - 0.01


def test_fixed_noise_and_fitc_stay_as_they_are():
    for rule, bounds in ((APPROXIMATIONS["dtc"], "fixed"), (APPROXIMATIONS["fitc"], (1e-6, 1e2))):
        basis = make_basis(RBF(1.0), X[:15])
        start = Parameters(RBF(1.0), 0.5, bounds)
        moments = collect_moments(basis, ROWS, 0.5, rule)
        assert likeliest_noise(moments, start, rule) == start
