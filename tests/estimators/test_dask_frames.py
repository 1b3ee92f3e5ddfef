"""Dask dataframes: columns by name, partitions of any length, answers with their index."""

import numpy as np
import pytest

from sparsegp import SparseGPRegressor
from sparsegp.kernels import RBF

dask = pytest.importorskip("dask")
pandas = pytest.importorskip("pandas")
dd = pytest.importorskip("dask.dataframe")

OPTIONS = {
    "kernel": RBF(1.0),
    "max_basis": 15,
    "optimizer": None,
    "transform_X": "standard",
    "transform_y": "standard",
    "random_state": 0,
}


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 400))
    table = pandas.DataFrame({"a": a, "b": b, "n": rng.integers(0, 9, 400), "flag": b > 0})
    table["y"] = np.sin(2.0 * a) + b + 0.1 * rng.normal(size=400)
    table["w"] = rng.integers(0, 3, 400).astype(float)
    table.index = [f"row {i:03d}" for i in range(400)]
    return table


COLUMNS = ["a", "b", "n", "flag"]


def _same(answer, wanted, index):
    found = answer.compute()
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-8)
    assert found.index.tolist() == index.tolist()


@pytest.mark.parametrize("n_parts", [1, 3, 17])
def test_the_model_of_a_dataframe(frame, n_parts):
    far = dd.from_pandas(frame, npartitions=n_parts)
    model = SparseGPRegressor(**OPTIONS).fit(frame[COLUMNS], frame["y"], frame["w"])
    other = SparseGPRegressor(**OPTIONS).fit(far[COLUMNS], far["y"], far["w"])
    assert other.feature_names_in_.tolist() == COLUMNS
    assert np.array_equal(model.basis_indices_, other.basis_indices_)
    mean, std = other.predict(far[COLUMNS], return_std=True)
    assert isinstance(mean, dd.Series)
    wanted = model.predict(frame[COLUMNS], return_std=True)
    _same(mean, wanted[0], frame.index)
    _same(std, wanted[1], frame.index)
    density = other.log_density(far[COLUMNS], far["y"])
    _same(density, model.log_density(frame[COLUMNS], frame["y"]), frame.index)
    low, high = other.predict_interval(far[COLUMNS])
    _same(high - low, np.diff(model.predict_interval(frame[COLUMNS]), axis=0)[0], frame.index)
    score = other.score(far[COLUMNS], far["y"], sample_weight=far["w"])
    assert score == pytest.approx(model.score(frame[COLUMNS], frame["y"], frame["w"]), rel=1e-9)


def test_rows_left_out_and_partitions_without_any(frame):
    far = dd.from_pandas(frame, npartitions=8)
    far, near = far[far["a"] > 0.5], frame[frame["a"] > 0.5]
    first = far.partitions[0]
    none = dd.concat([first[first["a"] > 9.0], far])  # its first partition is empty
    model = SparseGPRegressor(**OPTIONS).fit(near[["a", "b"]], near["y"])
    for table in (far, none):
        other = SparseGPRegressor(**OPTIONS).fit(table[["a", "b"]], table["y"])
        assert np.array_equal(model.basis_indices_, other.basis_indices_)
        mean = other.predict(table[["a", "b"]])
        _same(mean, model.predict(near[["a", "b"]]), near.index)


def test_several_outputs_and_quantiles(frame):
    far = dd.from_pandas(frame, npartitions=3)
    X, far_X = frame[["a", "n"]], far[["a", "n"]]
    model = SparseGPRegressor(**OPTIONS).fit(X, frame[["y", "b"]])
    other = SparseGPRegressor(**OPTIONS).fit(far_X, far[["y", "b"]])
    mean = other.predict(far_X)
    assert isinstance(mean, dd.DataFrame)
    _same(mean, model.predict(X), frame.index)
    quantiles = other.predict_quantiles(far_X, [0.1, 0.9])
    wanted = model.predict_quantiles(X, [0.1, 0.9])  # (n, 2, 2)
    np.testing.assert_allclose(quantiles.compute(), wanted, rtol=0, atol=1e-8)


def test_nothing_is_computed_before_it_is_asked_for(frame):
    model = SparseGPRegressor(**OPTIONS).fit(frame[["a", "b"]], frame["y"])
    seen = []

    def look(part):
        seen.append(len(part))
        return part

    far = dd.from_pandas(frame[["a", "b"]], npartitions=4).map_partitions(
        look, meta=frame[["a", "b"]]
    )
    seen.clear()
    mean = model.predict(far)
    assert not seen
    mean.compute()
    assert sum(seen) == 400


def test_bad_dataframes(frame):
    far = dd.from_pandas(frame.assign(text="x"), npartitions=3)
    model = SparseGPRegressor(**OPTIONS)
    with pytest.raises(ValueError, match="X must hold numbers, but column 'text' is"):
        model.fit(far[["a", "text"]], far["y"])
    with pytest.raises(ValueError, match="column 'a' of X is float16"):
        model.fit(far[["a", "b"]].astype({"a": "float16"}), far["y"])
    with pytest.raises(ValueError, match="X and y must have the same partitions"):
        model.fit(far[["a", "b"]], far["y"].repartition(npartitions=2))
    with pytest.raises(ValueError, match="X and sample_weight must have the same partitions"):
        model.fit(far[["a", "b"]], far["y"], far["w"].repartition(npartitions=2))
    with pytest.raises(ValueError, match=r"X must have the shape \(n_samples, n_features\)"):
        model.fit(far["a"], far["y"])
    with pytest.raises(TypeError, match="y must be a Dask array or dataframe where"):
        model.fit(far[["a", "b"]], frame["y"])
    model.fit(far[["a", "b"]], far["y"])
    with pytest.raises(ValueError, match="feature names"):
        model.predict(far[["b", "a"]])
    with pytest.raises(TypeError, match=r"Dask array .* or a Dask dataframe, got Series"):
        model.predict(far["a"])
    holes = far.assign(a=far["a"].where(far["n"] > 0))
    row = int(np.flatnonzero(frame["n"] == 0)[0])
    with pytest.raises(ValueError, match=f"X contains NaN .first in row {row}, in column 'a'"):
        model.fit(holes[["a", "b"]], holes["y"])
