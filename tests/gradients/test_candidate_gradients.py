"""The evidence of a candidate against dense formulas, its gradient against central differences."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from sparsegp.kernels import RBF, Constant, Linear, Matern
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.shared_length_scales import log_prior
from sparsegp.learning.structure.candidates import (
    Candidate,
    Sample,
    candidate_objective,
)
from sparsegp.learning.structure.policy import COST_OF_WARPED_COLUMN
from sparsegp.learning.structure.target_warps import likeliest_alone
from sparsegp.model import exact
from sparsegp.model.exact import exact_evidence, exact_log_evidence
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.curves import CURVES, SinhArcsinh, YeoJohnson
from sparsegp.tables.transforms.scaling import fit_scaling

KERNELS = (
    Constant(1.3) * RBF((0.8, 1.5)),
    Constant(0.7) * Matern((1.0, 0.6), nu=1.5),
    Matern((1.0, 2.0), nu=2.5) + Constant(0.5) * Linear((1.0, 2.0)),
)
SHAPED = (
    YeoJohnson(centre=0.2, scale=0.7, power=0.4),
    SinhArcsinh(centre=-0.3, scale=0.8, tail=0.7, skew=0.5),
)


def sample(n_outputs=1, weighted=False, n=30):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, 2))
    y = np.exp(np.sin(X[:, :1] + np.arange(n_outputs)) + 0.3 * rng.standard_normal((n, n_outputs)))
    weight = rng.integers(1, 4, n).astype(float) if weighted else None
    return Sample(X, np.sinh(X), y, fit_scaling(y, weight, "standard"), weight)


def differences(function, at, step=1e-5):
    steps = step * np.eye(len(at))
    return np.array([(function(at + s) - function(at - s)) / (2 * step) for s in steps])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("curve", [*SHAPED, *CURVES.values()], ids=lambda c: type(c).__name__)
@pytest.mark.parametrize("kernel", KERNELS, ids=["rbf", "matern", "sum"])
def test_gradient_by_everything(kernel, curve, n_outputs, weighted):
    objective = candidate_objective(sample(n_outputs, weighted))
    candidate = Candidate(Parameters(kernel, 0.2), (curve,) * n_outputs, (0, 1), (0.3, 0.8))
    _, gradient = objective(candidate)
    expected = differences(lambda v: objective(candidate.with_vector(v))[0], candidate.vector)
    np.testing.assert_allclose(gradient, expected, rtol=1e-4, atol=1e-4)


def test_column_warps_that_are_held_are_not_optimised():
    objective = candidate_objective(sample())
    held = Candidate(Parameters(KERNELS[0], 0.2), SHAPED[:1], (0, 1), (0.3, 0.8), held=True)
    assert len(held.vector) == len(held.bounds) == 4 + 3
    assert held.with_vector(held.vector + 0.01).column_warps == held.column_warps
    value, gradient = objective(held)
    free_value, free_gradient = objective(replace(held, held=False))
    assert value == pytest.approx(free_value, rel=1e-12)
    np.testing.assert_allclose(gradient, np.delete(free_gradient, [4, 5]), rtol=1e-9)


def test_the_vector_goes_there_and_back():
    candidate = Candidate(Parameters(KERNELS[0], 0.2), SHAPED[:1], (1,), (0.3,))
    assert len(candidate.vector) == len(candidate.bounds) == 4 + 1 + 3
    moved = candidate.with_vector(candidate.vector + 0.01)
    np.testing.assert_allclose(moved.vector, candidate.vector + 0.01)
    alone = Candidate(Parameters(KERNELS[0], 0.2), SHAPED[:1], fixed=True)
    assert len(alone.vector) == 3
    assert alone.with_vector(alone.vector + 0.01).parameters is alone.parameters


def test_evidence_is_the_density_of_the_targets():
    """A curve changes the units of the density: with its slopes it is that of y again."""
    data = sample()
    curve, kernel, noise = SHAPED[1], KERNELS[0], 0.2
    value, _ = candidate_objective(data)(Candidate(Parameters(kernel, noise), (curve,)))
    g = curve.value(data.standard.apply(data.y)[:, 0])
    z = (g - g.mean()) / g.std()
    K = kernel(data.unwarped, data.unwarped) + noise * np.eye(len(z))
    slopes = curve.log_slope(data.standard.apply(data.y)[:, 0]) - np.log(g.std())
    expected = multivariate_normal(np.zeros(len(z)), K).logpdf(z) + slopes.sum()
    expected += log_prior(kernel)[0]  # rows are few
    assert value == pytest.approx(expected, rel=1e-9)


def test_a_warped_column_costs():
    data = sample()
    objective = candidate_objective(data)
    warped = Candidate(Parameters(KERNELS[0], 0.2), (CURVES["standard"],), (0,), (1.0,))
    columns = data.unwarped.copy()
    columns[:, 0] = data.warped[:, 0]
    plain = candidate_objective(Sample(columns, columns, data.y, data.standard))
    without = Candidate(Parameters(KERNELS[0], 0.2), (CURVES["standard"],))
    assert objective(warped)[0] == pytest.approx(
        plain(without)[0] - COST_OF_WARPED_COLUMN, rel=1e-9
    )


@pytest.mark.parametrize("kernel", KERNELS, ids=["rbf", "matern", "sum"])
def test_exact_evidence_by_inputs_and_targets(kernel):
    data = sample(2, weighted=True, n=12)
    rows = Rows(data.unwarped, data.standard.apply(data.y), data.weight)
    found = exact_evidence(kernel, rows, 0.3, by_inputs=True)
    plain = exact_evidence(kernel, rows, 0.3)
    assert plain.value == found.value and plain.X is None
    np.testing.assert_allclose(plain.theta, found.theta, rtol=1e-9)

    def by_inputs(x):
        return exact_evidence(kernel, Rows(x.reshape(12, 2), rows.y, rows.weight), 0.3).value

    def by_targets(y):
        return exact_evidence(kernel, Rows(rows.X, y.reshape(12, 2), rows.weight), 0.3).value

    expected = differences(by_inputs, rows.X.ravel())
    np.testing.assert_allclose(found.X.ravel(), expected, rtol=1e-5, atol=1e-6)
    expected = differences(by_targets, rows.y.ravel())
    np.testing.assert_allclose(found.y.ravel(), expected, rtol=1e-5, atol=1e-6)


def test_the_likeliest_curve_alone_makes_a_lognormal_target_normal():
    t = np.exp(np.random.default_rng(0).standard_normal(2_000))
    t = (t - t.mean()) / t.std()
    for start in (YeoJohnson(), SinhArcsinh()):
        g = likeliest_alone(start, t, np.ones(len(t))).value(t)
        z = (g - g.mean()) / g.std()
        assert abs(np.mean(z**3)) < 0.1 and abs(np.mean(z**4) - 3.0) < 0.6


@pytest.mark.parametrize("by_inputs", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("kernel", KERNELS, ids=["rbf", "matern", "sum"])
def test_blocks_of_the_exact_evidence(kernel, n_outputs, weighted, by_inputs, monkeypatch):
    data = sample(n_outputs, weighted)
    rows = Rows(data.unwarped, data.y, data.weight)
    whole = exact_evidence(kernel, rows, 0.3, by_inputs=by_inputs)
    for height in (1, 7, 16):
        monkeypatch.setattr(exact, "ROWS_OF_BLOCK", height)
        monkeypatch.setattr(exact, "ROWS_FOR_THREADS", 1)
        cut = exact_evidence(kernel, rows, 0.3, by_inputs=by_inputs)
        for name, value in vars(whole).items():
            if value is not None:
                np.testing.assert_allclose(getattr(cut, name), value, rtol=1e-9, atol=1e-9)
        assert exact_log_evidence(kernel, rows, 0.3) == pytest.approx(whole.value, rel=1e-12)


def test_the_exact_evidence_of_copies_without_noise_has_jitter():
    """A matrix that has no factor is made again, since the first try has overwritten it."""
    X = np.repeat(np.random.default_rng(0).standard_normal((20, 2)), 3, axis=0)
    rows = Rows(X, np.sin(X[:, :1]))
    found = exact_evidence(RBF((1.0, 1.0)), rows, 1e-17)
    assert np.isfinite(found.value) and np.all(np.isfinite(found.theta))
    assert found.value == pytest.approx(exact_log_evidence(RBF((1.0, 1.0)), rows, 1e-17))
    C = RBF((1.0, 1.0))(X, X) + 1e-12 * np.eye(len(X))
    log_det = np.linalg.slogdet(C)[1]
    dense = -0.5 * (rows.y.T @ np.linalg.solve(C, rows.y) + log_det + 60 * np.log(2 * np.pi))
    assert found.value == pytest.approx(dense.item(), rel=0.2)  # all of it is rounding
