"""The model of the cost counts what fits really do; the scripts run at sizes that mean nothing."""

import json
import os
import pickle

import numpy as np
import pytest

from benchmarks.scale import houseelectric, page
from benchmarks.scale.clock import clocked
from benchmarks.scale.costs import (
    FETCHES,
    Rates,
    default_pool,
    distributed_seconds,
    evidence_operations,
    gram_operations,
    moment_operations,
    passes,
    rows_fetched,
)
from benchmarks.scale.generated import generated_table, measure
from benchmarks.scale.page import ROOT, write_page
from benchmarks.scale.process import PeakMemory, in_fresh_process
from sparsegp import SparseGPRegressor
from sparsegp.kernels import RBF, stationary
from sparsegp.model import evidence, moments
from sparsegp.model.approximation import APPROXIMATIONS
from sparsegp.model.features import Triangle, make_basis
from sparsegp.selection import schur_gram as conditioned
from sparsegp.tables.rows import Rows
from sparsegp.tables.sources.blocks import BlockTable

N, D, M = 700, 3, 20
DTC = APPROXIMATIONS["dtc"]


@pytest.fixture
def counted(monkeypatch):
    """Count the operations of the products, of distances, and kernel values."""
    found = {"products": 0, "distances": 0, "kernel_values": 0}

    def watch(owner, name, operations):
        method = getattr(owner, name)

        def counting(*arguments, **options):
            for kind, number in operations(*arguments).items():
                found[kind] += number
            return method(*arguments, **options)

        monkeypatch.setattr(owner, name, counting)

    def gram(total, A, *_):
        return {"products": A.shape[0] * A.shape[1] ** 2}

    def kernel_block(X, Z):
        pairs = X.shape[0] * Z.shape[0]
        return {"distances": 2 * pairs * (X.shape[1] + 2), "kernel_values": pairs}

    watch(moments, "add_gram", gram)
    watch(conditioned, "add_gram", gram)
    watch(Triangle, "divide", lambda _, K: {"products": K.shape[0] * K.shape[1] ** 2})
    to_rows = stationary.minus_half_squared_distances_to

    def counting_to(Z, **options):
        measure = to_rows(Z, **options)

        def counting(X):
            for kind, number in kernel_block(X, Z).items():
                found[kind] += number
            return measure(X)

        return counting

    monkeypatch.setattr(stationary, "minus_half_squared_distances_to", counting_to)
    return found


def _problem():
    X = np.random.default_rng(0).normal(size=(N, D))
    return RBF((1.0,) * D), Rows(X, X[:, :1])


def _assert_same(counted, operations):
    assert counted["products"] == operations.products
    assert counted["distances"] == operations.distances
    assert counted["kernel_values"] == operations.kernel_values


def test_operations_of_the_moments(counted):
    kernel, rows = _problem()
    basis = make_basis(kernel, rows.X[:M])
    counted.update(dict.fromkeys(counted, 0))
    found = moments.collect_moments(basis, rows, 0.1, DTC)
    _assert_same(counted, moment_operations(N, D, M))
    (sent,) = [each.bytes_reduced for each in passes(N, D, M, N) if each.what == "moments"]
    assert found.gram.nbytes + found.target.nbytes + 4 * 8 == sent
    assert sent < len(pickle.dumps(found)) < sent + 1000


def test_operations_of_a_gram_matrix(counted):
    kernel, rows = _problem()
    conditioned.schur_gram(kernel, rows, rows.X[:M], rows.X[:0], 0.1)
    of_pool = 2 * M**2 * (D + 2), M**2  # K_cc itself
    counted["distances"] -= of_pool[0]
    counted["kernel_values"] -= of_pool[1]
    _assert_same(counted, gram_operations(N, D, M))


def test_an_evaluation_of_the_evidence_costs_twice_the_products_of_the_moments(monkeypatch):
    kernel, rows = _problem()
    basis = make_basis(kernel, rows.X[:M])
    sizes, product = [], evidence.add_product

    def counting(total, A, B, *scale):
        sizes.append(2 * A.shape[0] * A.shape[1] * B.shape[1])
        return product(total, A, B, *scale)

    monkeypatch.setattr(evidence, "add_product", counting)
    evidence.evidence_and_gradient(basis, rows, 0.1, DTC)
    more = evidence_operations(N, D, M).products - moment_operations(N, D, M).products
    assert more == 2 * N * M**2
    assert sum(sizes) == more


def test_a_fit_makes_the_passes_and_fetches_the_rows_that_the_model_says(tmp_path):
    n, m = 14_500, 8
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(n, 2))
    y = np.sin(3 * X[:, 0]) + 0.1 * rng.normal(size=n)
    np.save(tmp_path / "X.npy", X)
    options = {"kernel": None, "transform_X": "standard", "transform_y": "standard"}
    model = SparseGPRegressor(max_basis=m, n_neighbors=0, random_state=0, **options)
    with clocked(BlockTable) as seen:
        model.fit(np.load(tmp_path / "X.npy", mmap_mode="r"), y)
    expected = passes(n, 2, m, default_pool(n, m))
    fetches = "rows fetched by number"
    assert seen.times == {
        "fetches": FETCHES,
        "sums": sum(each.times for each in expected if each.what != fetches),
    }
    assert seen.fetched == sum(rows_fetched(n, m, default_pool(n, m)).values())


def test_more_workers_shorten_all_but_the_work_on_samples():
    rates = Rates(sums=1e-5, fetches=1e-6, scaling=5e-7, rest=10.0)
    one = distributed_seconds(10**8, 1, rates, 1e6)
    many = distributed_seconds(10**8, 100, rates, 1e6)
    expected = {"means and deviations": 50.0, "fetches": 100.0, "sums": 1000.0, "reduction": 0.0}
    assert one == pytest.approx({**expected, "on samples": 10.0})
    assert many["sums"] == pytest.approx(10.0)
    assert many["means and deviations"] == pytest.approx(0.5)
    assert many["on samples"] == one["on samples"]
    assert many["reduction"] == pytest.approx(3 * 7 * 1e-3)  # 8³ ≥ 100: three rounds


def test_generated_rows_are_the_same_in_tables_of_any_size():
    few, many = generated_table(300, 128), generated_table(900, 128)
    np.testing.assert_array_equal(few[0].compute(), many[0][:300].compute()[:300])
    assert few[1].shape == (300,)
    assert not np.array_equal(few[0][:44].compute(), few[0][256:].compute())


def test_a_small_fit_of_generated_rows_is_measured():
    record = measure(600, 1, 10)
    assert record["passes"]["sums"] == 3  # means, deviations, moments
    assert record["rmse"] < 4.0  # the targets have deviation 4.9
    assert 0.0 < record["microseconds_a_row"] * 600 < 1e6 * record["seconds"]
    assert record["peak_mb"] > 0.0


def test_peak_memory_counts_what_was_held_and_given_back():
    memory = PeakMemory()
    held = np.ones(20_000_000)
    del held
    assert memory.bytes_beyond >= 150e6


def test_a_fresh_process_has_its_own_threads():
    assert in_fresh_process(os.getenv, "OMP_NUM_THREADS", threads=3) == "3"


def test_our_fit_is_measured_in_floors(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 2))
    y = 5.0 + np.sin(X[:, 0])
    parts = {"X": X[:600], "y": y[:600], "X_test": X[600:], "y_test": y[600:]}
    np.savez(tmp_path / "split.npz", **parts, classes=False, categories=False)
    record = houseelectric.measure(
        str(tmp_path / "split.npz"), 10, {"kernel": RBF(1.0), **houseelectric.PLAIN}
    )
    assert record["rmse"] < 0.5
    floor = 1e-9 * 3 * 600 * 10**2 / record["gemm_gflops"]
    assert record["floor_seconds"] == pytest.approx(floor)
    assert record["fit_in_floors"] == pytest.approx(record["fit_seconds"] / floor)


def test_the_page_is_the_one_that_the_results_make(tmp_path):
    made = write_page(ROOT / "benchmarks" / "results", tmp_path).read_text()
    assert made == (ROOT / "benchmarks" / "scale.md").read_text()


def test_without_results_the_page_names_the_commands(tmp_path):
    made = write_page(tmp_path, tmp_path).read_text()
    for script in ("generated", "houseelectric", "workers"):
        assert f"python -m benchmarks.scale.{script}" in made


def test_the_page_shows_all_results(tmp_path):
    machine = {"processor": "Abacus", "cores": 2, "memory_gb": 8.0}
    ours = {"n_training": 9, "n_test": 1, "max_basis": 5, "fit_seconds": 70.0, "rmse": 0.03}
    ours |= {"fit_in_floors": 1.75, "nlpd": -2.5, "peak_gib_beyond_data": 1.25, "history": []}
    ours |= {"floor_seconds": 40.0, "gemm_gflops": 100.0}
    svgp = {"fit_seconds": 900.0, "rmse": 0.05, "nlpd": -1.5}
    svgp |= {"peak_mb": 3000.0, "peak_mb_before": 1000.0}
    svgp |= {"steps": 300, "threads": 1}
    pace = {"steps": 10, "threads": 2, "fit_seconds": 12.0}
    tables = {"machine": machine, "threads": 2, "ours": {"defaults": ours}, "svgp": svgp}
    tables["svgp_pace"] = pace
    run = {"fit": "given", "workers": 2, "seconds": 6.0, "rows": 500, "max_basis": 5}
    run |= {"seconds_of_passes": {"sums": 5.0}, "seconds_of_the_client": 1.0}
    workers = {"machine": machine, "runs": [run], "times_faster": {"given": 1.75}}
    workers["processes_at_once"] = {"1": 60.0, "2": 110.0}
    (tmp_path / "scale_houseelectric.json").write_text(json.dumps(tables))
    (tmp_path / "scale_workers.json").write_text(json.dumps(workers))
    made = write_page(tmp_path, tmp_path).read_text()
    assert "| ours, defaults | 70 | 1.75 | 0.0300 | −2.500 | 1.25 GiB |" in made
    assert "| GPyTorch SVGP | 900 |  | 0.0500 | −1.500 | 1.86 GiB |" in made
    assert "given 1.75" in made
    assert "10 of its 300 steps took 12.0 s: 360 s for all" in made
    assert "1 and 2 processes" in made and "60 and 110 GFLOP/s" in made


def test_powers():
    assert page._power(10**9) == "10⁹"
