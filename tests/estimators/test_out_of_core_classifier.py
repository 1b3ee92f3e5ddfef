"""The same classifier, wherever the rows lie: in memory, in a mapped file, in Parquet, in Dask."""

import numpy as np
import pytest

from sparsegp import SparseGPClassifier
from sparsegp.arrays import one_blas_thread
from sparsegp.kernels import RBF
from sparsegp.tables import open_table
from sparsegp.tables.out_of_core import OutOfCoreRows
from sparsegp.tables.sources.blocks import BlockTable

N = 300
FIXED = {"kernel": 2.0 * RBF(1.0), "max_basis": 15, "optimizer": None, "random_state": 0}
LEARNED = {"kernel": RBF(1.0), "max_basis": 5, "random_state": 0}

both_numbers_of_classes = pytest.mark.parametrize("n_classes", [2, 3])


def _rows(n_classes=3, n=N):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3))
    f = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n)
    borders = [0.3] if n_classes == 2 else [-0.7, 0.9]
    return X, np.array(["few", "many", "none"])[np.digitize(f, borders)]


@pytest.fixture
def small_parts(monkeypatch):
    """Cut tables into parts of 97 rows."""
    monkeypatch.setattr("sparsegp.tables.memory.ROWS_OF_BLOCK", 97)


@pytest.fixture
def mapped(tmp_path):
    def write(X):
        np.save(tmp_path / "X.npy", X)
        return np.load(tmp_path / "X.npy", mmap_mode="r")

    return write


@pytest.fixture
def in_file(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")

    def write(X, y, weight=None):
        frame = pandas.DataFrame(X, columns=["a", "b", "c"]).assign(label=y, weight=weight)
        frame.to_parquet(tmp_path / "rows.parquet", row_group_size=150)
        weights = None if weight is None else "weight"
        path = tmp_path / "rows.parquet"
        return open_table(path, target="label", columns=["a", "b", "c"], sample_weight=weights)

    return write


@pytest.fixture
def in_dask():
    da = pytest.importorskip("dask.array")
    import dask

    def cut(n_parts, *arrays):
        sizes = tuple(len(part) for part in np.array_split(np.arange(len(arrays[0])), n_parts))
        return tuple(da.from_array(a, chunks=(sizes, *a.shape[1:])) for a in arrays)

    with dask.config.set(scheduler="synchronous"):
        yield cut


def _assert_same(model, other, X):
    assert isinstance(other._rows, OutOfCoreRows)
    assert np.array_equal(model.basis_indices_, other.basis_indices_)
    assert np.array_equal(model.classes_, other.classes_)
    vars(other).pop("feature_names_in_", None)  # X has none
    assert np.array_equal(model.predict(X), other.predict(X))
    pairs = [(model.predict_proba(X), other.predict_proba(X))]
    pairs += zip(
        model.predict_latent(X, return_std=True),
        other.predict_latent(X, return_std=True),
        strict=True,
    )
    for wanted, found in pairs:
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-8)


@both_numbers_of_classes
def test_same_model_from_every_source(mapped, in_file, in_dask, small_parts, n_classes):
    X, y = _rows(n_classes)
    table = in_file(X, y)
    sources = [(mapped(X), y), (table.X, table.y), *(in_dask(k, X, y) for k in (1, 3, 17))]
    model = SparseGPClassifier(**FIXED).fit(X, y)
    for source in sources:
        _assert_same(model, SparseGPClassifier(**FIXED).fit(*source), X)


@both_numbers_of_classes
def test_same_model_with_learned_hyperparameters(mapped, in_dask, small_parts, n_classes):
    X, y = _rows(n_classes)
    model = SparseGPClassifier(**LEARNED).fit(X, y)
    source = in_dask(17, X, y) if n_classes == 2 else (mapped(X), y)
    _assert_same(model, SparseGPClassifier(**LEARNED).fit(*source), X)


def test_weighted_rows_and_classes(mapped, in_file, in_dask, small_parts):
    X, y = _rows()
    weight = np.random.default_rng(0).uniform(0.0, 2.0, N)
    weight[::7] = 0.0
    options = FIXED | {"class_weight": "balanced"}
    model = SparseGPClassifier(**options).fit(X, y, weight)
    table = in_file(X, y, weight)
    sources = [(mapped(X), y, weight), (table.X, table.y, table.sample_weight)]
    sources += [in_dask(3, X, y, weight), (*in_dask(17, X, y), weight)]
    for source in sources:
        _assert_same(model, SparseGPClassifier(**options).fit(*source), X)


def test_classes_without_weight(mapped, in_dask):
    X, y = _rows()
    options = FIXED | {"class_weight": {"few": 0.0, "many": 1.0, "none": 2.0}}
    model = SparseGPClassifier(**options).fit(X, y)
    assert model.classes_.tolist() == ["many", "none"]
    for source in ((mapped(X), y), in_dask(3, X, y)):
        _assert_same(model, SparseGPClassifier(**options).fit(*source), X)


@pytest.mark.parametrize(
    "options",
    [
        {"selection": "information_gain", "transform_X": "none"},
        {"transform_X": "quantile"},
        {"stop": "auto", "sites": "predictive_loss", "inference": "variational"},
        {"time_limit": 600.0},
    ],
    ids=["information-gain", "quantile", "stop", "time-limit"],
)
def test_same_model_with_other_options(mapped, small_parts, options):
    X, y = _rows(2)
    model = SparseGPClassifier(**FIXED | options).fit(X, y)
    _assert_same(model, SparseGPClassifier(**FIXED | options).fit(mapped(X), y), X)


def test_more_rows_than_choose_the_basis(mapped, small_parts, monkeypatch):
    monkeypatch.setattr("sparsegp.learning.classes.policy.ROWS_FOR_SELECTION", 120)
    monkeypatch.setattr("sparsegp.learning.classes.policy.MAX_ROWS_TO_OPTIMISE", 110)
    X, y = _rows(2)
    sizes, fetch = [], BlockTable.fetch

    def counted(self, numbers):
        sizes.append(len(numbers))
        return fetch(self, numbers)

    model = SparseGPClassifier(**LEARNED).fit(X, y)
    monkeypatch.setattr(BlockTable, "fetch", counted)
    with monkeypatch.context() as no_first_search:
        no_first_search.setattr(
            "sparsegp.learning.classes.label_targets.SHORT_STAGES", ((130, 60),)
        )
        SparseGPClassifier(**LEARNED).fit(mapped(X), y)
    assert max(sizes) <= 130
    _assert_same(model, SparseGPClassifier(**LEARNED).fit(mapped(X), y), X)


def test_a_limit_makes_blocks_of_an_array(capsys):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 40))
    y = X[:, 0] + X[:, 1] ** 2 > 1.0
    options = FIXED | {"max_basis": 5, "selection": "random", "n_candidates": 1}
    model = SparseGPClassifier(**options).fit(X, y)
    other = SparseGPClassifier(**options, memory_limit="40MB", verbose=1)
    with one_blas_thread():  # each thread has blocks of its own
        with pytest.raises(MemoryError, match="raise memory_limit, or lower max_basis"):
            other.fit(X, y)
        other.set_params(memory_limit="76MB").fit(X, y)
        assert "rows at a time" in capsys.readouterr().out
        _assert_same(model, other, X[:1000])
        assert not isinstance(other.set_params(memory_limit="1GB").fit(X, y)._rows, OutOfCoreRows)


def test_predictions_and_scores(mapped, in_file, in_dask):
    X, y = _rows()
    table, weight = in_file(X, y), np.arange(N) % 3
    frame = pytest.importorskip("pandas").DataFrame(X, columns=["a", "b", "c"])
    model = SparseGPClassifier(**FIXED).fit(table.X, table.y)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert np.array_equal(model.predict(table.X), model.predict(frame))
    np.testing.assert_allclose(
        model.predict_proba(table.X), model.predict_proba(frame), rtol=0, atol=1e-12
    )
    assert model.score(table.X, table.y, weight) == model.score(frame, y, weight)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(open_table(table.path, columns=["b", "a", "c"]).X)
    near = SparseGPClassifier(**FIXED).fit(X, y)
    far, labels = in_dask(3, X, y)
    lazy = near.predict(far)
    assert lazy.chunks == far.chunks[:1]
    assert np.array_equal(lazy.compute(), near.predict(X))
    np.testing.assert_allclose(near.predict_proba(far).compute(), near.predict_proba(X), rtol=1e-12)
    mean, std = near.predict_latent(far, return_std=True)
    assert mean.shape == std.shape == (N, 3)
    assert near.score(far, labels) == near.score(mapped(X), y) == near.score(X, y)


def test_dask_dataframes(in_dask):
    pytest.importorskip("pyarrow")
    dd = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    X, y = _rows(2)
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    far = dd.from_pandas(frame.assign(label=y), npartitions=4)
    model = SparseGPClassifier(**FIXED).fit(frame, y)
    other = SparseGPClassifier(**FIXED).fit(far[["a", "b", "c"]], far["label"])
    assert np.array_equal(model.basis_indices_, other.basis_indices_)
    assert other.feature_names_in_.tolist() == ["a", "b", "c"]
    found = other.predict(far[["a", "b", "c"]]).compute()
    assert np.array_equal(np.asarray(found, dtype=object), model.predict(frame))


def test_numbers_as_labels(in_file, in_dask):
    X, y = _rows()
    codes = np.unique(y, return_inverse=True)[1] - 1
    model = SparseGPClassifier(**FIXED).fit(X, codes)
    table = in_file(X, codes)
    far, labels = in_dask(3, X, codes)
    for source in ((table.X, table.y), (far, labels), (far, labels[:, None])):
        other = SparseGPClassifier(**FIXED).fit(*source)
        _assert_same(model, other, X)
        assert other.classes_.dtype.kind == "i"


def test_a_shorter_model(mapped, small_parts):
    X, y = _rows(2)
    model = SparseGPClassifier(**FIXED).fit(X, y).prefix(6)
    _assert_same(model, SparseGPClassifier(**FIXED).fit(mapped(X), y).prefix(6), X)


def test_bad_rows_are_named_by_their_numbers(mapped, in_file, in_dask):
    X, y = _rows()
    X[211, 1] = np.nan
    table, weight = in_file(X, y), (np.arange(N) > 9).astype(float)
    for source in ((mapped(X), y), (mapped(X), y, weight), (table.X, table.y), in_dask(3, X, y)):
        model = SparseGPClassifier(**FIXED)
        with pytest.raises(ValueError, match=r"X contains NaN .first in row 211, in column"):
            model.fit(*source)
        assert not hasattr(model, "n_features_in_")


def test_what_needs_a_table_in_memory(mapped, in_dask):
    X, y = _rows(2)
    active = SparseGPClassifier(**FIXED, posterior="active")
    with pytest.raises(ValueError, match="posterior='active' relates every row"):
        active.fit(*in_dask(3, X, y))
    found = active.fit(mapped(X), y).predict_proba(X)  # small: read as a whole
    np.testing.assert_allclose(found, active.fit(X, y).predict_proba(X), rtol=1e-10)


def test_bad_labels(in_file, in_dask):
    X, y = _rows(2)
    texts = y.astype(object)
    texts[3] = None
    table = in_file(X, texts)
    with pytest.raises(ValueError, match="y has no label in row 3"):
        SparseGPClassifier(**FIXED).fit(table.X, table.y)
    with pytest.raises(ValueError, match="target of the same table"):
        SparseGPClassifier(**FIXED).fit(table.X, y)
    with pytest.raises(ValueError, match=r"fit\(table\.X, table\.y\)"):
        SparseGPClassifier(**FIXED).fit(X, table.y)
    with pytest.raises(ValueError, match="one class"):
        SparseGPClassifier(**FIXED).fit(*in_dask(3, X, np.full(N, "same")))
    far, labels = in_dask(3, X, y)
    with pytest.raises(ValueError, match="same partitions"):
        SparseGPClassifier(**FIXED).fit(far, labels.rechunk(90))
    with pytest.raises(TypeError, match="y must be a Dask"):
        SparseGPClassifier(**FIXED).fit(far, y)
