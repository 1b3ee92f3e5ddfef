"""The encoding of a table is part of the model file."""

import json

import numpy as np
import pandas as pd
import pytest

from sparsegp import SparseGPRegressor, load
from sparsegp.estimators.mixins.encoding import of_inputs
from sparsegp.exceptions import ModelFileError
from sparsegp.files import NumpyPredictor, info, save, to_onnx
from sparsegp.files.container import from_bytes, to_bytes
from sparsegp.kernels import RBF, Categorical, OnColumns
from tests.files.models import TABLE, TABLES, X, Y, fitted


def rows_of(name):
    return np.where(X > 1.5, np.nan, X) if name.startswith("array") else TABLE


@pytest.mark.parametrize("name", TABLES)
def test_round_trip_and_numpy_alone(name, tmp_path):
    model, rows = fitted(name), rows_of(name)
    model.save(tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.encoding_ == model.encoding_ and repr(again.encoding_) == repr(model.encoding_)
    np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
    predictor = NumpyPredictor(tmp_path / "m")
    assert predictor.feature_names == model.encoding_.input_names
    found = predictor.predict(model.encoding_.encode(rows))
    if name == "table of labels":
        np.testing.assert_array_equal(found, model.predict(rows))
    else:
        np.testing.assert_allclose(found, model.predict(rows), atol=1e-9)


@pytest.mark.parametrize("name", ["raw table", "table of labels"])
def test_unseen_levels_without_the_library(name, tmp_path):
    model = fitted(name)
    rows = model.encoding_.encode(TABLE[:5])
    coded = [i for i, categorical in enumerate(model.encoding_.is_categorical) if categorical]
    rows[:, coded] = -1.0
    model.save(tmp_path / "m")
    found = NumpyPredictor(tmp_path / "m").predict(rows)
    named = pd.DataFrame(rows, columns=model.encoding_.input_names)
    expected = of_inputs(model).predict(named)
    if name == "table of labels":
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_info_describes_the_columns(tmp_path):
    fitted("raw table").save(tmp_path / "m")
    described = info(tmp_path / "m")["encoding"]
    assert described["left_out"] == {"unit": "is always 'cm'"}
    assert [c["kind"] for c in described["columns"]][:3] == ["number", "missing", "category"]


def test_onnx_takes_encoded_columns():
    kernel = OnColumns(RBF(), [0, 1])
    model = SparseGPRegressor(kernel, optimizer=None, transform_y="standard", max_basis=5)
    model.fit(rows_of("array"), Y)
    properties = {p.key: p.value for p in to_onnx(model).metadata_props}
    assert json.loads(properties["feature_names"]) == model.encoding_.input_names


def old_file(path):
    """Write a file as the command line of 0.1.0 did: encoded columns, and notes."""
    encoded = pd.DataFrame({"a": X[:, 0], "a is missing": X[:, 1] > 1.0, "b": X[:, 2] > 0.0})
    kernel = OnColumns(RBF(), [0]) * OnColumns(Categorical(), [1, 2])
    model = SparseGPRegressor(kernel, optimizer=None, max_basis=10, random_state=0)
    model.fit(encoded.astype(float), Y)
    mean = model.predict(encoded.astype(float))
    number = {"name": "a", "kind": "number", "fill": 0.5, "levels": []}
    missing = {"name": "a", "kind": "missing", "fill": None, "levels": []}
    category = {"name": "b", "kind": "category", "fill": None, "levels": ["yes"]}
    table = {"columns": [number, missing, category], "left_out": {}, "notes": []}
    save(model, path, notes={"table": table, "target": "y"})
    document, tensors = from_bytes(path.read_bytes())
    del document["state"]["encoding_"]
    path.write_bytes(to_bytes(document, tensors))
    return document, tensors, mean


def test_files_of_the_old_command_line_predict_raw_tables(tmp_path):
    _, _, mean = old_file(tmp_path / "m")
    model = load(tmp_path / "m")
    missing, yes = X[:, 1] > 1.0, X[:, 2] > 0.0
    present = ~missing
    raw = pd.DataFrame({"b": np.where(yes, "yes", None), "a": np.where(missing, np.nan, X[:, 0])})
    assert list(model.feature_names_in_) == ["a", "b"] and model.n_features_in_ == 2
    np.testing.assert_allclose(model.predict(raw)[present], mean[present])
    model.save(tmp_path / "again")
    np.testing.assert_array_equal(load(tmp_path / "again").predict(raw), model.predict(raw))


def test_crafted_encodings_are_refused(tmp_path):
    document, tensors, _ = old_file(tmp_path / "m")
    stored = document["notes"]["table"]
    for change in ({"columns": stored["columns"][:2]}, {"columns": 3}, {"left_out": None}):
        notes = {"table": stored | change}
        (tmp_path / "m").write_bytes(to_bytes(document | {"notes": notes}, tensors))
        with pytest.raises(ModelFileError):
            load(tmp_path / "m")
    fitted("raw table").save(tmp_path / "t")
    document, tensors = from_bytes((tmp_path / "t").read_bytes())
    text = json.dumps(document)
    for wrong in (text.replace('"number"', '"nought"'), text.replace('"day of week"', '"aeon"')):
        assert wrong != text
        (tmp_path / "t").write_bytes(to_bytes(json.loads(wrong), tensors))
        with pytest.raises(ModelFileError):
            load(tmp_path / "t")
