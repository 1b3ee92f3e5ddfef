"""Small regression problems for property tests."""

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from sparsegp.kernels import RBF, Kernel, Linear, Matern, RationalQuadratic
from sparsegp.model.approximation import APPROXIMATIONS, Approximation
from sparsegp.tables.rows import Rows

KERNELS = (
    1.5 * RBF(0.7),
    0.8 * Matern(1.0, nu=0.5),
    2.0 * Matern(0.8, nu=1.5),
    Matern(1.2, nu=2.5) + 0.3 * Linear() + 0.1,
    RationalQuadratic(0.6, alpha=1.5),
)
EVERY_RULE = tuple(APPROXIMATIONS.values())


@dataclass(frozen=True)
class Problem:
    kernel: Kernel
    rows: Rows
    Z: np.ndarray  # (m, D)
    X_new: np.ndarray  # (5, D)
    variance: float
    rule: Approximation

    def with_rows(self, rows):
        return replace(self, rows=rows)


def make_problem(seed, n, m, D=2, n_outputs=1, weighted=False, kernel=KERNELS[0], **others):
    """Draw a table, targets, integer weights and a basis of m rows of the table."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, D))
    y = np.sin(X[:, :1] + np.arange(n_outputs)) + 0.3 * rng.standard_normal((n, n_outputs))
    weight = rng.integers(1, 4, n).astype(float) if weighted else None
    Z = X[rng.permutation(n)[:m]]
    X_new = rng.uniform(-2.5, 2.5, (5, D))
    settings = {"variance": 0.2, "rule": APPROXIMATIONS["dtc"]} | others
    return Problem(kernel, Rows(X, y, weight), Z, X_new, **settings)


@st.composite
def problems(draw, rules=EVERY_RULE, weighted=None):
    n = draw(st.integers(1, 14), label="rows")
    return make_problem(
        seed=draw(st.integers(0, 2**20), label="seed"),
        n=n,
        m=draw(st.integers(1, min(n, 6)), label="basis"),
        D=draw(st.integers(1, 3), label="columns"),
        n_outputs=draw(st.integers(1, 3), label="outputs"),
        weighted=draw(st.booleans(), label="weighted") if weighted is None else weighted,
        kernel=draw(st.sampled_from(KERNELS), label="kernel"),
        variance=draw(st.sampled_from([0.05, 0.3, 2.0]), label="variance"),
        rule=draw(st.sampled_from(rules), label="rule"),
    )
