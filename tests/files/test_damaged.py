"""Truncated, altered and foreign files give one clear error, and nothing else happens."""

import json
import pickle
import tracemalloc
from functools import cache

import numpy as np
import pytest
from safetensors.numpy import save as save_tensors

from sparsegp import load
from sparsegp.exceptions import ModelFileError
from sparsegp.files import NumpyPredictor, info
from sparsegp.files.container import _checksum, _checksum_position, from_bytes, to_bytes
from tests.files.models import NEW, fitted, predictions

NAMES = ("as given", "neighbours", "three classes", "stream, warm-up", "stream of three classes")


@cache
def file_of(name, folder):
    path = folder / "whole"
    fitted(name).save(path)
    return path.read_bytes()


@pytest.fixture
def whole(tmp_path_factory):
    return lambda name: file_of(name, tmp_path_factory.getbasetemp())


def flipped(data, rng):
    position = rng.integers(len(data))
    return data[:position] + bytes([data[position] ^ (1 << rng.integers(8))]) + data[position + 1 :]


def in_header(data, rng):
    """Overwrite a byte of the header, where it hurts most, by one that a header may hold."""
    position = 8 + rng.integers(int.from_bytes(data[:8], "little"))
    return (
        data[:position] + bytes([rng.choice(list(b'0123456789{}[]",: \n'))]) + data[position + 1 :]
    )


def truncated(data, rng):
    return data[: rng.integers(len(data))]


def longer(data, rng):
    return data + rng.bytes(rng.integers(1, 100))


def without_a_piece(data, rng):
    start = rng.integers(len(data))
    return data[:start] + data[start + rng.integers(1, 50) :]


def overwritten(data, rng):
    start, piece = rng.integers(len(data)), rng.bytes(rng.integers(1, 200))
    return data[:start] + piece + data[start + len(piece) :]


def with_header_of_any_length(data, rng):
    return int(2.0 ** rng.uniform(0, 64)).to_bytes(9, "little")[:8] + data[8:]


MUTATIONS = (
    *(flipped, in_header, truncated, longer, without_a_piece),
    *(overwritten, with_header_of_any_length),
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mutation", MUTATIONS)
def test_mutated_files(name, mutation, whole, tmp_path):
    """Sum up to more than a thousand files."""
    data, path, rng = whole(name), tmp_path / "mutated", np.random.default_rng(0)
    for _ in range(40):
        path.write_bytes(mutated := mutation(data, rng))
        if mutated == data:  # a byte was overwritten by itself
            continue
        for read in (load, info):
            with pytest.raises(ModelFileError, match=r"^cannot .*mutated: i"):
                read(path)
        with pytest.raises(ValueError, match="cannot load"):
            NumpyPredictor(path)


class Burglar:
    def __reduce__(self):
        return (open, ("burgled", "w"))


def foreign_files():
    yield b""
    yield b"\x00" * 7
    yield b"\xff" * 5_000
    yield b"mean,std\n1.0,2.0\n" * 100
    yield json.dumps({"sparsegp": {"sha256": "0" * 64}}).encode()
    yield pickle.dumps(Burglar())
    yield save_tensors({"weights": np.ones((3, 3))}, {"format": "pt"})
    yield save_tensors({"weights": np.ones((3, 3))}, {"sparsegp": "no JSON"})
    yield save_tensors({"sparsegp": np.ones(3)})
    yield np.random.default_rng(0).bytes(10_000)


@pytest.mark.parametrize("data", list(foreign_files()), ids=range(10))
def test_foreign_files(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "foreign"
    path.write_bytes(data)
    for read in (load, info):
        with pytest.raises(ModelFileError, match="not a sparsegp model file"):
            read(path)
    assert list(tmp_path.iterdir()) == [path]


def with_right_sum(data):
    """Return what a person would write who knows how the sum is made."""
    data = bytearray(data)
    data[_checksum_position(data)] = _checksum(data, _checksum_position(data))
    return bytes(data)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"shape":[20,3]', b'"shape":[9999999999,3]'),
        (b'"shape":[20,3]', b'"shape":[20,-3]'),
        (b'"shape":[20,3]', b'"shape":[18446744073709551615,18446744073709551615]'),
        (b'"dtype":"F64"', b'"dtype":"F99"'),
        (b'"data_offsets":[0,', b'"data_offsets":[99999999999999,'),
        (b'\\"format_version\\": 1', b'\\"format_version\\": 0'),
        (b'\\"format_version\\": 1', b'\\"format_version\\": true'),
        (b'\\"format_version\\": 1', b'\\"format_version\\": 7'),
        (b'\\"$type\\": \\"Posterior\\"', b'\\"$type\\": \\"os.system\\"'),
        (b'\\"$type\\": \\"RBF\\"', b'\\"$type\\": \\"Posterior\\"'),
        (b'\\"n_features_in_\\": 3', b'\\"n_features_in_\\": 4'),
        (b'\\"_one_target\\": true', b'\\"_one_target\\": 3'),
        (b'\\"_noise\\"', b'\\"predict\\"'),
        (b'\\"_noise\\"', b'\\"__class__\\"'),
        (b'\\"max_basis\\"', b'\\"self\\"'),
        (b'\\"SparseGPRegressor\\"', b'\\"OnlineGPRegressor\\"'),
        (b'\\"params\\": {', b'\\"params\\": ' + b"[" * 100_000 + b", {"),
        (b'\\"max_basis\\": 20', b'\\"max_basis\\": ' + b"9" * 5_000),
    ],
)
def test_files_that_somebody_wrote_on_purpose(old, new, whole, tmp_path):
    data = whole("as given")
    length = int.from_bytes(data[:8], "little")
    header = data[8 : 8 + length].replace(old, new, 1)
    assert header != data[8 : 8 + length]
    path = tmp_path / "model"
    path.write_bytes(
        with_right_sum(len(header).to_bytes(8, "little") + header + data[8 + length :])
    )
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match=r"^cannot load"):
            load(path)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def nodes_of(tree, found):
    """Collect (container, key) of everything in a document."""
    for key in tree if isinstance(tree, dict) else range(len(tree)):
        found.append((tree, key))
        if isinstance(tree[key], (dict, list)):
            nodes_of(tree[key], found)
    return found


STRANGE = (None, True, -1, 10**30, 1e308, "", "x", [], {}, [[1]], {"$same": 0}, {"$float": "nan"})


@pytest.mark.parametrize("name", NAMES)
def test_documents_with_a_part_exchanged(name, whole, tmp_path):
    """Either the parts do not make a model, or they make one that can be asked."""
    rng, path, outcomes = np.random.default_rng(0), tmp_path / "model", set()
    for _ in range(60):
        document, tensors = from_bytes(whole(name))
        changed = {part: document[part] for part in ("params", "state")}
        places = nodes_of(changed, [])
        container, key = places[rng.integers(2, len(places))]
        other = places[rng.integers(2, len(places))]
        strange = STRANGE[rng.integers(len(STRANGE))]
        container[key] = strange if rng.integers(2) else json.loads(json.dumps(other[0][other[1]]))
        path.write_bytes(to_bytes(document | changed, tensors))
        try:
            model = load(path)
        except ModelFileError:
            outcomes.add("refused")
        else:
            outcomes.add("loaded")
            ask(model)
    assert outcomes == {"refused", "loaded"}


def ask(model):
    """Predict: numbers, or an error that Python can tell of."""
    try:
        with np.errstate(all="ignore"):
            predictions(model)
    except Exception as error:
        assert str(error)


@pytest.mark.parametrize("name", NAMES)
def test_documents_with_an_array_exchanged(name, whole, tmp_path):
    rng, path = np.random.default_rng(0), tmp_path / "model"
    for _ in range(40):
        document, tensors = from_bytes(whole(name))
        key = sorted(tensors)[rng.integers(len(tensors))]
        old = tensors[key]
        tensors[key] = (
            old[..., :-1] if old.ndim else old,
            old[None],
            old.astype(np.float32),
            np.full_like(old, -1),
            np.zeros(0),
            tensors[sorted(tensors)[rng.integers(len(tensors))]],
        )[rng.integers(6)]
        path.write_bytes(to_bytes(document, tensors))
        try:
            model = load(path)
        except ModelFileError:
            continue
        ask(model)


def test_the_sum_is_not_fooled_by_texts(tmp_path):
    """A column may be called like the place of the sum."""
    model = fitted("as given")
    model.notes_ = '"sha256": "' + "0" * 64 + '"'
    try:
        model.save(tmp_path / "model")
    finally:
        del model.notes_
    np.testing.assert_array_equal(load(tmp_path / "model").predict(NEW), model.predict(NEW))
