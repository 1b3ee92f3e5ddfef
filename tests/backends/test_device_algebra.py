"""What devices do in their own way gives what NumPy gives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sparsegp.arrays import Triangle, add_gram, mirror_lower, moved, on_host, take, to_numpy
from sparsegp.kernels import RBF
from sparsegp.selection.criteria import GAINS, MEASURES, NEEDS_K
from sparsegp.selection.elimination import Elimination
from sparsegp.selection.elimination_array_api import ArrayApiElimination
from sparsegp.selection.gram import choices
from sparsegp.selection.independent_rows import independent_rows
from sparsegp.selection.policy import PANEL
from sparsegp.selection.random_selection import select_random
from tests.array_libraries import HOST_LIBRARIES, on_device

every_library = pytest.mark.parametrize("hand_in", [on_device, *HOST_LIBRARIES])


def leaves_of(solve):
    """Return the parts of a blocked solve that have no halves."""
    for half in solve.halves:
        yield from leaves_of(half)
    if not solve.halves:
        yield solve


@every_library
@pytest.mark.parametrize("condition", [1.0, 1e9], ids=["well", "badly conditioned"])
@pytest.mark.parametrize("largest", [4, 12, 23])
def test_division_by_halves(hand_in, condition, largest, monkeypatch):
    monkeypatch.setattr("sparsegp.arrays.blocked_solve.DEVICE_BLOCK", 4)
    monkeypatch.setattr("sparsegp.arrays.blocked_solve.LARGEST_DEVICE_INVERSE", largest)
    rng = np.random.default_rng(0)
    L = np.tril(rng.standard_normal((23, 23)), k=-1) / 5.0 + np.eye(23)
    L[:, 7:9] /= condition
    K = rng.standard_normal((11, 23))
    triangle = Triangle.of(hand_in(L))
    assert triangle.blocked is not None
    leaves = list(leaves_of(triangle.blocked))
    assert any(leaf.inverse is None for leaf in leaves) == (condition > 1.0)
    assert len(leaves) > 1 or largest == 23
    expected = Triangle.of(L).divide(K)
    given = hand_in(K)
    scale = np.max(np.abs(expected))
    assert_allclose(to_numpy(triangle.divide(given)), expected, rtol=1e-9, atol=1e-12 * scale)
    assert_array_equal(to_numpy(given), K)


@every_library
@pytest.mark.parametrize("m", [4, 19, 24, 32])
@pytest.mark.parametrize("part", [slice(None), slice(2, None)], ids=["whole", "some columns"])
def test_gram_by_halves(hand_in, m, part, monkeypatch):
    """24 and 32 columns are halved into equal blocks, 19 are not."""
    monkeypatch.setattr("sparsegp.arrays.linalg.GRAM_BLOCK", 4)
    A = np.random.default_rng(0).standard_normal((9, m + (part.start or 0)))
    whole = hand_in(np.eye(A.shape[1]))
    total = add_gram(whole[part, part], hand_in(A)[:, part], 0.5)
    expected = np.eye(m) + 0.5 * A[:, part].T @ A[:, part]
    assert_allclose(to_numpy(mirror_lower(total)), expected, atol=1e-13)


def test_moving_and_taking():
    there = on_device([[1.0, 2.0], [3.0, 4.0]])
    assert not on_host(there)
    assert_array_equal(to_numpy(take(there, np.array([1]))), [[3.0, 4.0]])
    assert_array_equal(moved(there, like=np.zeros(1)), to_numpy(there))
    assert moved([5.0], like=there).device == there.device


def pool(n=90, c=PANEL + 40, duplicates=5):
    """Return S, K and b of candidates, some of which occur twice."""
    rng = np.random.default_rng(1)
    X, y = rng.uniform(-2.0, 2.0, (n, 3)), rng.standard_normal((n, 2))
    Z = rng.uniform(-2.0, 2.0, (c, 3))
    Z[-duplicates:] = Z[:duplicates]
    kernel = RBF(0.6)
    K_xz, K = kernel(X, Z), kernel(Z, Z)
    return K_xz.T @ K_xz + 0.01 * K, K, K_xz.T @ y, float(n) + 0.01


@every_library
@pytest.mark.parametrize("criterion", GAINS)
@pytest.mark.parametrize("steps", [7, 1000])
def test_the_same_choices(hand_in, criterion, steps, monkeypatch):
    monkeypatch.setattr("sparsegp.selection.elimination_array_api.DEVICE_PANEL", steps)
    S, K, b, reach = pool()
    bound = None if criterion in NEEDS_K else reach
    ours = ArrayApiElimination(*map(hand_in, (S, K, b)), None, None, bound)
    theirs = Elimination(S.copy(), K.copy(), b, None, None, bound)
    mine, expected = (list(choices(criterion, system, 0.01)) for system in (ours, theirs))
    assert len(mine) == len(expected) == len(S) - 5 > PANEL
    copies = len(S) - 5  # candidates from here on are equal to the first ones, to rounding
    assert [j % copies for j, _ in mine] == [j % copies for j, _ in expected]
    assert_allclose(
        [gain for _, gain in mine], [gain for _, gain in expected], rtol=1e-6, atol=1e-9
    )
    assert criterion in MEASURES


@every_library
@pytest.mark.parametrize("criterion", ["log_posterior", "marginal_likelihood"])
@pytest.mark.parametrize("n_steps", [0, 3, 12, 30, 99])
def test_complements_between_the_steps_of_a_sweep(hand_in, criterion, n_steps, monkeypatch):
    """The host may stop anywhere: what is left is as if no later step had been taken."""
    monkeypatch.setattr("sparsegp.selection.elimination_array_api.DEVICE_PANEL", 12)
    S, K, b, reach = pool()
    bound = None if criterion in NEEDS_K else reach
    ours = ArrayApiElimination(*map(hand_in, (S, K, b)), None, None, bound)
    gone = np.zeros(n_steps, dtype=int)
    for step in range(n_steps):
        gone[step] = ours.best(GAINS[criterion], MEASURES[criterion], 0.01).place
        ours.eliminate(int(gone[step]))
    rest = np.setdiff1d(np.arange(len(S)), gone)
    T = np.linalg.solve(S[np.ix_(gone, gone)], S[np.ix_(gone, rest)]).T
    s, r = (S[np.ix_(rest, rest)] - T @ S[np.ix_(gone, rest)]).diagonal(), b[rest] - T @ b[gone]
    assert_allclose(to_numpy(ours.left.s)[rest], s, atol=1e-7)
    assert_allclose(to_numpy(ours.left.r)[rest], r, atol=1e-6)
    assert np.all(to_numpy(ours.left.s)[gone] <= 0.0)


@every_library
def test_a_sweep_ends_when_too_many_are_exhausted(hand_in):
    S, K, b, _ = pool()
    both = [ArrayApiElimination(*map(hand_in, (S, K, b))), Elimination(S.copy(), K.copy(), b)]
    for system in both:
        system.left.s_floor[20:60] = 0.9 * system.left.s[20:60]
    for share in (0.1, 0.5, 1.0):  # each goes on where the last one stopped
        mine, expected = (list(choices("log_posterior", system, 0.01, share)) for system in both)
        assert [j for j, _ in mine] == [j for j, _ in expected]
        assert [d for _, d in mine] == pytest.approx([d for _, d in expected], rel=1e-7)


@every_library
def test_independent_rows(hand_in):
    A = np.random.default_rng(0).standard_normal((100, 80))
    assert_array_equal(independent_rows(hand_in(A.T @ A), 1e-10), np.arange(80))
    rows = independent_rows(hand_in(A @ A.T), 1e-10)
    assert len(rows) == 80
    assert np.linalg.matrix_rank(A[rows]) == 80


@every_library
def test_random_rows_without_copies(hand_in):
    X = np.random.default_rng(0).uniform(-2.0, 2.0, (30, 2))
    X = np.concatenate((X, X))
    chosen = select_random(RBF(0.3), hand_in(X), 40, np.random.default_rng(0))
    assert len(chosen) == 30
    assert len(np.unique(chosen % 30)) == 30
