"""Dask with worker processes: the same model when a worker dies, and what to do when all do."""

import os
import signal
import time
import warnings
from contextlib import contextmanager, suppress

import numpy as np
import pytest

from sparsegp import SparseGPClassifier, SparseGPRegressor
from sparsegp.kernels import RBF

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")
from distributed.utils import get_mp_context  # noqa: E402

from sparsegp.tables.sources.dask_table import DaskTable  # noqa: E402  (needs Dask)

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")

OPTIONS = {
    "kernel": RBF(1.0),
    "max_basis": 15,
    "optimizer": None,
    "transform_X": "standard",
    "transform_y": "standard",
    "random_state": 0,
}


@contextmanager
def _imported_once():
    """Workers are copies of a process that has imported everything: a new one starts at once."""
    get_mp_context().set_forkserver_preload(["distributed", "sparsegp.estimators.regressor"])
    yield


#: A worker that could not be replaced makes a test fail instead of wait for ever.
SETTINGS = {
    "distributed.worker.multiprocessing-method": "forkserver",
    "distributed.scheduler.no-workers-timeout": "60s",
}


@contextmanager
def workers(n_workers, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of sockets and event loops, which are not ours
        options |= {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
        with (
            dask.config.set(SETTINGS),
            _imported_once(),
            distributed.LocalCluster(n_workers=n_workers, **options) as cluster,
            distributed.Client(cluster),
        ):
            yield cluster


@pytest.fixture(scope="module")
def one_cluster():
    """One cluster for the tests that kill a worker: another takes its place."""
    with workers(2) as cluster:
        yield cluster


@pytest.fixture
def two_workers(one_cluster):
    """Return the cluster when both workers run."""
    wait_until_all_run(one_cluster)
    return one_cluster


def wait_until_all_run(cluster):
    """Wait for the workers: one that dies while it starts is not replaced, by design of Dask."""
    deadline = time.monotonic() + 60.0
    while time.monotonic() < deadline:
        processes = [nanny.process for nanny in cluster.workers.values()]
        if len(cluster.scheduler.workers) == len(processes) and all(
            process is not None and process.status == distributed.Status.running
            for process in processes
        ):
            return
        time.sleep(0.01)
    raise TimeoutError("a worker has not come back")


def _rows(n=900):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    return X, np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=n)


def _in_dask(X, y, every_block=None):
    """Return Dask arrays of which every block of X passes through a function, on the workers."""
    far = da.from_array(X, chunks=(100, 2)), da.from_array(y, chunks=100)
    if every_block is None:
        return far
    return far[0].map_blocks(every_block, dtype=float, meta=np.empty((0, 2))), far[1]


def test_a_worker_that_dies_in_the_last_pass_does_not_change_the_model(tmp_path, two_workers):
    X, y = _rows()
    model = SparseGPRegressor(**OPTIONS).fit(X, y)
    armed, fired = tmp_path / "armed", tmp_path / "fired"

    def arm(progress):
        if progress.phase == "final pass":
            armed.touch()

    def die_once(block):
        with suppress(FileNotFoundError):
            armed.rename(fired)  # only one task can
            os.kill(os.getpid(), signal.SIGKILL)
        return block

    far = _in_dask(X, y, die_once)
    other = SparseGPRegressor(**OPTIONS, callback=arm).fit(*far)
    assert fired.exists()
    mean, std = dask.compute(*other.predict(far[0], return_std=True))
    assert np.array_equal(model.basis_indices_, other.basis_indices_)
    wanted = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean, wanted[0], rtol=0, atol=1e-8)
    np.testing.assert_allclose(std, wanted[1], rtol=0, atol=1e-8)


def test_a_worker_that_dies_while_sites_are_found_does_not_change_the_classifier(
    tmp_path, two_workers
):
    X, y = _rows(300)
    labels = np.where(y > 0.2, "up", "down")
    options = {"kernel": RBF(1.0), "max_basis": 10, "optimizer": None, "random_state": 0}
    model = SparseGPClassifier(**options).fit(X, labels)
    armed, fired = tmp_path / "armed", tmp_path / "fired"

    def arm(progress):
        if progress.phase == "selection" and progress.step == options["max_basis"]:
            armed.touch()

    def die_once(block):
        with suppress(FileNotFoundError):
            armed.rename(fired)  # only one task can
            os.kill(os.getpid(), signal.SIGKILL)
        return block

    far = _in_dask(X, labels, die_once)
    other = SparseGPClassifier(**options, callback=arm).fit(*far)
    assert fired.exists()
    probabilities = other.predict_proba(far[0]).compute()
    assert np.array_equal(model.basis_indices_, other.basis_indices_)
    np.testing.assert_allclose(probabilities, model.predict_proba(X), rtol=0, atol=1e-8)


@pytest.fixture
def short_searches(monkeypatch):
    """Learn from fewer rows, and keep some of them only."""
    learning = "sparsegp.learning"
    monkeypatch.setattr(f"{learning}.hyperparameters.policy.BATCH_ROWS", 16)
    monkeypatch.setattr(f"{learning}.hyperparameters.policy.LEARNING_NEIGHBOURS", 10)
    for room in ("hyperparameters.policy", "neighbours.families"):
        monkeypatch.setattr(f"{learning}.{room}.SEGMENTS", (4, 6, 8))
    monkeypatch.setattr(f"{learning}.hyperparameters.policy.SUBSET_STAGES", ((100, 5), (200, 3)))
    monkeypatch.setattr(f"{learning}.neighbours.policy.MOST_ROWS_KEPT", 400)
    monkeypatch.setattr(f"{learning}.neighbours.policy.MIN_ROWS", 400)


@pytest.fixture
def passes(monkeypatch):
    """The phases in which rows are read, and what is called before each time."""
    phases, before = [], []

    def watch(name):
        method = getattr(DaskTable, name)

        def noted(self, *arguments, **options):
            for each in before:
                each(len(phases))
            phases.append(name)
            return method(self, *arguments, **options)

        monkeypatch.setattr(DaskTable, name, noted)

    watch("fetch")
    watch("reduce")
    return phases, before


@pytest.mark.parametrize(("n_neighbors", "every"), [(5, 4), (0, 1)])
def test_a_worker_dies_in_every_pass_of_a_fit(
    n_neighbors, every, tmp_path, two_workers, short_searches, passes
):
    """Rows are read to check and scale them, to learn, to select, to condition, to calibrate."""
    X, y = _rows()
    phases, before = passes
    options = OPTIONS | {"optimizer": "lbfgs", "n_neighbors": n_neighbors}

    def die_if_armed(block):
        for armed in tmp_path.glob("armed*"):
            with suppress(FileNotFoundError):
                armed.rename(tmp_path / armed.name.replace("armed", "fired"))  # only one task can
                os.kill(os.getpid(), signal.SIGKILL)
        return block

    far = _in_dask(X, y, die_if_armed)
    model = SparseGPRegressor(**options).fit(*far)  # nothing is armed
    undisturbed, phases[:] = list(phases), []

    def arm(i):
        if i % every == 0:
            wait_until_all_run(two_workers)
            (tmp_path / f"armed{i}").touch()

    before.append(arm)
    other = SparseGPRegressor(**options).fit(*far)
    before.clear()
    assert phases == undisturbed and len(phases) >= 8 and set(phases) == {"fetch", "reduce"}
    assert len(list(tmp_path.glob("fired*"))) == -(-len(phases) // every)
    assert np.array_equal(model.basis_indices_, other.basis_indices_)
    for found, wanted in zip(
        other.predict(X, return_std=True), model.predict(X, return_std=True), strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


def test_rows_that_a_dead_worker_held_are_made_again(tmp_path, two_workers):
    X, y = _rows()
    held = dask.persist(*_in_dask(X, y))
    distributed.wait(held)
    model = SparseGPRegressor(**OPTIONS).fit(X, y)

    def kill_one(progress):
        if progress.phase == "final pass" and not (tmp_path / "fired").exists():
            (tmp_path / "fired").touch()
            pid = distributed.get_client().run(os.getpid)
            os.kill(min(pid.values()), signal.SIGKILL)

    other = SparseGPRegressor(**OPTIONS, callback=kill_one).fit(*held)
    assert (tmp_path / "fired").exists()
    np.testing.assert_allclose(other.predict(X), model.predict(X), rtol=0, atol=1e-8)


def test_a_worker_over_its_limit_of_memory_tells_what_to_lower():
    def swell(block):
        held = np.ones(10**8)  # 800 MB, and the worker may have less
        time.sleep(60.0)  # until its nanny sees it
        return block * held[0]

    # one death is enough for a verdict; by default it takes four
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        workers(1, memory_limit="700MB"),
        pytest.raises(MemoryError, match=r"smaller partitions.*lower max_basis") as caught,
    ):
        SparseGPRegressor(**OPTIONS).fit(*_in_dask(*_rows(), swell))
    assert isinstance(caught.value.__cause__, distributed.KilledWorker)


def test_a_task_that_finds_no_memory_tells_what_to_lower():
    def too_large(block):
        raise MemoryError("cannot allocate")

    with (
        dask.config.set(scheduler="synchronous"),
        pytest.raises(MemoryError, match=r"up to 100 rows.*rechunk.*repartition.*max_basis") as it,
    ):
        SparseGPRegressor(**OPTIONS).fit(*_in_dask(*_rows(), too_large))
    assert str(it.value.__cause__) == "cannot allocate"
