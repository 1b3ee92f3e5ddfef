from threading import get_ident

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from sparsegp.arrays import map_shares, n_threads, thread_shares
from sparsegp.kernels import RBF
from sparsegp.model.approximation import APPROXIMATIONS
from sparsegp.model.evidence import evidence_and_gradient
from sparsegp.model.features import make_basis
from sparsegp.model.moments import collect_moments
from sparsegp.model.posterior import solve_posterior
from sparsegp.tables.rows import Rows


@pytest.fixture(params=[1, 2], ids=["one thread", "two threads"])
def threads(request):
    with threadpool_limits(limits=request.param, user_api="blas"):
        if n_threads() != request.param:
            pytest.skip(f"this BLAS cannot be set to {request.param} threads")
        yield request.param


@pytest.mark.parametrize("n_items", [1, 2, 3, 7])
@pytest.mark.parametrize("n_shares", [1, 2, 5])
def test_every_item_is_dealt_once(n_items, n_shares):
    shares = thread_shares(list(range(n_items)), n_shares)
    assert len(shares) == min(n_items, n_shares)
    assert sorted(item for share in shares for item in share) == list(range(n_items))


def test_results_come_in_the_order_of_the_shares():
    assert map_shares(lambda share: share * 10, [3, 1, 2]) == [30, 10, 20]


def test_one_share_stays_in_this_thread():
    assert map_shares(lambda _: get_ident(), ["only"]) == [get_ident()]


def test_each_share_has_one_blas_thread(threads):
    assert map_shares(lambda _: n_threads(), [0, 1]) == [1, 1]
    assert n_threads() == threads


@pytest.mark.parametrize("n_shares", [1, 2])
def test_an_exception_reaches_the_caller_and_the_threads_are_given_back(n_shares, threads):
    def fail(share):
        raise KeyError(f"share {share}")

    with pytest.raises(KeyError, match="share 0"):
        map_shares(fail, list(range(n_shares)))
    assert n_threads() == threads


def fitted_in_small_blocks(rule):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 2)), rng.standard_normal((40, 2))
    basis, rows = make_basis(2.0 * RBF(), X[:6]), Rows(X, y)
    posterior = solve_posterior(basis, collect_moments(basis, rows, 0.1, rule), rule)
    gradient = evidence_and_gradient(basis, rows, 0.1, rule)
    return [*posterior.mean_and_variance(X), *vars(gradient).values()]


@pytest.mark.parametrize("rule", APPROXIMATIONS.values(), ids=APPROXIMATIONS)
def test_two_threads_give_the_model_of_one(rule, monkeypatch):
    for room in ("moments", "posterior"):
        monkeypatch.setattr(f"sparsegp.model.{room}.block_size_for", lambda X, width: 7)
    results = []
    for count in (1, 2):
        with threadpool_limits(limits=count, user_api="blas"):
            if n_threads() != count:
                pytest.skip(f"this BLAS cannot be set to {count} threads")
            results.append(fitted_in_small_blocks(rule))
    for one, two in zip(*results, strict=True):
        np.testing.assert_allclose(two, one, rtol=1e-11, atol=1e-12)
