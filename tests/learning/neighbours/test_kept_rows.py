"""Models that keep some of the rows as neighbours: tables on a cluster, files beyond the memory."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sparsegp import SparseGPRegressor, load
from sparsegp.kernels import RBF
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.neighbours import policy
from sparsegp.learning.neighbours.kept_rows import KeptRows
from sparsegp.learning.neighbours.local_fit import start_with_neighbours
from sparsegp.learning.noise.calibration_rows import hold_out
from sparsegp.learning.settings import Settings
from sparsegp.model.approximation import FITC
from sparsegp.model.neighbours.leave_one_out import leave_one_out_of_neighbours
from sparsegp.tables.memory import Memory
from sparsegp.tables.rows import Rows
from sparsegp.tables.targets import Targets
from sparsegp.tables.transforms.scaling import Scaling

dask, da = pytest.importorskip("dask"), pytest.importorskip("dask.array")
from sparsegp.tables.sources.dask_table import DaskTable  # noqa: E402  (needs Dask)

N, KEPT, K = 2_400, 900, 6
GIVEN = {
    "kernel": RBF(0.4),
    "noise_variance": 0.01,
    "optimizer": None,
    "transform_X": "none",
    "transform_y": "none",
    "random_state": 0,
    "max_basis": 12,
}


@pytest.fixture(autouse=True)
def few_rows_are_many(monkeypatch):
    monkeypatch.setattr(policy, "MOST_ROWS_KEPT", KEPT)
    monkeypatch.setattr(policy, "MIN_ROWS", KEPT)


@pytest.fixture
def in_dask():

    def cut(values, size=500):
        return da.from_array(values, chunks=(size, *values.shape[1:]))

    with dask.config.set(scheduler="synchronous"):
        yield cut


def waves(n=N):
    rng = np.random.default_rng(1)
    X = rng.uniform(-3.0, 3.0, size=(n, 2))
    return X, np.sin(3.0 * X[:, 0]) * np.cos(2.0 * X[:, 1]) + 0.1 * rng.normal(size=n)


def test_the_posterior_is_that_of_all_rows_and_the_neighbours_are_those_kept(in_dask):
    X, y = waves()
    far = SparseGPRegressor(**GIVEN, n_neighbors=K, calibrate=False).fit(in_dask(X), in_dask(y))
    kept = far._posterior.rows
    assert len(kept) == KEPT and far.n_neighbors_ == K
    entry = next(e for e in far.history_ if e["phase"] == "number of neighbours: kept")
    assert (entry["n_rows"], entry["of"]) == (KEPT, N)

    near = SparseGPRegressor(**GIVEN, n_neighbors=K, calibrate=False).fit(X, y)
    assert_array_equal(far.basis_indices_, near.basis_indices_)  # the posterior sees all rows
    assert_allclose(far._posterior.posterior.beta, near._posterior.posterior.beta, atol=1e-9)
    # the formula of ``prediction`` for one row, its neighbours found by hand
    x = np.array([[0.3, -1.1]])
    N_ = np.argsort(np.sum((kept.X - x) ** 2, axis=1))[:K]
    posterior, kernel = near._posterior.posterior, near.kernel_
    Phi, Phi_N = (posterior.basis.features(each) for each in (x, kept.X[N_]))
    S = kernel(kept.X[N_], kept.X[N_]) - Phi_N @ Phi_N.T + near.noise_variance_ * np.eye(K)
    a = np.linalg.solve(S, (kernel(kept.X[N_], x) - Phi_N @ Phi.T)[:, 0])
    mean = Phi @ posterior.beta + a @ (kept.y[N_] - Phi_N @ posterior.beta)
    found = far.predict_latent(x, return_std=True)[0]
    assert_allclose(found, mean[0], atol=1e-9)


def test_rows_that_calibrate_are_kept_and_not_their_own_neighbours(in_dask):
    X, y = waves()
    positions = KeptRows.of(Rows(X, y[:, None]), KEPT, np.random.default_rng(3)).positions
    held_out = hold_out(N, np.random.default_rng(0), kept=positions)
    assert_array_equal(held_out.positions, positions[held_out.among_kept])
    assert not np.isin(np.asarray(held_out.seen), held_out.positions).any()
    fewer = held_out.at_most(150)
    assert_array_equal(fewer.positions, positions[fewer.among_kept])

    model = SparseGPRegressor(**{**GIVEN, "optimizer": "lbfgs"}, n_neighbors=K)
    model.fit(in_dask(X), in_dask(y))
    left_out = leave_one_out_of_neighbours(model._posterior, np.arange(KEPT))
    # a row that was its own neighbour would be predicted to within its noise
    new_X, new_y = waves(2 * N)
    unseen = np.std(new_y[N:] - model.predict(new_X[N:]))
    assert np.std(left_out.error) == pytest.approx(unseen, rel=0.25)
    covered = model.predict_interval(new_X[N:], level=0.9)
    assert 0.85 < np.mean((covered[0] < new_y[N:]) & (new_y[N:] < covered[1])) < 0.95


def test_partitions_do_not_matter(in_dask):
    X, y = waves()
    a, b = (
        SparseGPRegressor(**GIVEN, n_neighbors=K).fit(in_dask(X, size), in_dask(y, size))
        for size in (N, 90)
    )
    assert_array_equal(a._posterior.rows.X, b._posterior.rows.X)
    assert_allclose(a.predict(X), b.predict(X), atol=1e-8)


def test_weights_of_zero_leave_rows_out(in_dask):
    X, y = waves()
    weight = np.where(np.arange(N) % 3, 1.0, 0.0)
    model = SparseGPRegressor(**GIVEN, n_neighbors=K).fit(in_dask(X), in_dask(y), weight)
    dropped = {tuple(x) for x in X[weight == 0.0]}
    assert not dropped & {tuple(x) for x in model._posterior.rows.X}
    assert len(model._posterior.rows) == KEPT


def test_a_file_beyond_the_memory_keeps_a_sample(tmp_path, monkeypatch):
    X, y = waves()
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = SparseGPRegressor(**GIVEN, n_neighbors=K).fit(mapped, y)
    assert len(model._posterior.rows) == N
    monkeypatch.setattr(Memory, "holds_table", lambda *_: False)
    model.fit(mapped, y)
    assert len(model._posterior.rows) == KEPT


@pytest.mark.parametrize("noise", [0.1, 30.0])
def test_the_number_is_chosen_by_neighbours_among_the_kept_rows(in_dask, noise):
    X, y = waves()
    y = y + noise * np.random.default_rng(5).normal(size=N)
    table = DaskTable(in_dask(X), in_dask(y), Targets(None, None, True))
    one = Scaling(np.zeros(2), np.ones(2))
    settings = Settings(FITC, "random", max_basis=20, optimise=False, n_neighbors=None)
    context = FitContext(np.random.default_rng(0))
    start = Parameters(RBF(0.4), 0.01 + noise**2)
    rows = table.transformed(one)
    found = start_with_neighbours(rows, start, settings, context, warm_start=None, template=None)
    judged = context.history.entries[0]
    assert judged["n_rows"] < KEPT
    if noise > 1.0:
        assert found is None and judged["chosen"] == 0
    else:
        assert found.chosen.k == judged["chosen"] > 0
        assert (found.rows, len(found.kept.rows)) == (rows, KEPT)  # all rows make the posterior


def test_a_file_holds_the_kept_rows_alone(tmp_path, in_dask):
    X, y = waves()
    model = SparseGPRegressor(**GIVEN, n_neighbors=K).fit(in_dask(X), in_dask(y))
    model.save(tmp_path / "model.sgp")
    again = load(tmp_path / "model.sgp")
    assert len(again._posterior.rows) == KEPT
    assert_array_equal(again.predict(X[:9]), model.predict(X[:9]))
