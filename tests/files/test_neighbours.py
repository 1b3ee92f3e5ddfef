"""Files of models with neighbours: with their training rows, or compact without them."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp import SparseGPRegressor, load
from sparsegp.exceptions import CannotSaveError, ModelFileError, NotInFileError
from sparsegp.files import NumpyPredictor, info, numpy_predictor, save
from sparsegp.files.container import from_bytes, to_bytes
from sparsegp.kernels import (
    RBF,
    Categorical,
    Constant,
    Linear,
    Matern,
    OnColumns,
    OneHot,
    Periodic,
    RationalQuadratic,
)
from sparsegp.model.posterior import Posterior
from tests.files.make_fixtures import FOLDER
from tests.files.models import (
    NEIGHBOURS,
    NEW,
    X,
    Y,
    assert_same_bits,
    fitted,
    new_rows,
    predictions,
)
from tests.property_settings import cases

RNG = np.random.default_rng(2)
# a quantity, an angle and a code
TABLE = np.column_stack((RNG.normal(size=300), RNG.uniform(0, 9, 300), RNG.integers(0, 3, 300)))
TARGET = np.sin(2.0 * TABLE[:, 0]) + np.cos(TABLE[:, 1]) + TABLE[:, 2] + 0.1 * RNG.normal(size=300)
KERNELS = {
    "one length scale": RBF(0.7),
    "rough": 2.0 * Matern((0.7, 1.0, 2.0), nu=0.5),
    "product": OnColumns(Matern(nu=1.5), [0])
    * OnColumns(Periodic(1.0, 6.3), [1])
    * OnColumns(Categorical(2.0), [2]),
    "one-hot": OneHot(Matern((0.7, 1.3, 2.0, 0.9, 1.1), nu=1.5), {2: (0, 1, 2)}),
    "sum": 0.5 * OnColumns(RationalQuadratic(), [0, 1])
    + OnColumns(Periodic(1.0, 6.3), [1]) * OnColumns(Categorical(), [2])
    + OnColumns(Linear(), [0]),
    "no decay": Linear() + Constant(2.0),
}
every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
every_fit = pytest.mark.parametrize("name", NEIGHBOURS)


def of_table(kernel, **options):
    given = {"max_basis": 20, "n_neighbors": 8, "optimizer": None, "transform_X": "none"}
    model = SparseGPRegressor(kernel, random_state=0, **given | options)
    return model.fit(TABLE[:200], TARGET[:200])


def again(model, tmp_path, **options):
    model.save(tmp_path / "model", **options)
    return load(tmp_path / "model")


# --- round trips ----------------------------------------------------------------------------------


@every_fit
def test_quantiles_and_densities_are_the_same_bit_for_bit(name, tmp_path):
    model = fitted(name)
    loaded, rows = again(model, tmp_path), new_rows(model)
    assert loaded.n_neighbors_ == 8
    targets = model.predict(rows) + 0.1
    quantiles = [each.predict_quantiles(rows, [0.1, 0.5, 0.9]) for each in (loaded, model)]
    np.testing.assert_array_equal(*quantiles)
    np.testing.assert_array_equal(*(m.log_density(rows, targets) for m in (loaded, model)))
    np.testing.assert_array_equal(*(m.cdf(rows, targets) for m in (loaded, model)))


@every_kernel
def test_kernels_of_codes_and_angles(kernel, tmp_path):
    model = of_table(kernel)
    loaded, rows = again(model, tmp_path), TABLE[200:]
    for options in ({"return_std": True}, {"return_cov": True}):
        found, wanted = (each.predict(rows, **options) for each in (loaded, model))
        np.testing.assert_array_equal(found[0], wanted[0])
        np.testing.assert_array_equal(found[1], wanted[1])


def test_what_needs_training_rows_works_where_they_are_in_the_file(tmp_path):
    model = fitted("neighbours, weights")
    loaded = again(model, tmp_path)
    assert_same_bits(predictions(loaded.prefix(7)), predictions(model.prefix(7)))
    for found, wanted in zip(
        loaded.log_marginal_likelihood(eval_gradient=True),
        model.log_marginal_likelihood(eval_gradient=True),
        strict=True,
    ):
        np.testing.assert_allclose(found, wanted)


def test_a_file_tells_how_many_rows_it_holds(tmp_path):
    save(fitted("neighbours"), tmp_path / "model")
    told = info(tmp_path / "model")
    assert (told["n_neighbors"], told["n_rows_kept"]) == (8, len(X))
    save(fitted("neighbours"), tmp_path / "model", compact=True)
    told = info(tmp_path / "model")
    assert (told["n_neighbors"], told["n_rows_kept"]) == (0, 0)
    assert told["n_basis"] == 20


def test_rows_take_their_own_size(tmp_path):
    model = of_table(KERNELS["rough"])
    model.save(tmp_path / "whole")
    model.save(tmp_path / "compact", compact=True)
    more = (tmp_path / "whole").stat().st_size - (tmp_path / "compact").stat().st_size
    assert 0 <= more - 200 * (3 + 1) * 8 <= 2_000


# --- files of before ------------------------------------------------------------------------------


def test_models_of_before_have_no_neighbours(tmp_path):
    model = load(FOLDER / "v1_regressor.safetensors")
    assert model.n_neighbors == "auto"
    assert model.n_neighbors_ == 0
    assert model._basis_alone is None
    np.testing.assert_array_equal(again(model, tmp_path).predict(NEW), model.predict(NEW))
    compact = again(model, tmp_path, compact=True)
    np.testing.assert_array_equal(compact.predict(NEW), model.predict(NEW))
    assert again(model, tmp_path, variance=False).n_neighbors_ == 0


# --- compact --------------------------------------------------------------------------------------


@every_fit
def test_the_basis_alone_predicts_from_a_compact_file(name, tmp_path):
    model = fitted(name)
    loaded, rows = again(model, tmp_path, compact=True), new_rows(model)
    alone, posterior = model._basis_alone, model._posterior.posterior
    assert loaded.n_neighbors_ == 0
    assert loaded.get_params(deep=False) == model.get_params(deep=False)
    assert loaded.calibration_ == alone.calibration
    assert loaded.noise_variance_ == alone.noise.variance
    assert type(loaded._posterior) is Posterior
    assert loaded._posterior.weight_scale == alone.calibration.noise
    assert loaded._posterior.residual_scale == alone.calibration.residual
    inputs = model._scaling_X.apply(np.asarray(rows))
    np.testing.assert_array_equal(loaded._posterior.mean(inputs), posterior.mean(inputs))
    assert not np.array_equal(loaded.predict(rows), model.predict(rows))
    assert np.all(loaded.predict(rows, return_std=True)[1] > 0.0)
    for ours, theirs in zip(
        NumpyPredictor(tmp_path / "model").predict(rows, return_std=True),
        loaded.predict(rows, return_std=True),
        strict=True,
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8)


def test_the_basis_alone_has_its_own_calibration(tmp_path):
    model = fitted("neighbours, calibrated")
    loaded = again(model, tmp_path, compact=True)
    assert loaded.calibration_ != model.calibration_
    assert loaded.noise_variance_ != model.noise_variance_


def test_a_fitted_model_keeps_its_neighbours(tmp_path):
    model = fitted("neighbours")
    before = predictions(model)
    model.save(tmp_path / "model", compact=True)
    assert model.n_neighbors_ == 8
    assert_same_bits(predictions(model), before)


def test_no_training_row_is_in_a_compact_file(tmp_path):
    model = fitted("neighbours")
    model.save(tmp_path / "whole")
    model.save(tmp_path / "compact", compact=True)
    whole, compact = ((tmp_path / name).read_bytes() for name in ("whole", "compact"))
    rows = model._posterior.rows
    outside = np.setdiff1d(np.arange(len(X)), model.basis_indices_)
    assert all(rows.X[row].tobytes() in whole for row in outside)
    assert not any(rows.X[row].tobytes() in compact for row in outside)
    assert not any(rows.y[row].tobytes() in compact for row in outside)
    for ask in (
        lambda model: model.prefix(3),
        lambda model: model.log_marginal_likelihood(eval_gradient=True),
    ):
        with pytest.raises(NotInFileError, match="training rows"):
            ask(load(tmp_path / "compact"))


@pytest.mark.parametrize("name", ["default", "two classes", "stream"])
def test_without_neighbours_a_compact_file_is_the_same(name, tmp_path):
    fitted(name).save(tmp_path / "whole")
    fitted(name).save(tmp_path / "compact", compact=True)
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "compact").read_bytes()


def test_means_only_need_a_compact_file(tmp_path):
    model = fitted("neighbours of two targets")
    with pytest.raises(CannotSaveError, match=r"n_neighbors_=8.*compact=True"):
        model.save(tmp_path / "model", variance=False)
    assert not list(tmp_path.iterdir())
    means = again(model, tmp_path, variance=False, compact=True)
    compact = again(model, tmp_path, compact=True)
    np.testing.assert_array_equal(means.predict(NEW), compact.predict(NEW))
    with pytest.raises(NotInFileError, match="variance=False"):
        means.predict(NEW, return_std=True)


# --- NumPy alone ----------------------------------------------------------------------------------


def assert_numpy_agrees(model, rows, path):
    model.save(path)
    predictor = NumpyPredictor(path)
    mean, std = model.predict(rows, return_std=True)
    tolerance = 1e-8 * (1.0 + np.max(np.abs(mean)))
    for ours, theirs in zip(predictor.predict(rows, return_std=True), (mean, std), strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=tolerance)
    np.testing.assert_allclose(predictor.predict(rows), mean, rtol=0.0, atol=tolerance)
    return predictor


@every_kernel
def test_numpy_alone_knows_every_metric(kernel, tmp_path):
    predictor = assert_numpy_agrees(of_table(kernel), TABLE[200:], tmp_path / "model")
    # a row is predicted alike alone, where most codes are missing, and among others
    alone = [predictor.predict(TABLE[row : row + 1])[0] for row in range(200, 210)]
    together = predictor.predict(TABLE[200:])[:10]
    np.testing.assert_allclose(alone, together, rtol=0.0, atol=1e-9)


def test_numpy_alone_knows_a_code_that_no_row_has(tmp_path):
    of_table(KERNELS["product"]).save(tmp_path / "model")
    rows = TABLE[200:210].copy()
    rows[:, 2] = 7.0
    mean, std = NumpyPredictor(tmp_path / "model").predict(rows, return_std=True)
    assert np.all(np.isfinite(mean))
    assert np.all(std > 0.0)


@cases(12)
@given(
    st.integers(0, 10**6),
    st.integers(21, 90),
    st.integers(1, 12),
    st.sampled_from([2, 12]),  # neighbours are found by a tree, or by products
    st.booleans(),
    st.booleans(),
)
def test_numpy_alone_on_random_models(tmp_path_factory, seed, n, k, n_columns, weighted, several):
    rng = np.random.default_rng(seed)
    inputs = rng.normal(size=(n + 10, n_columns))
    target = np.sin(inputs[:, :2]) + 0.1 * rng.normal(size=(n + 10, 2))
    model = SparseGPRegressor(
        1.5 * Matern(n_columns**0.5, nu=rng.choice([0.5, 1.5, 2.5])),
        max_basis=20,
        n_neighbors=k,
        optimizer=None,
        transform_y="sinh-arcsinh" if seed % 2 else "standard",
        noise_variance=rng.uniform(0.01, 0.2),
        random_state=0,
    )
    weight = rng.uniform(0.5, 3.0, n) if weighted else None
    model.fit(inputs[:n], target[:n] if several else target[:n, 0], sample_weight=weight)
    assert model.n_neighbors_ == k
    path = tmp_path_factory.getbasetemp() / "random"
    assert_numpy_agrees(model, inputs[n:], path)


def test_numpy_alone_knows_noise_factors(tmp_path):
    model = of_table(RBF())
    plain = model.predict(TABLE[200:])
    rows = replace(model._posterior.rows, noise_factor=np.linspace(0.2, 5.0, 200))
    model._posterior = replace(model._posterior, rows=rows)
    assert np.max(np.abs(model.predict(TABLE[200:]) - plain)) > 1e-3
    assert_numpy_agrees(model, TABLE[200:], tmp_path / "model")


def test_numpy_alone_works_in_blocks(tmp_path, monkeypatch):
    of_table(KERNELS["rough"]).save(tmp_path / "model")
    wanted = NumpyPredictor(tmp_path / "model").predict(TABLE, return_std=True)
    sizes = {"ROWS_PER_BLOCK": 70, "ROWS_COMPARED": 7, "FEATURE_VALUES": 900, "BATCH_VALUES": 2_000}
    for name, size in sizes.items():
        monkeypatch.setattr(numpy_predictor, name, size)
    found = NumpyPredictor(tmp_path / "model").predict(TABLE, return_std=True)
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10)


# --- altered files --------------------------------------------------------------------------------


def altered(tmp_path, change):
    """Write a file whose document and arrays were changed, with the right checksum."""
    fitted("neighbours, weights").save(tmp_path / "model")
    document, tensors = from_bytes((tmp_path / "model").read_bytes())
    change(document["state"], tensors)
    (tmp_path / "model").write_bytes(to_bytes(json.loads(json.dumps(document)), tensors))
    return tmp_path / "model"


def with_array(part, edit):
    def change(_, tensors):
        name = f"state/_posterior.rows.{part}"
        tensors[name] = edit(tensors[name].copy())

    return change


def with_part(part, value):
    def change(state, _):
        state["_posterior"]["parts"][part] = value

    return change


def without_basis_alone(state, _):
    state["_basis_alone"] = None


def with_nan(values):
    values[3] = np.nan
    return values


@pytest.mark.parametrize(
    "change",
    [
        with_array("X", lambda X: X[:, :2]),
        with_array("X", lambda X: X[:-1]),
        with_array("X", lambda X: X.astype(np.float32)),
        with_array("X", with_nan),
        with_array("y", lambda y: y[:-1]),
        with_array("y", lambda y: np.repeat(y, 2, axis=1)),
        with_array("y", lambda y: y[:, 0]),
        with_array("y", lambda y: np.full_like(y, np.inf)),
        with_array("weight", lambda weight: weight[:-1]),
        with_array("weight", lambda weight: -weight),
        with_array("weight", with_nan),
        with_part("k", 0),
        with_part("k", -1),
        with_part("k", 151),
        with_part("k", 2.5),
        with_part("k", None),
        with_part("variance", 0.0),
        with_part("variance", -1.0),
        with_part("variance", {"$float": "inf"}),
        with_part("variance", {"$float": "nan"}),
        with_part("rows", None),
        with_part("posterior", None),
        without_basis_alone,
    ],
)
def test_altered_rows_are_refused(change, tmp_path):
    path = altered(tmp_path, change)
    with pytest.raises(ModelFileError, match="not a valid model"):
        load(path)


def test_an_unaltered_copy_loads(tmp_path):
    path = altered(tmp_path, lambda *_: None)
    np.testing.assert_array_equal(
        load(path).predict(NEW), fitted("neighbours, weights").predict(NEW)
    )
    assert len(load(path)._posterior.rows) < len(Y)  # rows of weight zero are left out
