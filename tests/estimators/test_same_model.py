"""The same model from the same rows: wherever they lie, whatever library holds them."""

import warnings

import numpy as np
import pytest

from sparsegp import SparseGPRegressor
from sparsegp.arrays import one_blas_thread, to_numpy
from sparsegp.kernels import RBF
from sparsegp.tables.out_of_core import OutOfCoreRows
from tests.array_libraries import HOST_LIBRARIES
from tests.estimators.sources import in_dask, in_map, in_parquet

#: Criteria that need sums over rows, and those that need a number for every row and candidate.
IN_SUMS = ("random", "matching_pursuit", "log_posterior", "marginal_likelihood")
IN_SAMPLES = ("information_gain", "loo_error", "loo_density", "loo_squared_error")
#: Every criterion once, and every approximation with a criterion of each of the two groups.
PAIRS = [
    *zip(IN_SUMS, ("sor", "dtc", "fitc", "vfe"), strict=True),
    *zip(IN_SAMPLES, ("fitc", "vfe", "sor", "dtc"), strict=True),
]
OPTIONS = {
    "kernel": 1.0 * RBF((1.0, 1.0, 2.0)),
    "max_basis": 20,
    "optimizer": None,
    "transform_X": "standard",
    "transform_y": "standard",
    "random_state": 3,
}


@pytest.fixture(autouse=True)
def one_thread():
    dask = pytest.importorskip("dask")
    with dask.config.set(scheduler="synchronous"):
        yield


def rows(n=350):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3))
    return X, np.sin(2.0 * X[:, 0]) + X[:, 0] * X[:, 2] + 0.1 * rng.normal(size=n)


def far_sources(folder, X, y, weight=None):
    """Yield what is handed to ``fit``: inputs, target and weights, if there are any."""
    more = [] if weight is None else [weight]
    table = in_parquet(folder, X, y=y, **({} if weight is None else {"sample_weight": weight}))
    yield in_map(folder, X), y, *more
    yield table.X, table.y, *([] if weight is None else [table.sample_weight])
    for n_parts in (1, 3, 17):
        yield in_dask(n_parts, X, y, *more)


def assert_same(model, other, X):
    assert np.array_equal(model.basis_indices_, other.basis_indices_)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        found = other.predict(X, return_std=True)
    for mine, wanted in zip(found, model.predict(X, return_std=True), strict=True):
        np.testing.assert_allclose(to_numpy(mine), wanted, rtol=0, atol=1e-8)


@pytest.mark.parametrize(("selection", "approximation"), PAIRS)
def test_every_selection_and_approximation(tmp_path, selection, approximation):
    X, y = rows()
    options = OPTIONS | {"selection": selection, "approximation": approximation}
    model = SparseGPRegressor(**options).fit(X, y)
    for source in far_sources(tmp_path, X, y):
        other = SparseGPRegressor(**options).fit(*source)
        assert isinstance(other._rows, OutOfCoreRows)
        assert_same(model, other, X)
    for library in HOST_LIBRARIES:
        assert_same(model, SparseGPRegressor(**options).fit(library(X), library(y)), X)


def test_what_is_left_to_the_evidence(tmp_path, monkeypatch):
    """Kernel and transforms are judged by the same rows, of which not all are looked at."""
    monkeypatch.setattr("sparsegp.learning.structure.policy.MAX_ROWS_SEEN", 200)
    X, y = rows()
    X, y = np.exp(X), np.exp(0.5 * y)
    options = {"max_basis": 20, "n_adaptations": 0, "random_state": 0}
    model = SparseGPRegressor(**options).fit(X, y)
    assert model.transform_y_ in ("log", "sinh-arcsinh")
    table = in_parquet(tmp_path, X, y=y)
    for source in ((table.X, table.y), in_dask(3, X, y)):
        other = SparseGPRegressor(**options).fit(*source)
        assert isinstance(other._rows, OutOfCoreRows)
        assert other.transform_y_ == model.transform_y_
        assert [*other.transform_X_.values()] == [*model.transform_X_.values()]
        assert_same(model, other, X)


@pytest.mark.parametrize("selection", ["log_posterior", "loo_density"])
def test_weights_and_rows_without_any(tmp_path, selection):
    X, y = rows()
    weight = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    weight[150:300] = 0.0  # a row group and whole partitions
    options = OPTIONS | {"selection": selection}
    model = SparseGPRegressor(**options).fit(X, y, weight)
    assert set(model.basis_indices_) <= set(np.flatnonzero(weight))
    for source in far_sources(tmp_path, X, y, weight):
        assert_same(model, SparseGPRegressor(**options).fit(*source), X)
    far = in_dask(3, X, y)
    assert_same(model, SparseGPRegressor(**options).fit(*far, sample_weight=weight), X)


def test_weights_that_all_count(tmp_path):
    X, y = rows()
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(X))
    options = OPTIONS | {"optimizer": "lbfgs", "n_adaptations": 1, "kernel": RBF(1.0)}
    model = SparseGPRegressor(**options).fit(X, y, weight)
    for source in far_sources(tmp_path, X, y, weight):
        assert_same(model, SparseGPRegressor(**options).fit(*source), X)


def test_scores_of_parts_are_those_of_the_whole(tmp_path):
    X, y = rows()
    weight = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    model = SparseGPRegressor(**OPTIONS).fit(X, y)
    for weights in (None, weight):
        wanted = model.score(X, y, weights)
        for source in far_sources(tmp_path, X, y, weights):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="X has feature names")
                assert model.score(*source) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_every_answer_about_rows_elsewhere(tmp_path, n_outputs):
    X, y = rows(200)
    y = y if n_outputs == 1 else np.column_stack((y, y**2))
    model = SparseGPRegressor(**OPTIONS).fit(X, y)
    sources = [(in_map(tmp_path, X), y), in_dask(3, X, y)]
    if n_outputs == 1:
        table = in_parquet(tmp_path, X, y=y)
        sources += [(table.X, table.y), (table.X, y)]
    questions = {
        "predict_latent": (True,),
        "predict_quantiles": ([0.1, 0.9],),
        "predict_interval": (0.5,),
        "log_density": "y",
        "cdf": "y",
    }
    for far, target in sources:
        for name, others in questions.items():
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="X has feature names")
                found = getattr(model, name)(far, *((target,) if others == "y" else others))
            wanted = getattr(model, name)(X, *((y,) if others == "y" else others))
            pairs = (
                zip(found, wanted, strict=True) if isinstance(found, tuple) else [(found, wanted)]
            )
            for mine, right in pairs:
                np.testing.assert_allclose(np.asarray(mine), right, rtol=0, atol=1e-8, err_msg=name)


def test_answers_that_need_arrays_or_the_right_target(tmp_path):
    X, y = rows(200)
    table, (far, target) = in_parquet(tmp_path, X, y=y), in_dask(3, X, y)
    model = SparseGPRegressor(**OPTIONS).fit(far, target)
    with pytest.raises(TypeError, match="X must be an array in memory here, got Array"):
        model.sample_y(far)
    with pytest.raises(TypeError, match="candidates must be an array in memory"):
        model.fit(far, target, candidates=far)
    with pytest.raises(TypeError, match="y must be a Dask collection of the kind of X"):
        model.log_density(far, y)
    with pytest.raises(ValueError, match="X and y must have the same partitions"):
        model.log_density(far, in_dask(2, y)[0])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.log_density(in_map(tmp_path, X), y[:-1])
    with pytest.raises(ValueError, match="target of the same table"):
        model.log_density(in_map(tmp_path, X), table.y)
    with pytest.raises(ValueError, match="requires y"):
        model.fit(far, None)


def test_predictions_of_chunks_of_unknown_sizes():
    X, y = rows(200)
    (far,) = in_dask(3, X)
    model = SparseGPRegressor(**OPTIONS).fit(X, y)
    found = model.predict(far[far[:, 0] > 1.0]).compute()
    np.testing.assert_allclose(found, model.predict(X[X[:, 0] > 1.0]), rtol=0, atol=1e-8)
    with pytest.raises(ValueError, match=r"call y\.compute_chunk_sizes\(\)"):
        model.fit(far, in_dask(3, y)[0][far[:, 0] > 1.0])


def test_scores_of_several_and_of_constant_outputs():
    X, y = rows()
    Y = np.column_stack((y, y**2, np.ones(len(y))))
    model = SparseGPRegressor(**OPTIONS).fit(X, Y)
    assert model.score(*in_dask(3, X, Y)) == pytest.approx(model.score(X, Y), rel=1e-12)
    with pytest.raises(ValueError, match="y has 1 outputs, but the model was fitted with 3"):
        model.score(*in_dask(3, X, y))
    Y[170, 1] = np.nan
    weight = np.ones(len(X))
    weight[:7] = 0.0
    with pytest.raises(ValueError, match=r"y contains NaN .first in row 170, in column 1"):
        model.score(*in_dask(3, X, Y, weight))


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(7), "one number per row"),
        (np.full(350, -1.0), "must not be negative"),
        (np.zeros(350), "zero for every row"),
        (np.full(350, np.nan), "sample_weight contains NaN"),
    ],
    ids=["length", "negative", "zero", "nan"],
)
def test_bad_weights(tmp_path, weight, message):
    X, y = rows()
    table = in_parquet(tmp_path, X, y=y)
    model = SparseGPRegressor(**OPTIONS)
    for source in ((table.X, table.y), in_dask(3, X, y)):
        with pytest.raises(ValueError, match=message):
            model.fit(*source, sample_weight=weight)
    if len(weight) == len(X):
        with pytest.raises(ValueError, match=message):
            model.fit(*in_dask(3, X, y, weight))
    assert not hasattr(model, "n_features_in_")


@pytest.mark.parametrize("selection", ["loo_density", "information_gain"])
def test_as_many_rows_as_fit_choose_the_basis(tmp_path, selection):
    X, y = rows(20_000)
    options = OPTIONS | {"selection": selection, "max_basis": 40}
    with one_blas_thread():  # each thread has blocks of its own
        model = SparseGPRegressor(**options, memory_limit="50MB").fit(in_map(tmp_path, X), y)
    (note,) = (each for each in model.history_ if each["phase"] == "rows that fit into memory")
    assert 1024 <= note["n_rows"] < note["of"] == 20_000
    assert model.n_basis_ == 40
    assert model.basis_indices_.max() > note["n_rows"]  # numbers of the table, not of these rows
    assert model.score(X, y) > 0.8


def test_half_precision_is_refused(tmp_path):
    X, y = (each.astype(np.float16) for each in rows(50))
    fit = SparseGPRegressor(**OPTIONS).fit
    for half in (X, in_map(tmp_path, X), *in_dask(3, X)):
        with pytest.raises(ValueError, match="X is float16, whose precision is too low"):
            fit(half, *in_dask(3, y.astype(float)))
    with pytest.raises(ValueError, match="y is float16"):
        fit(X.astype(float), y)
    with pytest.raises(ValueError, match="column 'y' is float16"):
        in_parquet(tmp_path, X, y=y)
