"""NumPy alone predicts the same from a file."""

import subprocess
import sys

import numpy as np
import pytest

from sparsegp import SparseGPRegressor
from sparsegp.files import NumpyPredictor, numpy_predictor
from sparsegp.files.numpy_predictor import _PARTS
from sparsegp.files.registry import SERIALIZERS
from sparsegp.tables.transforms.warps import Warps
from tests.files.models import FITS, NEIGHBOURS, NEW, X, fitted, new_rows
from tests.oracles.kernel_examples import EXAMPLES


def bent(model):
    return isinstance(getattr(model, "_scaling_y", None), Warps)


def rounding(model, rows):
    """Return how far the two ways in which an estimator has a mean are apart.

    An almost dependent basis magnifies rounding, in the estimator as in its imitation.
    """
    if not bent(model):
        return float(np.max(np.abs(model.predict(rows) - model.predict(rows, return_std=True)[0])))
    inputs = model._scaling_X.apply(np.asarray(rows))  # a mean of a bent target is had in one way
    mean, _ = model._posterior.mean_and_variance(inputs)
    return float(np.max(np.abs(model._posterior.mean(inputs) - mean)))


@pytest.mark.parametrize("name", FITS)
def test_it_predicts_what_the_estimator_predicts(name, tmp_path):
    model = fitted(name)
    model.save(tmp_path / "model")
    predictor, rows = NumpyPredictor(tmp_path / "model"), new_rows(model)
    if predictor.task == "classification":
        np.testing.assert_array_equal(predictor.predict(rows), model.predict(rows))
        found, wanted = predictor.predict_proba(rows), model.predict_proba(rows)
        np.testing.assert_allclose(found, wanted, rtol=0.0, atol=1e-12)
        return
    scale = 1.0 + np.max(np.abs(model.predict(rows)))
    tolerance = 1e-12 * scale + 30.0 * rounding(model, rows)
    if name in NEIGHBOURS:  # their mean is had in one way, and magnifies rounding too
        tolerance = 1e-9 * scale
    np.testing.assert_allclose(predictor.predict(rows), model.predict(rows), atol=tolerance)
    found, wanted = (one.predict(rows, return_std=True) for one in (predictor, model))
    magnified = np.maximum(1.0, 0.5 / wanted[1])  # the root of a small variance
    for ours, theirs, factor in zip(found, wanted, (1.0, magnified), strict=True):
        assert ours.shape == theirs.shape
        assert np.all(np.abs(ours - theirs) <= tolerance * factor + 1e-12 * np.abs(theirs))


@pytest.mark.parametrize("name", [name for name in EXAMPLES if not name.startswith("own")])
def test_every_kernel(name, tmp_path):
    example = EXAMPLES[name]
    inputs = example.inputs(40)
    options = {"max_basis": 3, "optimizer": None, "transform_X": "none", "random_state": 0}
    model = SparseGPRegressor(example.kernel, **options).fit(inputs, np.sin(inputs.sum(axis=1)))
    model.save(tmp_path / "model")
    found = NumpyPredictor(tmp_path / "model").predict(inputs, return_std=True)
    wanted = model.predict(inputs, return_std=True)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def test_more_rows_than_a_block_and_more_basis_vectors_than_a_panel(tmp_path):
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(2_500, 3))
    model = SparseGPRegressor(max_basis=200, optimizer=None, random_state=0, selection="random")
    model.fit(inputs, np.sin(inputs[:, 0]))
    model.save(tmp_path / "model")
    found = NumpyPredictor(tmp_path / "model").predict(inputs, return_std=True)
    np.testing.assert_allclose(found, model.predict(inputs, return_std=True), atol=1e-10)


BLOCKED = """
import sys

class OnlyNumpy:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("scipy", "sklearn", "sparsegp", "safetensors", "pandas", "onnx"):
            raise ImportError("blocked: " + name)

sys.meta_path.insert(0, OnlyNumpy())
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("alone", sys.argv[1])
module = module_from_spec(spec)
spec.loader.exec_module(module)
import numpy as np
predictor = module.NumpyPredictor(sys.argv[2])
mean, std = predictor.predict(np.load(sys.argv[3]), return_std=True)
np.save(sys.argv[4], np.stack((mean, std)))
"""


def test_it_needs_numpy_alone(tmp_path):
    model = fitted("as given")
    model.save(tmp_path / "model")
    np.save(tmp_path / "rows.npy", NEW)
    paths = [numpy_predictor.__file__, *(tmp_path / name for name in ("model", "rows.npy"))]
    command = [sys.executable, "-c", BLOCKED, *map(str, paths), str(tmp_path / "found.npy")]
    subprocess.run(command, check=True, cwd=tmp_path)
    wanted = model.predict(NEW, return_std=True)
    np.testing.assert_allclose(np.load(tmp_path / "found.npy"), wanted, rtol=0.0, atol=1e-12)


def test_means_only(tmp_path):
    model = fitted("two targets")
    model.save(tmp_path / "model", variance=False)
    predictor = NumpyPredictor(tmp_path / "model")
    np.testing.assert_allclose(predictor.predict(NEW), model.predict(NEW), atol=1e-12)
    with pytest.raises(ValueError, match="variance=False"):
        predictor.predict(NEW, return_std=True)


def test_far_outside_of_the_rows_it_is_the_same(tmp_path):
    model = fitted("all by evidence")
    model.save(tmp_path / "model")
    rows = np.array([[1e3, -1e3, 0.0], [1e-9, 1e6, -1e6], [0.0, 0.0, 0.0]])
    found = NumpyPredictor(tmp_path / "model").predict(rows, return_std=True)
    assert np.all(np.isfinite(found))
    # so far out the deviation is an integral over a steep curve, which enlarges rounding
    np.testing.assert_allclose(found, model.predict(rows, return_std=True), rtol=1e-6)


def test_the_mean_of_a_bent_target_needs_the_variance(tmp_path):
    fitted("target by log").save(tmp_path / "model", variance=False)
    with pytest.raises(ValueError, match="cannot predict a warped target"):
        NumpyPredictor(tmp_path / "model").predict(NEW)


def test_bad_questions(tmp_path):
    fitted("table").save(tmp_path / "model")
    predictor = NumpyPredictor(tmp_path / "model")
    assert predictor.feature_names == ["a", "b", "größe"]
    rows = new_rows(fitted("table"))
    with pytest.raises(ValueError, match="in this order"):
        predictor.predict(rows[["b", "a", "größe"]])
    with pytest.raises(ValueError, match=r"\(n, 3\)"):
        predictor.predict(X[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        predictor.predict(np.full((2, 3), np.nan))
    with pytest.raises(ValueError, match="no classes"):
        predictor.predict_proba(NEW)


@pytest.mark.parametrize("kind", _PARTS)
def test_it_knows_every_part_that_a_prediction_depends_on(kind):
    assert set(_PARTS[kind].split()) == set(SERIALIZERS[kind].part_names)
