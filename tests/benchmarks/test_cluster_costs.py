"""The cost of a fit on a cluster: what is noted of each pass, and what follows for more rows."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.scale.cluster import faster, kind_of, watched
from benchmarks.scale.cluster_page import cluster_section, predicted_faster
from sparsegp import SparseGPRegressor
from sparsegp.kernels import RBF
from sparsegp.model.moments import _moments_on_device

dask, da = pytest.importorskip("dask"), pytest.importorskip("dask.array")


def test_every_pass_is_noted_with_its_kind():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 2)), rng.normal(size=600)
    client = SimpleNamespace(run=lambda work: {"a worker": work()})
    options = {"optimizer": None, "transform_X": "standard", "transform_y": "standard"}
    model = SparseGPRegressor(RBF(1.0), max_basis=10, random_state=0, **options)
    with dask.config.set(scheduler="synchronous"), watched(client, 4) as passes:
        model.fit(da.from_array(X, chunks=(150, 2)), da.from_array(y, chunks=150))
    kinds = [each["pass"] for each in passes]
    assert kinds[:3] == ["rows fetched", "check of all numbers", "deviations"]
    assert kinds.count("moments") == 1
    moments = passes[kinds.index("moments")]
    assert moments["tasks"] == 4 + 1 and moments["bytes_of_a_result"] > 8 * 10**2
    assert all(len(each["worker_seconds"]) == 1 for each in passes)


def test_the_kind_of_a_sum_is_found_in_its_work():
    assert kind_of(partial(print, None, partial(_moments_on_device, print))) == "moments"
    assert kind_of(print) == "other sums"


def test_the_page_of_a_record():
    each = {"pass": "moments", "worker_seconds": [90.0], "rows_fetched": 0, "tasks": 3}
    each |= {"bytes_of_a_result": 2 * 10**6}
    run = {"rows": 10**6, "workers": 1, "basis": 500, "columns": 8, "passes": [each]}
    run |= {"client_seconds": 30.0, "worker_seconds": [95.0]}
    assert faster(run) == 1.0
    assert predicted_faster(run, 10**7) == pytest.approx((30 + 900) / (30 + 450))
    page = cluster_section({"runs": [run]})
    assert "| moments | 1 | 900.0 |" in page and "2 MB" in page
    assert "Not run yet" in cluster_section(None)
