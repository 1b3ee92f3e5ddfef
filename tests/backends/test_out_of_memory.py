"""A device that has no room for large arrays: smaller blocks, then the host."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sparsegp import SparseGPClassifier, SparseGPRegressor
from sparsegp.arrays import in_smaller_parts, is_out_of_memory, on_host, or_on_host, to_numpy
from sparsegp.kernels import RBF
from sparsegp.model.approximation import APPROXIMATIONS
from sparsegp.model.features import make_basis
from sparsegp.model.moments import collect_moments
from sparsegp.model.posterior import solve_posterior
from sparsegp.selection import select_basis
from sparsegp.tables.rows import Rows
from tests.array_libraries import on_device

KERNEL, NOISE = RBF((0.8, 0.8)), 0.02


class OutOfMemoryError(RuntimeError):
    """The name that PyTorch and CuPy give it."""


@pytest.fixture
def room_for(monkeypatch):
    """Return a function that sets how many numbers a product on the device may have."""
    product = type(on_device([1.0])).__matmul__

    def set_room(n_numbers):
        def bounded(a, b):
            result = product(a, b)
            if not on_host(a) and np.prod(result.shape) > n_numbers:
                raise OutOfMemoryError(f"tried to allocate {result.shape}")
            return result

        monkeypatch.setattr(type(on_device([1.0])), "__matmul__", bounded)

    return set_room


def problem(n=600):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (n, 2))
    return X, np.sin(2.0 * X[:, :1]) + 0.1 * rng.standard_normal((n, 1))


def test_errors_of_three_libraries():
    assert is_out_of_memory(OutOfMemoryError("CUDA out of memory"))
    assert is_out_of_memory(type("XlaRuntimeError", (RuntimeError,), {})("RESOURCE_EXHAUSTED: x"))
    assert not is_out_of_memory(MemoryError("of the host"))
    assert not is_out_of_memory(ValueError("RESOURCE_EXHAUSTED"))


def test_parts_are_halved_until_they_fit():
    tried = []

    def work(parts):
        tried.append(parts)
        if parts < 8:
            raise OutOfMemoryError
        return "done"

    assert in_smaller_parts(work) == "done"
    assert tried == [1, 2, 4, 8]


def test_other_errors_pass_through():
    def fails(*_):
        raise ValueError("no memory of this")

    with pytest.raises(ValueError, match="no memory of this"):
        in_smaller_parts(fails)
    with pytest.raises(ValueError, match="no memory of this"):
        or_on_host(fails, lambda: None, "nothing")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("rule", ["vfe", "fitc"])
def test_moments_and_predictions_in_smaller_blocks(room_for, monkeypatch, rule):
    monkeypatch.setattr("sparsegp.model.moments.SMALLEST_BLOCK", 8)
    X, y = problem()
    rule = APPROXIMATIONS[rule]

    def model(hand_in):
        basis = make_basis(KERNEL, hand_in(X[:20].copy()))
        moments = collect_moments(basis, Rows(hand_in(X), hand_in(y)), NOISE, rule)
        return solve_posterior(basis, moments, rule).mean_and_variance(hand_in(X))

    expected = model(np.asarray)
    room_for(20 * 100)  # of 600 rows
    for found, wanted in zip(model(on_device), expected, strict=True):
        assert not on_host(found)
        assert_allclose(to_numpy(found), wanted, rtol=1e-8, atol=1e-10)


def test_a_prediction_goes_on_on_the_host(room_for):
    X, y = problem()
    rule = APPROXIMATIONS["vfe"]
    basis = make_basis(KERNEL, on_device(X[:20].copy()))
    rows = Rows(on_device(X), on_device(y))
    posterior = solve_posterior(basis, collect_moments(basis, rows, NOISE, rule), rule)
    expected = posterior.mean_and_variance(on_device(X))
    room_for(0)
    with pytest.warns(RuntimeWarning, match=r"out of memory .*: the prediction goes on"):
        found = posterior.mean_and_variance(on_device(X))
    for part, wanted in zip(found, expected, strict=True):
        assert not on_host(part)
        assert_allclose(to_numpy(part), to_numpy(wanted), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("criterion", ["log_posterior", "marginal_likelihood"])
def test_a_selection_goes_on_on_the_host(room_for, criterion):
    X, y = problem()

    def selected(hand_in):
        rows, pool = Rows(hand_in(X), hand_in(y)), hand_in(X[:200].copy())
        options = {"max_basis": 40, "n_fresh": 0, "cache_size": 200, "stop": False}
        rng = np.random.default_rng(0)
        return select_basis(criterion, KERNEL, rows, pool, NOISE, rng=rng, **options)

    expected = selected(np.asarray)
    room_for(200 * 150)  # not of the pool with itself
    with pytest.warns(RuntimeWarning, match="the selection of the basis goes on"):
        found = selected(on_device)
    assert_array_equal(found.indices, expected.indices)
    assert_allclose(found.path, expected.path, rtol=1e-7)


def test_a_selection_that_has_begun_goes_on(room_for, monkeypatch):
    """What was chosen on the device stays chosen."""
    X, y = problem()
    rows, pool = Rows(on_device(X), on_device(y)), on_device(X[:200].copy())
    options = {"max_basis": 40, "n_fresh": 0, "cache_size": 200, "stop": False}
    monkeypatch.setattr("sparsegp.selection.elimination_array_api.DEVICE_PANEL", 16)
    told = []

    def progress(step, value):
        told.append(value)
        if step == 20:
            room_for(200 * 150)

    with pytest.warns(RuntimeWarning, match="the selection of the basis goes on"):
        found = select_basis(
            *("log_posterior", KERNEL, rows, pool, NOISE),
            rng=np.random.default_rng(0),
            progress=progress,
            **options,
        )
    expected = select_basis(
        *("log_posterior", KERNEL, Rows(X, y), X[:200].copy(), NOISE),
        rng=np.random.default_rng(0),
        **options,
    )
    assert len(set(found.indices.tolist())) == 40
    assert_array_equal(found.indices, expected.indices)


@pytest.mark.parametrize("kind", [SparseGPRegressor, SparseGPClassifier])
def test_a_fit_goes_on_on_the_host(room_for, kind):
    X, y = problem(150)
    y = y[:, 0] if kind is SparseGPRegressor else (y[:, 0] > 0.0).astype(int)
    options = {"kernel": RBF(1.0), "optimizer": None, "max_basis": 20, "random_state": 0}
    options |= {"transform_X": "standard"}
    options |= {"transform_y": "standard"} if kind is SparseGPRegressor else {}
    options |= {"inference": "least_squares"} if kind is SparseGPClassifier else {}
    expected = kind(**options).fit(X, y)
    room_for(0)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = kind(**options).fit(on_device(X), on_device(y))
    assert any("the fit goes on in the memory of the host" in str(each.message) for each in told)
    assert_allclose(to_numpy(model.predict(X)), expected.predict(X), rtol=1e-10)
