"""Laws that hold for any table: hypothesis looks for one that breaks them."""

from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from sparsegp.model.approximation import VFE
from sparsegp.model.evidence import evidence_and_gradient, log_evidence
from sparsegp.model.exact import exact_evidence_and_gradient
from sparsegp.model.features import make_basis
from sparsegp.model.moments import collect_moments
from sparsegp.model.posterior import solve_posterior
from sparsegp.tables.rows import Rows
from tests.oracles import dense
from tests.oracles.problems import problems

SAME = {"rtol": 1e-10, "atol": 1e-10}


@contextmanager
def blocks_of(size):
    with pytest.MonkeyPatch.context() as patch:
        for room in ("moments", "posterior"):
            patch.setattr(f"sparsegp.model.{room}.block_size_for", lambda X, width: size)
        yield


def model_of(p):
    """Return all that a model says: predictions, evidence and its gradient."""
    basis = make_basis(p.kernel, p.Z)
    posterior = solve_posterior(basis, collect_moments(basis, p.rows, p.variance, p.rule), p.rule)
    gradient = evidence_and_gradient(basis, p.rows, p.variance, p.rule)
    return [
        posterior.mean(p.X_new),
        *posterior.mean_and_variance(p.X_new),
        posterior.mean_and_covariance(p.X_new)[1],
        log_evidence(basis, p.rows, p.variance, p.rule),
        *vars(gradient).values(),
    ]


def assert_same(first, second):
    for a, b in zip(first, second, strict=True):
        scale = max(1.0, float(np.max(np.abs(b), initial=0.0)))
        assert_allclose(np.asarray(a) / scale, np.asarray(b) / scale, **SAME)


@given(problems(), st.integers(1, 15))
def test_any_split_into_blocks_gives_the_same_model(p, size):
    whole = model_of(p)
    with blocks_of(size):
        assert_same(model_of(p), whole)


@given(problems(), st.randoms(use_true_random=False))
def test_any_order_of_rows_gives_the_same_model(p, random):
    order = list(range(len(p.rows)))
    random.shuffle(order)
    assert_same(model_of(p.with_rows(p.rows.take(np.array(order)))), model_of(p))


@given(problems(weighted=True))
def test_integer_weights_equal_repeated_rows(p):
    written_out = p.with_rows(Rows(*dense.repeated(p.rows.X, p.rows.y, p.rows.weight)))
    assert_same(model_of(p), model_of(written_out))


@given(problems(weighted=True))
def test_integer_weights_equal_repeated_rows_without_a_basis(p):
    written_out = Rows(*dense.repeated(p.rows.X, p.rows.y, p.rows.weight))
    assert_same(
        exact_evidence_and_gradient(p.kernel, p.rows, p.variance),
        exact_evidence_and_gradient(p.kernel, written_out, p.variance),
    )


@given(problems(weighted=False))
def test_weights_of_one_are_no_weights(p):
    weighted = Rows(p.rows.X, p.rows.y, np.ones(len(p.rows)))
    assert_same(model_of(p.with_rows(weighted)), model_of(p))


@given(problems(rules=(VFE,)))
def test_vfe_never_exceeds_the_exact_evidence(p):
    exact, _, _ = exact_evidence_and_gradient(p.kernel, p.rows, p.variance)
    bound = log_evidence(make_basis(p.kernel, p.Z), p.rows, p.variance, VFE)
    assert bound <= exact + 1e-9 * max(1.0, abs(exact))


@given(problems())
def test_with_every_row_in_the_basis_the_model_is_exact(p):
    basis = make_basis(p.kernel, p.rows.X)
    exact, _, _ = exact_evidence_and_gradient(p.kernel, p.rows, p.variance)
    value = log_evidence(basis, p.rows, p.variance, p.rule)
    assert_allclose(value, exact, rtol=1e-8, atol=1e-8)
    posterior = solve_posterior(basis, collect_moments(basis, p.rows, p.variance, p.rule), p.rule)
    X, y = dense.repeated(p.rows.X, p.rows.y, p.rows.weight)
    mean, covariance = dense.exact_posterior(p.kernel, X, y, p.variance, p.X_new)
    assert_allclose(posterior.mean(p.X_new), mean, rtol=1e-6, atol=1e-7)
    if p.rule.in_prediction:
        _, variance = posterior.mean_and_variance(p.X_new)
        assert_allclose(variance, np.diagonal(covariance), rtol=1e-6, atol=1e-7)


@given(problems(rules=(VFE,)))
def test_vfe_grows_with_nested_bases(p):
    assume(len(p.rows) > 1)
    values = [
        log_evidence(make_basis(p.kernel, p.rows.X[:m]), p.rows, p.variance, VFE)
        for m in range(1, len(p.rows) + 1)
    ]
    assert np.diff(values).min() >= -1e-9 * max(1.0, np.abs(values).max())
