"""Derivatives of the evidence against central differences: every kernel × approximation."""

import numpy as np
import pytest

from sparsegp.model.approximation import APPROXIMATIONS
from sparsegp.model.evidence import evidence_and_gradient, log_evidence
from sparsegp.model.exact import exact_evidence_and_gradient
from sparsegp.model.features import make_basis
from sparsegp.tables.rows import Rows
from tests.in_pairs import in_pairs
from tests.oracles.dense import central_differences
from tests.oracles.kernel_examples import EXAMPLES

VARIANCE = 0.3
LOG_NOISE = np.log(VARIANCE)
N_ROWS = 11

every_kernel = pytest.mark.parametrize("name", EXAMPLES)
every_rule = pytest.mark.parametrize("rule", APPROXIMATIONS.values(), ids=APPROXIMATIONS)
TABLES = {
    "one output": (1, False),
    "weighted": (1, True),
    "two outputs": (2, False),
    "two outputs, weighted": (2, True),
}
every_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
CASES = in_pairs(EXAMPLES, APPROXIMATIONS, TABLES)


def make_rows(example, n_outputs, weighted):
    rng = np.random.default_rng(5)
    weight = rng.uniform(0.5, 3.0, N_ROWS) if weighted else None
    return Rows(example.inputs(N_ROWS), rng.standard_normal((N_ROWS, n_outputs)), weight)


def make_basis_inputs(example):
    """Inputs that are no rows of the table: where they meet, FITC's residual has a kink."""
    return example.inputs(30, seed=7)[-example.n_basis :]


def assert_close(actual, expected, size):
    """Compare to 1e-6 of the largest derivative, or of what rounding leaves of a difference."""
    scale = max(np.max(np.abs(expected), initial=0.0), 1e-4 * size)
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=1e-6 * scale)


@pytest.mark.parametrize(("example", "rule", "table"), CASES.values(), ids=CASES)
def test_gradient_of_the_evidence(example, rule, table):
    kernel, Z, rows = example.kernel, make_basis_inputs(example), make_rows(example, *table)
    basis = make_basis(kernel, Z)
    assert basis.jitter == 0.0  # else the differences would see it and the gradient not
    gradient = evidence_and_gradient(basis, rows, VARIANCE, rule)
    size = abs(gradient.value)

    def at(theta=kernel.theta, log_noise=LOG_NOISE, Z=Z):
        basis = make_basis(kernel.with_theta(theta), Z)
        return log_evidence(basis, rows, float(np.exp(log_noise)), rule)

    assert gradient.value == pytest.approx(at(), rel=1e-12)
    assert gradient.theta.shape == kernel.theta.shape
    by_theta = central_differences(lambda theta: at(theta=theta), kernel.theta)
    assert_close(gradient.theta, by_theta, size)
    by_noise = central_differences(lambda log_noise: at(log_noise=log_noise), LOG_NOISE)
    assert_close(gradient.log_noise, by_noise, size)
    if kernel.moves_inputs:
        assert_close(gradient.Z, central_differences(lambda Z: at(Z=Z), Z), size)


@every_kernel
@every_table
def test_gradient_of_the_exact_evidence(name, table):
    example = EXAMPLES[name]
    kernel, rows = example.kernel, make_rows(example, *table)
    value, by_theta, by_log_noise = exact_evidence_and_gradient(kernel, rows, VARIANCE)

    def at(theta=kernel.theta, log_noise=LOG_NOISE):
        variance = float(np.exp(log_noise))
        return exact_evidence_and_gradient(kernel.with_theta(theta), rows, variance)[0]

    expected = central_differences(lambda theta: at(theta=theta), kernel.theta)
    assert_close(by_theta, expected, abs(value))
    expected = central_differences(lambda log_noise: at(log_noise=log_noise), LOG_NOISE)
    assert_close(by_log_noise, expected, abs(value))


def everything(gradient):
    parts = (gradient.value, gradient.theta, gradient.log_noise, gradient.Z)
    return np.concatenate([np.ravel(part) for part in parts])


@every_rule
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kept_bytes", [0, 2_000, None], ids=["none kept", "some kept", "all kept"])
@pytest.mark.parametrize("block", [1, 4, 11])
def test_neither_blocks_nor_what_is_kept_between_passes_matters(
    rule, weighted, kept_bytes, block, monkeypatch
):
    example = EXAMPLES["sum"]
    basis, rows = (
        make_basis(example.kernel, make_basis_inputs(example)),
        make_rows(example, 2, weighted),
    )
    in_one_go = everything(evidence_and_gradient(basis, rows, VARIANCE, rule))
    monkeypatch.setattr("sparsegp.model.moments.block_size_for", lambda X, width: block)
    if kept_bytes is not None:
        monkeypatch.setattr("sparsegp.model.evidence.KEPT_BYTES", kept_bytes)
    in_parts = everything(evidence_and_gradient(basis, rows, VARIANCE, rule))
    np.testing.assert_allclose(in_parts, in_one_go, rtol=1e-11, atol=1e-11)
