"""Values survive the way through JSON and arrays, with their types and their sharing."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sparsegp.exceptions import CannotSaveError
from sparsegp.files.container import from_bytes, to_bytes
from sparsegp.files.json_encoding import Decoder, Encoder
from sparsegp.files.packed_triangles import LOWER, SYMMETRIC, UPPER
from sparsegp.kernels import RBF, Constant, Matern, Periodic
from sparsegp.tables.transforms.scaling import Scaling

POSITIVE = st.floats(1e-300, 1e300)
LEAVES = st.one_of(
    *(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    st.builds(np.float32, st.floats(width=32)),
    st.builds(np.float64, st.floats()),
    st.builds(np.int8, st.integers(-128, 127)),
    st.builds(np.bool_, st.booleans()),
    hnp.arrays(
        st.sampled_from([np.float64, np.float32, np.int64, np.uint8, np.bool_]),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
    ),
    hnp.arrays(np.dtype("U5"), hnp.array_shapes(min_dims=1, max_dims=1, min_side=0)),
    st.builds(RBF, POSITIVE),
    st.builds(Matern, st.tuples(POSITIVE, POSITIVE), st.just("fixed"), st.sampled_from([0.5, 2.5])),
    st.builds(lambda a, b: Constant(a) * Periodic(b) + 1.0, POSITIVE, POSITIVE),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.one_of(st.text(), st.integers(), st.booleans()), inner, max_size=3),
    ),
    max_leaves=8,
)


def there_and_back(value):
    encoder = Encoder()
    document = {"value": encoder.encode(value, "value")}
    arrays = encoder.tensors | {"one": np.ones(1)}  # safetensors 0.4.3 needs one
    document, tensors = from_bytes(to_bytes(json.loads(json.dumps(document)), arrays))
    return Decoder(tensors).decode(document["value"])


def assert_same(found, wanted):
    assert type(found) is type(wanted)
    if isinstance(wanted, (list, tuple)):
        assert len(found) == len(wanted)
        for pair in zip(found, wanted, strict=True):
            assert_same(*pair)
    elif isinstance(wanted, dict):
        assert list(found) == list(wanted)
        for key in wanted:
            assert_same(found[key], wanted[key])
    else:
        np.testing.assert_equal(found, wanted)
        if isinstance(wanted, (np.ndarray, np.generic)):
            assert found.dtype == wanted.dtype


@given(VALUES)
def test_any_value(value):
    assert_same(there_and_back(value), value)


def test_what_is_one_object_stays_one():
    kernel, scaling = RBF(2.0), Scaling(np.zeros(2), np.ones(2))
    a, b, (c, d), e = there_and_back([kernel, scaling, (scaling, kernel), RBF(2.0)])
    assert a is d
    assert b is c
    assert e is not a
    assert e == a


def test_every_array_has_a_name_of_its_own():
    arrays = [np.full(2, float(i)) for i in range(4)]
    value = {"a": arrays[0], "b": arrays[1], "c": {"a": arrays[2]}, "d": [arrays[3], arrays[0]]}
    found = there_and_back(value)
    assert_same(found, value)
    assert found["a"] is found["d"][1]


def test_order_in_memory_is_kept_and_arrays_can_be_written_to():
    ordered = np.arange(6.0).reshape(2, 3)
    for array in (ordered, np.asfortranarray(ordered), ordered[:, ::2]):
        found = there_and_back(array)
        np.testing.assert_array_equal(found, array)
        assert found.flags.f_contiguous == array.flags.f_contiguous
        found += 1.0


@given(st.integers(0, 6), st.integers(0, 3))
def test_halves(m, n_matrices):
    A = np.random.default_rng(0).normal(size=(n_matrices, m, m))
    np.testing.assert_array_equal(LOWER.unpack(LOWER.pack(A)), np.tril(A))
    np.testing.assert_array_equal(UPPER.unpack(UPPER.pack(A)), np.triu(A))
    S = A + np.swapaxes(A, 1, 2)
    np.testing.assert_array_equal(SYMMETRIC.unpack(SYMMETRIC.pack(S)), S)


@pytest.mark.parametrize(
    "value",
    [
        *(object(), {1, 2}, b"bytes", 1j, range(3), print),
        *(np.array([1j]), np.array(["2020"], dtype="M8[D]"), np.array([[object()]])),
        *(np.array([["a"]]), np.datetime64("2020"), np.complex64(1)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_has_no_place(value):
    with pytest.raises(CannotSaveError, match=r"cannot save it\.0"):
        Encoder().encode([value], "it")


@pytest.mark.parametrize(
    "node",
    [
        *({}, {"a": 1}, {"$same": 0}, {"$tensor": "no"}, {"$tuple": 3}, {"$dict": [1]}),
        *({"$float": "1e5"}, {"$float": "nan", "x": 1}, {"$type": "RBF"}, {"$scalar": "O"}),
        *(
            {"$type": "builtins.print", "parts": {}},
            {"$texts": "no"},
            {"$scalar": "f8", "value": 1},
        ),
        {"$type": "RBF", "parts": {"length_scale": -1.0}},
        {"$type": "RBF", "parts": {"unknown": 1.0}},
        {"$type": "Gaussian", "parts": {"noise_variance": "0.1"}},
        {"$dict": [[[], 1]]},
    ],
    ids=str,
)
def test_what_no_value_is_written_like(node):
    with pytest.raises((ValueError, TypeError)):
        Decoder({}).decode(node)
