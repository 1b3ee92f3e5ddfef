"""Derivatives of the leave-one-out measures against central differences."""

import numpy as np
import pytest

from sparsegp.kernels import RBF, Constant, Matern
from sparsegp.model.approximation import APPROXIMATIONS, DTC
from sparsegp.model.features import make_basis
from sparsegp.model.leave_one_out.gradient import loo_and_gradient
from sparsegp.model.leave_one_out.measures import LOO_MEASURES, loo_measure
from sparsegp.model.leave_one_out.predictions import leave_one_out
from sparsegp.model.moments import collect_moments
from sparsegp.model.posterior import solve_posterior
from sparsegp.tables.rows import Rows
from tests.in_pairs import in_pairs
from tests.oracles.dense import central_differences

KERNELS = {
    "RBF": RBF(1.3),
    "constant times RBF with ARD, plus constant": Constant(2.0) * RBF((0.8, 1.5, 2.5)) + 0.3,
    "Matern": 1.5 * Matern(1.3, nu=1.5),
}
VARIANCE = 0.3
LOG_NOISE = np.log(VARIANCE)

every_measure = pytest.mark.parametrize("measure", LOO_MEASURES)
CASES = in_pairs(KERNELS, APPROXIMATIONS, {"plain": False, "weighted": True})
every_rule = pytest.mark.parametrize("rule", APPROXIMATIONS.values(), ids=APPROXIMATIONS)


def problem(weighted, seed=5):
    """Return rows and basis inputs that are none of them; some weights are below one."""
    rng = np.random.default_rng(seed)
    weight = rng.uniform(0.3, 3.0, 15) if weighted else None
    rows = Rows(rng.standard_normal((15, 3)), rng.standard_normal((15, 2)), weight)
    return rows, rng.standard_normal((4, 3))


def value(measure, kernel, Z, rows, variance, rule):
    basis = make_basis(kernel, Z)
    posterior = solve_posterior(basis, collect_moments(basis, rows, variance, rule), rule)
    return loo_measure(measure, leave_one_out(posterior, rows, variance), variance)


@every_measure
@pytest.mark.parametrize(("kernel", "rule", "weighted"), CASES.values(), ids=CASES)
def test_gradient(measure, kernel, rule, weighted):
    rows, Z = problem(weighted)
    found = loo_and_gradient(measure, make_basis(kernel, Z), rows, VARIANCE, rule)

    def at(theta=kernel.theta, log_noise=LOG_NOISE, Z=Z):
        variance = float(np.exp(log_noise))
        return value(measure, kernel.with_theta(theta), Z, rows, variance, rule)

    assert found.value == pytest.approx(at(), rel=1e-10)
    for actual, function, where in (
        (found.theta, lambda theta: at(theta=theta), kernel.theta),
        (found.log_noise, lambda log_noise: at(log_noise=log_noise), LOG_NOISE),
        (found.Z, lambda Z: at(Z=Z), Z),
    ):
        expected = central_differences(function, where)
        scale = max(np.max(np.abs(expected)), 1e-3)
        np.testing.assert_allclose(actual, expected, rtol=0.0, atol=1e-7 * scale)


@every_measure
def test_gradient_with_rows_in_the_basis(measure):
    kernel = KERNELS["Matern"]
    rows, _ = problem(weighted=False)
    Z = rows.X[:6]
    found = loo_and_gradient(measure, make_basis(kernel, Z), rows, VARIANCE, DTC)
    expected = central_differences(
        lambda theta: value(measure, kernel.with_theta(theta), Z, rows, VARIANCE, DTC),
        kernel.theta,
    )
    np.testing.assert_allclose(found.theta, expected, rtol=1e-6, atol=1e-9)


def everything(gradient):
    parts = (gradient.value, gradient.theta, gradient.log_noise, gradient.Z)
    return np.concatenate([np.ravel(part) for part in parts])


@every_rule
@pytest.mark.parametrize("block", [1, 4])
@pytest.mark.parametrize("kept_bytes", [0, None], ids=["none kept", "all kept"])
def test_neither_blocks_nor_what_is_kept_matters(rule, block, kept_bytes, monkeypatch):
    rows, Z = problem(weighted=True)
    basis = make_basis(KERNELS["Matern"], Z)
    in_one_go = everything(loo_and_gradient("loo_density", basis, rows, VARIANCE, rule))
    monkeypatch.setattr("sparsegp.model.moments.block_size_for", lambda X, width: block)
    if kept_bytes is not None:
        monkeypatch.setattr("sparsegp.model.leave_one_out.gradient.KEPT_BYTES", kept_bytes)
    in_parts = everything(loo_and_gradient("loo_density", basis, rows, VARIANCE, rule))
    np.testing.assert_allclose(in_parts, in_one_go, rtol=1e-11, atol=1e-12)
