"""Elimination that knows duplicates by s alone equals the one that follows K as well."""

import numpy as np
import pytest

from sparsegp.kernels import RBF
from sparsegp.selection.elimination import Elimination
from sparsegp.selection.gram import _reach, choices
from sparsegp.selection.policy import DUPLICATE
from sparsegp.selection.schur_gram import schur_gram
from sparsegp.tables.rows import Rows

KERNEL = RBF(0.5)


def system(pool, rows, variance, *, lazy):
    found = schur_gram(KERNEL, rows, pool, pool[:0], variance)
    reach = _reach(KERNEL, rows, variance) if lazy else None
    return Elimination(found.S, found.K, found.r, reach=reach)


def problem(n_pool, n_copies, weighted=False):
    rng = np.random.default_rng(n_pool + n_copies)
    X = rng.uniform(-2.0, 2.0, (600, 2))
    y = np.sin(3.0 * X[:, :1]) + 0.1 * rng.standard_normal((600, 1))
    weight = rng.uniform(0.1, 5.0, 600) if weighted else None
    pool = X[:n_pool].copy()
    pool[n_pool - n_copies :] = pool[:n_copies] + 1e-7 * rng.standard_normal((n_copies, 2))
    return pool, Rows(X, y, weight)


@pytest.mark.parametrize("n_copies", [0, 5, 60])
@pytest.mark.parametrize("variance", [1e-6, 1e-2, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_choices_and_complements(n_copies, variance, weighted):
    """200 candidates are three panels; copies make sure that K has to catch up."""
    pool, rows = problem(200, n_copies, weighted)
    lazy, eager = (system(pool, rows, variance, lazy=lazy) for lazy in (True, False))
    steps = 0
    both = (choices("log_posterior", each, variance) for each in (lazy, eager))
    for (i, gain), (j, other) in zip(*both, strict=False):
        assert i == j
        assert gain == pytest.approx(other, rel=1e-6)
        np.testing.assert_array_equal(lazy.rank, eager.rank)
        np.testing.assert_array_equal(lazy.left.independent(), eager.left.independent())
        assert np.all(lazy.left.k <= eager.left.k + 1e-9)
        steps += 1
    assert steps > 64
    assert lazy._K is not None or n_copies == 0


def test_k_waits_while_s_tells():
    pool, rows = problem(100, 0)
    lazy = system(pool, rows, 1.0, lazy=True)
    for step, _ in enumerate(choices("log_posterior", lazy, 1.0)):
        if step == 70:
            break
    assert lazy._K is None
    assert np.count_nonzero(lazy.left.independent()) == len(lazy.rank) - lazy._S.width


def test_bound_on_k_holds():
    """k ≥ s/reach, densely."""
    pool, rows = problem(40, 0, weighted=True)
    K_xc, K = KERNEL(rows.X, pool), KERNEL(pool, pool)
    S = K_xc.T @ (rows.weight[:, None] * K_xc) + 0.1 * K
    reach = _reach(KERNEL, rows, 0.1)
    for m in (1, 10, 30):
        s = S[m:, m:] - S[m:, :m] @ np.linalg.solve(S[:m, :m], S[:m, m:])
        k = K[m:, m:] - K[m:, :m] @ np.linalg.solve(K[:m, :m], K[:m, m:])
        assert np.all(np.diag(s) / reach <= np.diag(k) + DUPLICATE)
