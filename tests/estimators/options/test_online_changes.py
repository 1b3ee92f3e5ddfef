"""What may change in mid-stream, and what happens to a call that fails half way."""

import numpy as np
import pytest

from sparsegp import OnlineGPClassifier, OnlineGPRegressor
from sparsegp.kernels import RBF
from sparsegp.likelihoods import LaplaceNoise

RNG = np.random.default_rng(0)
X = RNG.uniform(-3.0, 3.0, (300, 2))
Y = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.1 * RNG.standard_normal(300)
LABELS = np.where(np.hypot(X[:, 0], X[:, 1]) < 2.0, "in", "out")
NEW = RNG.uniform(-3.0, 3.0, (40, 2))


def quick(**options):
    options = {"kernel": RBF((1.0, 1.0)), "max_basis": 25, "n_warmup": 60} | options
    return OnlineGPRegressor(random_state=0, **options)


def outputs(model):
    return np.stack(model.predict(NEW, return_std=True))


class Moody:
    """Fails for targets above 100."""

    def moment_match(self, y, mean, variance):
        if y[0] > 100.0:
            raise RuntimeError("no")
        return LaplaceNoise(0.3).moment_match(y, mean, variance)


@pytest.mark.parametrize("at", [0, 1, 49])
@pytest.mark.parametrize("learned", [40, 200])
def test_a_likelihood_that_fails_half_way_changes_nothing(learned, at):
    model = quick(likelihood=Moody(), optimizer=None).partial_fit(X[:learned], Y[:learned])
    before, basis = outputs(model), model.basis_vectors_
    y = Y[200:250].copy()
    y[at] = 1000.0
    with pytest.raises(RuntimeError, match="no"):
        model.partial_fit(X[200:250], y)
    np.testing.assert_array_equal(outputs(model), before)
    np.testing.assert_array_equal(model.basis_vectors_, basis)
    assert model.n_seen_ == learned
    expected = quick(likelihood=Moody(), optimizer=None).partial_fit(X[:learned], Y[:learned])
    for each in (model, expected):
        each.partial_fit(X[250:], Y[250:])
    np.testing.assert_array_equal(outputs(model), outputs(expected))


def test_an_interrupted_call_changes_nothing():
    class Interrupting(Moody):
        def moment_match(self, y, mean, variance):
            if y[0] > 100.0:
                raise KeyboardInterrupt
            return super().moment_match(y, mean, variance)

    model = quick(likelihood=Interrupting(), optimizer=None).partial_fit(X[:100], Y[:100])
    before = outputs(model)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X[:2], [0.0, 1000.0])
    np.testing.assert_array_equal(outputs(model), before)


@pytest.mark.parametrize("learned", [40, 200])
def test_a_new_limit_takes_effect_with_the_next_rows(learned):
    model = quick(max_basis=20).partial_fit(X[:learned], Y[:learned])
    model.set_params(max_basis=8)
    assert model.n_basis_ > 8
    model.partial_fit(X[:1], Y[:1])
    assert model.n_basis_ == 8
    model.set_params(max_basis=12).partial_fit(X[200:], Y[200:])
    assert model.n_basis_ == 12


def test_tolerance_and_deletion_take_effect():
    wide, same = (quick(max_basis=60).partial_fit(X[:150], Y[:150]) for _ in range(2))
    n_basis = wide.set_params(tolerance=10.0).n_basis_
    assert wide.partial_fit(X[150:], Y[150:]).n_basis_ == n_basis
    assert same.partial_fit(X[150:], Y[150:]).n_basis_ > n_basis
    by_mean, by_kl = (quick(max_basis=10).partial_fit(X[:150], Y[:150]) for _ in range(2))
    by_mean.set_params(deletion="mean").partial_fit(X[150:], Y[150:])
    by_kl.partial_fit(X[150:], Y[150:])
    assert not np.array_equal(by_mean.basis_vectors_, by_kl.basis_vectors_)


def test_a_new_limit_and_bad_rows_change_nothing():
    model = quick(likelihood=Moody(), optimizer=None).partial_fit(X[:200], Y[:200])
    before = outputs(model)
    with pytest.raises(RuntimeError, match="no"):
        model.set_params(max_basis=3).partial_fit(X[:1], [1000.0])
    np.testing.assert_array_equal(outputs(model), before)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kernel", RBF((2.0, 1.0))),
        ("likelihood", "laplace"),
        ("noise_variance", 0.5),
        ("noise_variance_bounds", "fixed"),
        ("n_warmup", 10),
        ("optimizer", None),
        ("transform_X", "none"),
        ("transform_y", "none"),
    ],
)
def test_what_the_first_rows_decided_cannot_change(name, value):
    model = quick().partial_fit(X[:100], Y[:100])
    before, old = outputs(model), getattr(model, name)
    with pytest.raises(ValueError, match=f"{name} was changed to"):
        model.set_params(**{name: value}).partial_fit(X[100:140], Y[100:140])
    np.testing.assert_array_equal(outputs(model), before)
    model.set_params(**{name: old}).partial_fit(X[100:140], Y[100:140])
    model.set_params(**{name: value}).fit(X[:80], Y[:80]).partial_fit(X[80:120], Y[80:120])
    assert model.n_seen_ == 120


def test_the_classifier_has_the_same_rule():
    model = OnlineGPClassifier(max_basis=20, n_warmup=60, random_state=0)
    model.partial_fit(X[:100], LABELS[:100], classes=["in", "out"])
    model.set_params(max_basis=7).partial_fit(X[100:], LABELS[100:])
    assert model.n_basis_ == 7
    with pytest.raises(ValueError, match="slope was changed"):
        model.set_params(slope=3.0).partial_fit(X[:1], LABELS[:1])


def test_a_bad_new_value_is_named():
    model = quick().partial_fit(X[:100], Y[:100])
    with pytest.raises(ValueError, match="max_basis"):
        model.set_params(max_basis=0).partial_fit(X[:1], Y[:1])
