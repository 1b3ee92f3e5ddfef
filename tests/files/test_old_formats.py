"""Files of every format there was still load and predict what they did."""

import numpy as np
import pytest

from sparsegp import OnlineGPClassifier, OnlineGPRegressor, load
from sparsegp.files import NumpyPredictor, info
from sparsegp.files.container import FORMAT_VERSION
from tests.files.make_fixtures import FOLDER, ROWS, asked
from tests.files.models import LABELS, X, Y

FILES = sorted(FOLDER.glob("v*.safetensors"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_predicts_as_it_did(path):
    told = info(path)
    found = asked(load(path), variance=told["variance"])
    # the numbers were computed on another machine
    np.testing.assert_allclose(found, np.array(told["notes"]), rtol=1e-6, atol=1e-6)
    predictor = NumpyPredictor(path)
    if predictor.task == "classification":
        again = predictor.predict_proba(ROWS)
    else:
        again = predictor.predict(ROWS, return_std=told["variance"])
    np.testing.assert_allclose(again, np.array(told["notes"]), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_can_be_saved_in_the_present_format_and_streams_go_on(path, tmp_path):
    model = load(path)
    if isinstance(model, OnlineGPRegressor):
        model.partial_fit(X, Y)
    elif isinstance(model, OnlineGPClassifier):
        model.partial_fit(X, LABELS)
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict(ROWS), model.predict(ROWS))


def test_files_of_older_releases_are_among_them():
    assert {info(path)["library_version"] for path in FILES} >= {"0.1.0"}


def test_every_version_has_its_files():
    names = {path.stem.partition("_")[2] for path in FILES}
    assert len(names) == 10
    for version in range(1, FORMAT_VERSION + 1):
        assert {f"v{version}_{name}" for name in names} <= {path.stem for path in FILES}
