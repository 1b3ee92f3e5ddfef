"""Files that somebody wrote on purpose, with a right checksum: refused, or they predict."""

import copy
import os
import tracemalloc

import numpy as np
import pytest

from sparsegp import load
from sparsegp.exceptions import ModelFileError
from sparsegp.files import NumpyPredictor
from sparsegp.files.container import from_bytes, read_bytes, to_bytes
from sparsegp.files.json_encoding import Decoder
from tests.files.models import fitted, new_rows


@pytest.fixture
def crafted(tmp_path):
    """Return a function that saves a model with a changed document or arrays."""

    def craft(name, change):
        path = tmp_path / "model"
        fitted(name).save(path)
        document, tensors = from_bytes(read_bytes(path))
        change(document["state"], tensors)
        path.write_bytes(to_bytes(document, tensors))
        return path

    return craft


def refused(path, part=""):
    with pytest.raises(ModelFileError, match=f"^cannot load .*{part}"):
        load(path)


def refused_by_numpy(path, rows):
    with pytest.raises(ValueError, match=r"^cannot load|model file|does not"):
        NumpyPredictor(path).predict(rows)


def test_one_array_referred_to_again_and_again(crafted):
    """A large triangle, as often as it would fill the memory."""
    m = 600

    def change(state, tensors):
        node = copy.deepcopy(state["_posterior"]["parts"]["precision"])
        node["parts"]["L"] = {"$tensor": "large"}
        tensors["state/large"] = np.tri(m)[np.tri(m, dtype=bool)]
        state["more"] = {"$tuple": [copy.deepcopy(node) for _ in range(300)]}

    path = crafted("as given", change)
    tracemalloc.start()
    try:
        refused(path, "so often that they would fill the memory")
        assert tracemalloc.get_traced_memory()[1] < 30 * 8 * m * m
    finally:
        tracemalloc.stop()


def test_the_budget_suffices_for_shared_parts():
    """Objects that a model shares are stored and decoded once, however often they are used."""
    packed = np.tri(400)[np.tri(400, dtype=bool)]
    node = {"$type": "Triangle", "parts": {"L": {"$tensor": "L"}, "inverse": None}}
    found = Decoder({"L": packed}).decode([node, *[{"$same": 0}] * 1000])
    assert all(one is found[0] for one in found)


@pytest.mark.parametrize(("part", "value"), [("noise", -1.0), ("residual", -1.0), ("mean", 2.0)])
def test_scales_that_no_calibration_finds(crafted, part, value):
    def change(state, _):
        state["calibration_"]["parts"][part] = value

    refused(crafted("as given", change))


@pytest.mark.parametrize("shape", [(0, 200_000_000), (200_000_000, 0)])
@pytest.mark.parametrize("name", ["as given", "three classes", "stream"])
def test_empty_arrays_of_any_length(crafted, name, shape):
    """They take no bytes in a file, and gigabytes when they are joined with others."""

    def change(_, tensors):
        key = next(key for key in tensors if key.endswith(("alpha", "mu")))
        tensors[key] = np.zeros(shape)

    path = crafted(name, change)
    refused(path)
    refused_by_numpy(path, np.zeros((1, 3)))


NUMBERS = (np.nan, np.inf, 1e200)
ARRAYS = {
    "as given": ("beta", "alpha", "Z", "precision.L", "_scaling_X.offset", "_scaling_y.scale"),
    "neighbours": ("rows.X", "rows.y", "factor.L"),
    "three classes": ("posteriors.0.beta", "posteriors.0.basis.Z"),
    "stream": ("mu", "Sigma", "Q", "K_zz", "memory.rates"),
}


@pytest.mark.parametrize(("name", "array"), [(n, a) for n, names in ARRAYS.items() for a in names])
def test_numbers_that_no_model_has(crafted, name, array):
    for number in NUMBERS if "scaling" not in array else NUMBERS[:2]:

        def change(_, tensors, number=number):
            key = next(key for key in tensors if key.endswith(array))
            tensors[key] = np.array(tensors[key])
            tensors[key].flat[0] = number

        path = crafted(name, change)
        refused(path)
        if array in ("alpha", "Z") and np.isnan(number):
            refused_by_numpy(path, np.ones((1, 3)))


def at(state, *keys):
    for key in keys:
        state = state[key]
    return state


def noise_of(state):
    return at(state, "_noise", "parts")


CHANGES = {
    "a noise variance of NaN": (
        "as given",
        lambda state, _: noise_of(state).update(variance={"$float": "nan"}),
    ),
    "an infinite slope of the noise": (
        "as given",
        lambda state, _: at(state, "calibration_", "parts", "level", "parts").update(
            slope={"$float": "inf"}
        ),
    ),
    "a negative scale of the variance": (
        "as given",
        lambda state, _: at(state, "_posterior", "parts").update(residual_scale=-1e308),
    ),
    "a slope of 0": (
        "three classes",
        lambda state, _: at(state, "_fitted", "parts", "parameters", "parts").update(slope=0.0),
    ),
    "too few biases": (
        "three classes",
        lambda state, _: at(
            state, "_fitted", "parts", "parameters", "parts", "biases", "$tuple"
        ).pop(),
    ),
    "a class too few": (
        "three classes",
        lambda _, tensors: tensors.update({"state/classes_": tensors["state/classes_"][:2]}),
    ),
    "a column name too few": (
        "table",
        lambda state, _: at(state, "feature_names_in_", "$objects").pop(),
    ),
    "transforms of other columns": (
        "as given",
        lambda _, tensors: tensors.update(
            {f"state/_scaling_X.{part}": np.ones(2) for part in ("offset", "scale")}
        ),
    ),
    "a kernel of other columns": (
        "as given",
        lambda state, _: at(
            state, "_posterior", "parts", "basis", "parts", "kernel", "parts", "right", "parts"
        ).update(length_scale={"$tuple": [1.0, 1.0]}),
    ),
    "a stream of a billion columns": (
        "stream",
        lambda state, _: at(state, "_stream", "parts", "shape", "$tuple").__setitem__(0, 10**9),
    ),
    "more recent rows than there are": (
        "stream",
        lambda state, _: at(
            state, "_stream", "parts", "_rivalry", "parts", "recent", "parts"
        ).update(count=10**9),
    ),
    "a billion lags": (
        "stream",
        lambda state, _: at(state, "_stream", "parts", "settings", "parts", "lags", "parts").update(
            target=10**9
        ),
    ),
    "a kernel beyond all numbers": (
        "as given",
        lambda state, _: at(
            state, "_posterior", "parts", "basis", "parts", "kernel", "parts", "left", "parts"
        ).update(value=1e160),
    ),
    "a warp of infinite mean": (
        "target by log",
        lambda state, _: at(state, "_scaling_y", "parts", "warps", "$tuple", 0, "parts").update(
            mean={"$float": "inf"}
        ),
    ),
    "a warp with values of any size": (
        "target by log",
        lambda state, _: at(state, "_scaling_y", "parts", "warps", "$tuple", 0, "parts").update(
            deviation=1e160
        ),
    ),
    "a warp with a curve of any scale": (
        "target by yeo-johnson",
        lambda state, _: at(
            state, "_scaling_y", "parts", "warps", "$tuple", 0, "parts", "curve", "parts"
        ).update(spread=1e160),
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_parts_that_do_not_belong_together(crafted, change):
    refused(crafted(*CHANGES[change]))


def test_the_files_of_this_test_are_good_unless_changed(crafted):
    for name in {name for name, _ in CHANGES.values()} | set(ARRAYS):
        model = load(crafted(name, lambda *_: None))
        assert model.predict(new_rows(model)).shape == (40,)


WRONG_PARTS = (
    lambda state: state.pop("_noise"),
    lambda state: state.update(_noise=3),
    lambda state: state.update(_posterior={"$same": 10**6}),
    lambda state: state.update(_posterior={"$tensor": 1}),
    lambda state: state.update(encoding_=[1]),
    lambda state: state.update(n_features_in_={"$float": "inf"}),
    lambda state: at(state, "_posterior", "parts").update(weight_scale="x"),
    lambda state: at(state, "_posterior", "parts", "basis", "parts").update(Z="x"),
)


@pytest.mark.parametrize("change", WRONG_PARTS)
def test_numpy_predictor_has_one_kind_of_error(crafted, change):
    path = crafted("as given", lambda state, _: change(state))
    refused(path)
    with pytest.raises(ValueError, match=r"^cannot load .*model: |model file"):
        NumpyPredictor(path).predict(np.ones((1, 3)), return_std=True)


def test_a_device_is_no_model():
    """It may never end."""
    with pytest.raises(ModelFileError, match="device or a pipe"):
        load(os.devnull)
    with pytest.raises(ValueError, match="cannot load"):
        NumpyPredictor(os.devnull)
