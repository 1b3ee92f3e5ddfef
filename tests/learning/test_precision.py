"""``precision``: mixed equals double where it is taken, and says why where it is not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sparsegp import SparseGPRegressor
from sparsegp.arrays import to_numpy
from sparsegp.kernels import RBF
from sparsegp.learning import precision as room
from tests.array_libraries import HOST_LIBRARIES, on_device

PLAIN = {"transform_X": "none", "transform_y": "none", "n_neighbors": 0, "random_state": 0}
OPTIONS = {**PLAIN, "kernel": RBF((1.0, 1.0, 1.0)), "optimizer": None, "max_basis": 50}


def problem(noise=0.2, n=700):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (n, 3))
    return X, np.sin(2.0 * X[:, 0]) + X[:, 1] + noise * rng.standard_normal(n)


def fitted(precision, X, y, **options):
    return SparseGPRegressor(**{**OPTIONS, **options}, precision=precision).fit(X, y)


def final_pass(model):
    return next(entry for entry in model.history_ if entry["phase"] == "final pass")


@pytest.mark.parametrize("hand_in", [np.asarray, on_device, *HOST_LIBRARIES])
@pytest.mark.parametrize("approximation", ["dtc", "fitc", "vfe"])
def test_mixed_predicts_as_double(hand_in, approximation):
    X, y = problem()
    double, mixed = (
        fitted(each, hand_in(X), hand_in(y), approximation=approximation, noise_variance=0.04)
        for each in ("double", "mixed")
    )
    assert final_pass(mixed)["precision"] == "mixed"
    assert "precision" not in final_pass(double)
    ours, theirs = (model.predict(hand_in(X), return_std=True) for model in (mixed, double))
    for a, b in zip(ours, theirs, strict=True):
        assert_allclose(to_numpy(a), to_numpy(b), rtol=1e-5, atol=1e-5)
    assert mixed.log_marginal_likelihood_value_ == pytest.approx(
        double.log_marginal_likelihood_value_, abs=0.05
    )


def test_learned_noise():
    X, y = problem()
    double, mixed = (
        fitted(each, X, y, optimizer="at_basis", n_evaluations=3) for each in ("double", "mixed")
    )
    assert final_pass(mixed)["precision"] == "mixed"
    assert mixed.noise_variance_ == pytest.approx(double.noise_variance_, rel=1e-4)


def test_low_noise_returns_to_double():
    X, y = problem(noise=0.0)
    double, mixed = (fitted(each, X, y, noise_variance=1e-6) for each in ("double", "mixed"))
    assert final_pass(mixed)["precision"].startswith("double: the noise is below")
    assert_array_equal(mixed.predict(X), double.predict(X))


def test_an_ill_conditioned_basis_returns_to_double():
    X, y = problem()
    mixed = fitted("mixed", X, y, kernel=RBF(8.0), noise_variance=0.04)
    assert final_pass(mixed)["precision"].startswith("double: rounding would add")


def test_weights_that_refinement_moves_far_return_to_double(monkeypatch):
    monkeypatch.setattr("sparsegp.model.mixed_precision.LARGEST_CORRECTION", 0.0)
    X, y = problem()
    double, mixed = (fitted(each, X, y, noise_variance=0.04) for each in ("double", "mixed"))
    assert final_pass(mixed)["precision"].startswith("double: refinement moved the weights")
    assert_array_equal(mixed.predict(X), double.predict(X))


@pytest.mark.parametrize(("speedup", "taken"), [(30.0, True), (2.0, False)])
def test_auto_takes_it_on_a_device_that_is_faster_so(monkeypatch, speedup, taken):
    monkeypatch.setattr(room, "single_speedup", lambda X: speedup)
    monkeypatch.setattr(room, "LEAST_MULTIPLICATIONS", 1.0)
    X, y = problem()
    device = fitted("auto", on_device(X), on_device(y), noise_variance=0.04)
    assert (final_pass(device).get("precision") == "mixed") == taken
    assert "precision" not in final_pass(fitted("auto", X, y, noise_variance=0.04))


def test_auto_leaves_short_passes_alone(monkeypatch):
    monkeypatch.setattr(room, "single_speedup", lambda X: 30.0)
    X, y = problem()
    model = fitted("auto", on_device(X), on_device(y), noise_variance=0.04)
    assert "precision" not in final_pass(model)


def test_other_words_are_refused():
    with pytest.raises(ValueError, match=r"precision must be .*auto.*got 'half'"):
        fitted("half", *problem())
