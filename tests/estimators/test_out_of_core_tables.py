"""The same model, wherever the rows lie: in memory, in a mapped file, in Parquet, in Dask."""

import numpy as np
import pytest

from sparsegp.arrays import one_blas_thread
from sparsegp.kernels import RBF
from sparsegp.tables import open_table
from sparsegp.tables.out_of_core import OutOfCoreRows
from sparsegp.tables.sources.blocks import BlockTable
from tests.plain import plain_regressor

N = 700


def _rows(n=N, n_columns=3):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, n_columns))
    y = np.sin(2.0 * X[:, 0]) + X[:, 0] * X[:, -1] + 0.1 * rng.normal(size=n)
    return X, y


@pytest.fixture
def mapped(tmp_path):
    def write(X, dtype=np.float64):
        file = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", dtype, X.shape)
        file[:] = X
        file.flush()
        return np.load(tmp_path / "X.npy", mmap_mode="r")

    return write


@pytest.fixture
def in_file(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")

    def write(X, y, **options):
        names = [f"x{i}" for i in range(X.shape[1])]
        frame = pandas.DataFrame(X, columns=names).assign(t=y)
        frame.to_parquet(tmp_path / "t.parquet", row_group_size=150)
        return open_table(tmp_path / "t.parquet", target="t", **options)

    return write


@pytest.fixture
def in_dask():
    da = pytest.importorskip("dask.array")
    import dask

    def cut(X, y, n_parts):
        sizes = tuple(len(part) for part in np.array_split(np.arange(len(X)), n_parts))
        return da.from_array(X, chunks=(sizes, -1)), da.from_array(y, chunks=(sizes,))

    with dask.config.set(scheduler="synchronous"):
        yield cut


def _assert_same(model, other, X):
    assert isinstance(other._rows, OutOfCoreRows)
    assert np.array_equal(model.basis_indices_, other.basis_indices_)
    for found, wanted in zip(
        other.predict(X, return_std=True), model.predict(X, return_std=True), strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    "options",
    [
        {"selection": "information_gain"},
        {"n_candidates": 5, "cache_size": 10},
        {"transform_X": "none", "transform_y": "none"},
        {"optimizer": "lbfgs", "objective": "loo_density", "kernel": "fixed"},
        {"optimizer": "lbfgs", "refine_basis": True, "kernel": "fixed", "max_basis": 5},
    ],
    ids=["information-gain", "fresh-candidates", "no-transform", "loo-objective", "refined"],
)
def test_same_model_with_other_options(mapped, options):
    X, y = _rows(400)
    kernel = RBF(1.0, length_scale_bounds="fixed") if options.get("kernel") else None
    options = {"max_basis": 15, "optimizer": None, "random_state": 0, **options, "kernel": kernel}
    model = plain_regressor(**options).fit(X, y)
    _assert_same(model, plain_regressor(**options).fit(mapped(X), y), X)


def test_weights_outputs_single_precision_and_candidates(mapped):
    X, y = _rows(300, 1)
    X = X.astype(np.float32)
    weight = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    Y = np.column_stack((y, y**2))
    options = {"max_basis": 10, "optimizer": None, "random_state": 0}
    model = plain_regressor(**options).fit(X, Y, sample_weight=weight)
    other = plain_regressor(**options).fit(mapped(X, np.float32), Y, sample_weight=weight)
    _assert_same(model, other, X)
    model = plain_regressor(**options).fit(X, Y, candidates=X[:50])
    other = plain_regressor(**options).fit(mapped(X, np.float32), Y, candidates=X[:50])
    _assert_same(model, other, X)


def test_a_limit_makes_blocks_of_an_array(capsys):
    X, y = _rows(300_000, 8)
    options = {"max_basis": 10, "optimizer": None, "selection": "random", "random_state": 0}
    model = plain_regressor(**options).fit(X, y)
    other = plain_regressor(**options, memory_limit="40MB", verbose=1)
    with one_blas_thread():  # each thread has blocks of its own
        with pytest.raises(MemoryError, match="raise memory_limit, or lower max_basis"):
            other.fit(X, y)
        other.set_params(memory_limit="60MB").fit(X, y)
        assert "rows at a time" in capsys.readouterr().out
        _assert_same(model, other, X[:1000])
        assert not isinstance(other.set_params(memory_limit="1GB").fit(X, y)._rows, OutOfCoreRows)


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"max_basis": 1000, "selection": "random"}, "lower max_basis"),
        ({"max_basis": 10}, r"lower cache_size .the candidates, now 2,000."),
        ({"max_basis": 10, "optimizer": "lbfgs"}, "optimizer=None"),
    ],
    ids=["basis", "pool", "search"],
)
def test_too_little_memory_names_what_takes_most(mapped, options, remedy):
    X, y = _rows(3000)
    model = plain_regressor(**{"optimizer": None, **options}, memory_limit="80MB")
    with (
        one_blas_thread(),  # each thread has a Gram matrix of its own
        pytest.raises(MemoryError, match=f"raise memory_limit, or .*{remedy}"),
    ):
        model.fit(mapped(X), y)


def test_a_far_model_answers_like_a_near_one(mapped):
    X, y = _rows(400)
    options = {"max_basis": 12, "optimizer": None, "approximation": "fitc", "random_state": 0}
    model = plain_regressor(**options).fit(X, y)
    other = plain_regressor(**options).fit(mapped(X), y)
    theta = model._parameters.vector + 0.1
    for found, wanted in zip(
        other.log_marginal_likelihood(theta, eval_gradient=True),
        model.log_marginal_likelihood(theta, eval_gradient=True),
        strict=True,
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-9)
    np.testing.assert_allclose(
        other.prefix(5).predict(X), model.prefix(5).predict(X), rtol=0, atol=1e-9
    )


@pytest.mark.parametrize("selection", ["random", "log_posterior"])
def test_few_rows_are_fetched(mapped, monkeypatch, selection):
    X, y = _rows(20_000)
    sizes, fetch = [], BlockTable.fetch

    def counted(self, numbers):
        sizes.append(len(numbers))
        return fetch(self, numbers)

    monkeypatch.setattr(BlockTable, "fetch", counted)
    options = {"max_basis": 10, "cache_size": 50, "optimizer": None, "random_state": 0}
    plain_regressor(selection=selection, **options).fit(mapped(X), y)
    assert 0 < max(sizes) <= 6_000


def test_predictions_of_files(mapped, in_file):
    X, y = _rows()
    table = in_file(X, y)
    model = plain_regressor(max_basis=10, optimizer=None, random_state=0).fit(table.X, table.y)
    assert model.feature_names_in_.tolist() == ["x0", "x1", "x2"]
    frame = pytest.importorskip("pandas").DataFrame(X, columns=["x0", "x1", "x2"])
    np.testing.assert_allclose(model.predict(table.X), model.predict(frame), rtol=0, atol=1e-10)
    low = model.predict_quantiles(table.X, 0.1)
    np.testing.assert_allclose(low, model.predict_quantiles(frame, 0.1), rtol=0, atol=1e-10)
    with pytest.raises(ValueError, match="return_cov"):
        model.predict(table.X, False, True)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(open_table(table.path, columns=["x1", "x0", "x2"]).X)


def test_predictions_of_dask_are_lazy(in_dask):
    X, y = _rows()
    model = plain_regressor(max_basis=10, optimizer=None, random_state=0).fit(X, y)
    mean, std = model.predict(in_dask(X, y, 3)[0], return_std=True)
    assert mean.chunks == ((234, 233, 233),)
    wanted = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean.compute(), wanted[0], rtol=0, atol=1e-10)
    np.testing.assert_allclose(std.compute(), wanted[1], rtol=0, atol=1e-10)


def test_threads_of_dask(in_dask):
    import dask

    X, y = _rows()
    options = {"max_basis": 20, "optimizer": None, "random_state": 0}
    model = plain_regressor(**options).fit(X, y)
    with dask.config.set(scheduler="threads", num_workers=4):
        _assert_same(model, plain_regressor(**options).fit(*in_dask(X, y, 17)), X)


def test_bad_rows_are_named_by_their_numbers(mapped, in_file, in_dask):
    X, y = _rows()
    X[611, 1] = np.nan
    table = in_file(X, y)
    weight = np.ones(N)
    weight[:10] = 0.0
    for arguments in ((mapped(X), y), (mapped(X), y, weight), (table.X, table.y), in_dask(X, y, 3)):
        model = plain_regressor(max_basis=5)
        with pytest.raises(ValueError, match=r"X contains NaN .first in row 611, in column"):
            model.fit(*arguments)
        assert not hasattr(model, "n_features_in_")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"transform_y": "log"}, "transform_y='log' needs targets above 0, got .* in row"),
        ({"noise": "student_t"}, "noise='student_t' .* needs all rows in memory"),
        ({"memory_limit": "much"}, "memory_limit must be"),
        ({"memory_limit": -1}, "memory_limit must be"),
        ({"memory_limit": True}, "memory_limit must be"),
    ],
    ids=["log", "noise", "text", "negative", "boolean"],
)
def test_bad_options(in_dask, options, message):
    X, y = _rows(50)
    with pytest.raises(ValueError, match=message):
        plain_regressor(**options).fit(*in_dask(X, y, 2))


@pytest.mark.parametrize(
    "options",
    [
        {"transform_X": {0: "quantile"}},
        {"transform_y": "yeo-johnson", "optimizer": "lbfgs"},
    ],
    ids=["columns", "target"],
)
def test_what_is_bent_or_left_open_is_learned_from_fetched_rows(mapped, in_dask, options):
    X, y = _rows(150, 1)
    options = {"max_basis": 10, "optimizer": None, "random_state": 0, **options}
    model = plain_regressor(**options).fit(X, np.exp(y))
    for source in ((mapped(X), np.exp(y)), in_dask(X, np.exp(y), 3)):
        _assert_same(model, plain_regressor(**options).fit(*source), X)


def test_a_small_map_is_an_array_where_all_of_it_is_needed(mapped):
    """Such as joblib makes of arrays for other processes."""
    X, y = _rows(150)
    options = {"max_basis": 10, "optimizer": None, "random_state": 0, "noise": "student_t"}
    model = plain_regressor(**options).fit(X, y)
    other = plain_regressor(**options).fit(mapped(X), y)
    np.testing.assert_allclose(other.predict(X), model.predict(X), rtol=1e-10)


def test_bad_files(in_file):
    X, y = _rows(50)
    table = in_file(X, y)
    with pytest.raises(ValueError, match="target of the same table"):
        plain_regressor().fit(table.X, y)


def test_bad_dask_arrays(in_dask):
    X, y = _rows()
    far, target = in_dask(X, y, 3)
    model = plain_regressor(max_basis=5)
    with pytest.raises(ValueError, match=r"X\.compute_chunk_sizes"):
        model.fit(far[far[:, 0] > 0], target)
    with pytest.raises(ValueError, match="same partitions"):
        model.fit(far, target.rechunk(100))
    with pytest.raises(TypeError, match="y must be a Dask array"):
        model.fit(far, y)
    with pytest.raises(ValueError, match="real numbers"):
        model.fit(far.astype(complex), target)
    with pytest.raises(ValueError, match="X is float16"):
        model.fit(far.astype("float16"), target)
