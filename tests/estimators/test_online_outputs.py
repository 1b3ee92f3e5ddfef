"""Several outputs on one basis, and what is printed."""

import numpy as np
import pytest

from sparsegp import OnlineGPRegressor
from sparsegp.kernels import RBF

RNG = np.random.default_rng(0)
X = RNG.uniform(-3.0, 3.0, (200, 2))
Y = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.1 * RNG.standard_normal(200)
TWO = np.column_stack((Y, 100.0 + 30.0 * np.cos(X[:, 0])))
NEW = RNG.uniform(-3.0, 3.0, (40, 2))


def quick(**options):
    return OnlineGPRegressor(**{"max_basis": 25, "n_warmup": 60, "random_state": 0} | options)


def outputs(model):
    return np.stack(model.predict(NEW, return_std=True))


@pytest.mark.parametrize("cuts", [(), (1, 2, 70), range(1, 200)])
def test_outputs_share_a_basis(cuts):
    model = quick(kernel=RBF((1.0, 1.0)))
    for rows, targets in zip(np.split(X, cuts), np.split(TWO, cuts), strict=True):
        model.partial_fit(rows, targets)
    mean, std = model.predict(NEW, return_std=True)
    truth = np.column_stack((np.sin(NEW[:, 0]) + 0.5 * NEW[:, 1], 100.0 + 30.0 * np.cos(NEW[:, 0])))
    assert mean.shape == std.shape == truth.shape
    assert np.all(np.sqrt(np.mean((mean - truth) ** 2, axis=0)) < [0.3, 5.0])
    assert np.all(np.mean(std, axis=0) < [0.5, 15.0])
    assert model.n_basis_ == 25
    assert model.predict_latent(NEW, return_std=True)[1].shape == truth.shape


def test_two_outputs_are_two_models_on_one_basis():
    options = {"kernel": RBF((1.0, 1.0)), "optimizer": None, "max_basis": 500, "tolerance": 1e-4}
    options |= {"forgetting": None}  # a learned rate is that of all outputs
    both = quick(**options).partial_fit(X, TWO)
    for column in range(2):
        alone = quick(**options).partial_fit(X, TWO[:, column])
        np.testing.assert_allclose(
            np.stack(both.predict(NEW, return_std=True))[:, :, column], outputs(alone), rtol=1e-6
        )


def test_counts_of_two_kinds_have_centres_of_their_own():
    counts = RNG.poisson(np.exp(np.column_stack((0.5 * X[:, 0], 5.0 + 0.5 * X[:, 1]))))
    model = quick(likelihood="poisson").fit(X, counts.astype(float))
    mean = model.predict(X)
    np.testing.assert_allclose(np.mean(mean, axis=0), np.mean(counts, axis=0), rtol=0.2)


def test_the_number_of_outputs_stays():
    model = quick().partial_fit(X[:50], TWO[:50])
    before = model.predict(NEW)
    with pytest.raises(ValueError, match="y has 1 outputs, but those of the rows so far had 2"):
        model.partial_fit(X[50:], Y[50:])
    np.testing.assert_array_equal(model.predict(NEW), before)


def test_what_is_printed(capsys):
    quick(verbose=1, n_sweeps=2).fit(X, Y).partial_fit(X[:5], Y[:5])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "[sparsegp] rows",
        "[sparsegp] sweep 2",
        "[sparsegp] rows",
    ]
    assert lines[-1].startswith("[sparsegp] rows: 205,")
    quick().fit(X, Y)
    assert not capsys.readouterr().out
