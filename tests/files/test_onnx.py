"""Other run times predict the same from an ONNX graph."""

import json
import sys

import numpy as np
import pytest

from sparsegp import SparseGPRegressor
from sparsegp.exceptions import CannotSaveError
from sparsegp.files import to_onnx
from sparsegp.kernels import RBF, Categorical, Constant, Matern, OnColumns
from tests.files.models import FITS, NEIGHBOURS, NEW, X, Y, fitted, new_rows

pytest.importorskip("onnx", reason="to_onnx is an extra")
onnxruntime = pytest.importorskip("onnxruntime", reason="there is nothing to compare with")


def run(model):
    """Return the outputs of the graph by name, for the new rows."""
    data = model if isinstance(model, bytes) else to_onnx(model).SerializeToString()
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": NEW}), strict=True))


@pytest.mark.parametrize("name", [name for name in FITS if name not in NEIGHBOURS])
def test_it_predicts_what_the_estimator_predicts(name):
    model = fitted(name)
    found, rows = run(model), new_rows(model)
    if hasattr(model, "classes_"):
        wanted = model.predict_proba(rows)
        np.testing.assert_allclose(found["probabilities"], wanted, rtol=0.0, atol=1e-5)
        np.testing.assert_array_equal(model.classes_[found["class_index"]], model.predict(rows))
        return
    for ours, theirs in zip(
        (found["mean"], found["std"]), model.predict(rows, return_std=True), strict=True
    ):
        assert ours.shape == theirs.shape
        assert ours.dtype == np.float64
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)


KERNELS = [
    RBF((0.7, 1.5, 3.0)),
    *(Matern((0.7, 1.5, 3.0), nu=nu) for nu in (0.5, 1.5, 2.5)),
    2.0 * RBF() + 0.5 * Matern(nu=0.5) + 0.3,
    RBF(2.0) * Matern(nu=2.5) * Constant(1.7),
    (RBF() + 0.2) * (OnColumns(Matern(1.2), [2, 0]) + 1.0),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_kernels_sums_and_products(kernel):
    model = SparseGPRegressor(kernel, max_basis=30, optimizer=None, random_state=0).fit(X, Y)
    found = run(model)
    for ours, theirs in zip(
        (found["mean"], found["std"]), model.predict(NEW, return_std=True), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e-7)


def test_targets_of_any_size_keep_their_digits():
    # a fusion of onnxruntime rounds factors to float32
    model = SparseGPRegressor(max_basis=30, optimizer=None, random_state=0)
    model.fit(X, 1e6 + 1234.5678 * Y)
    mean, std = model.predict(NEW, return_std=True)
    np.testing.assert_allclose(run(model)["mean"], mean, rtol=1e-13)
    np.testing.assert_allclose(run(model)["std"], std, rtol=1e-12)


def test_a_file_and_what_it_tells(tmp_path):
    model = to_onnx(fitted("three classes"), tmp_path / "model.onnx")
    told = {entry.key: entry.value for entry in model.metadata_props}
    assert json.loads(told["classes"]) == ["low", "middle", "very high"]
    assert json.loads(told["feature_names"]) == ["a", "b", "größe"]
    data = (tmp_path / "model.onnx").read_bytes()
    np.testing.assert_array_equal(
        run(data)["probabilities"], run(fitted("three classes"))["probabilities"]
    )


def test_means_only(tmp_path):
    from sparsegp import load

    fitted("as given").save(tmp_path / "model", variance=False)
    found = run(load(tmp_path / "model"))
    assert list(found) == ["mean"]
    np.testing.assert_allclose(found["mean"], fitted("as given").predict(NEW), atol=1e-12)


def test_the_mean_of_a_bent_target_needs_the_variance(tmp_path):
    from sparsegp import load

    fitted("target by log").save(tmp_path / "model", variance=False)
    with pytest.raises(CannotSaveError, match="depends on the variance"):
        to_onnx(load(tmp_path / "model"))


def test_what_has_no_operators():
    model = SparseGPRegressor(Categorical(), max_basis=4, optimizer=None, random_state=0)
    with pytest.raises(CannotSaveError, match="no operators for the kernel Categorical"):
        to_onnx(model.fit(X.round(), Y))
    with pytest.raises(CannotSaveError, match="PolynomialFeatures"):
        from sklearn.preprocessing import PolynomialFeatures

        to_onnx(PolynomialFeatures().fit(X))


def test_neighbours_have_no_operators(tmp_path):
    from sparsegp import load

    model = fitted("neighbours")
    with pytest.raises(CannotSaveError, match=r"n_neighbors=0.*compact=True"):
        to_onnx(model, tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())
    model.save(tmp_path / "model", compact=True)
    loaded = load(tmp_path / "model")
    for ours, theirs in zip(
        run(loaded).values(), loaded.predict(NEW, return_std=True), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"sparsegp\[onnx\]"):
        to_onnx(fitted("as given"))
