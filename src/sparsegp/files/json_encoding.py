"""Python values as JSON plus named arrays, and back.

None, booleans, strings, lists and finite numbers are written as they are. Everything else is a JSON
object with one member whose name begins with a dollar sign:

=================================== =======================================================
{"$type": name, "parts": {…}}       an object of a class in ``registry``
{"$same": k}                        the k-th such object, counted in order of completion
{"$tensor": name, …}                an array; "order" is "F" for Fortran order
{"$texts": name}                    a vector of strings, stored as an array of code points
{"$objects": […]}                   a vector of objects
{"$tuple": […]}, {"$dict": [[k, v]]}
{"$scalar": dtype, "value": …}      a NumPy scalar
{"$float": "nan"}                   a number that JSON cannot represent
=================================== =======================================================

An object that occurs twice is one object after loading too: posteriors can share a basis. The
memory order of an array is kept, since the rounding of sums depends on it.
"""

import sys
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import is_of_other_library, to_numpy
from sparsegp.exceptions import CannotSaveError
from sparsegp.files.container import Tensors
from sparsegp.files.policy import BYTES_DECODED_PER_BYTE, MIN_BYTES_DECODED
from sparsegp.files.registry import serializer_for, serializer_named
from sparsegp.files.serializers import Serializer

__all__ = ["Budget", "Decoder", "Encoder"]

NUMERIC_DTYPES = (
    *("float64", "float32", "float16", "int64", "int32", "int16", "int8"),
    *("uint64", "uint32", "uint16", "uint8", "bool"),
)
JSON_TYPES = (type(None), bool, str, int)


class Encoder:
    """Converts values to JSON and collects their arrays in ``tensors``."""

    def __init__(self) -> None:
        self.tensors: Tensors = {}
        self._array_names: dict[int, str] = {}  # by identity
        self._object_numbers: dict[int, int] = {}  # by identity
        self._alive: list[Any] = []  # identities are unique only among living objects

    def encode(self, value: Any, path: str) -> Any:
        """Return a value as JSON; ``path`` is its name in messages and that of its arrays."""
        if type(value) in JSON_TYPES:
            return value
        if type(value) is float:
            return value if np.isfinite(value) else {"$float": repr(value)}
        if type(value) is list:
            return self._items(value, path)
        if type(value) is tuple:
            return {"$tuple": self._items(value, path)}
        if type(value) is dict:
            pairs = enumerate(value.items())
            return {"$dict": [self._items(pair, f"{path}.{i}") for i, pair in pairs]}
        if isinstance(value, np.generic):
            return _scalar(value, path)
        if isinstance(value, np.ndarray):
            return self._array(value, path)
        if is_of_other_library(value):  # a loaded model uses NumPy
            return self._array(to_numpy(value), path)
        return self._object(value, path)

    def _items(self, values: Any, path: str) -> list[Any]:
        return [self.encode(item, f"{path}.{i}") for i, item in enumerate(values)]

    def _array(self, array: npt.NDArray[Any], path: str) -> dict[str, Any]:
        if array.dtype.kind == "O" and array.ndim == 1:
            return {"$objects": self._items(array.tolist(), path)}
        if array.dtype.kind == "U" and array.ndim == 1:
            self.tensors[path] = _code_points(array)
            return {"$texts": path}
        if array.dtype.name not in NUMERIC_DTYPES:
            raise CannotSaveError(f"cannot save {path}: arrays of {array.dtype} are not supported")
        if id(array) not in self._array_names:
            self._alive.append(array)
            self._array_names[id(array)] = path
            self.tensors[path] = array
        node = {"$tensor": self._array_names[id(array)]}
        fortran = array.flags.f_contiguous and not array.flags.c_contiguous
        return {**node, "order": "F"} if fortran else node

    def _object(self, value: Any, path: str) -> dict[str, Any]:
        if id(value) in self._object_numbers:
            return {"$same": self._object_numbers[id(value)]}
        name, serializer = serializer_for(value, path)
        parts = {
            part: self._part(serializer, part, content, f"{path}.{part}")
            for part, content in serializer.to_parts(value).items()
        }
        self._alive.append(value)
        self._object_numbers[id(value)] = len(self._object_numbers)
        return {"$type": name, "parts": parts}

    def _part(self, serializer: Serializer, part: str, content: Any, path: str) -> Any:
        triangle = serializer.packed.get(part)
        if triangle is not None:
            content = triangle.pack(to_numpy(content) if is_of_other_library(content) else content)
        return self.encode(content, path)


class Budget:
    """The memory that the arrays of one file may take."""

    def __init__(self, tensors: Tensors) -> None:
        stored = sum(tensor.nbytes for tensor in tensors.values())
        self._left = MIN_BYTES_DECODED + BYTES_DECODED_PER_BYTE * stored

    def spend(self, n_bytes: int) -> None:
        """Refuse further arrays once the budget is used up."""
        self._left -= n_bytes
        if self._left < 0:
            raise ValueError("it refers to its arrays so often that they would fill the memory")


class Decoder:
    """Converts JSON back to values; anything unknown is a ValueError."""

    def __init__(self, tensors: Tensors, budget: Budget | None = None) -> None:
        self._tensors, self._budget = tensors, budget or Budget(tensors)
        self._arrays: dict[tuple[str, str], npt.NDArray[Any]] = {}
        self._objects: list[Any] = []

    def decode(self, node: Any) -> Any:
        """Return the value."""
        if type(node) in (*JSON_TYPES, float):
            return node
        if type(node) is list:
            return [self.decode(item) for item in node]
        match node:
            case {"$type": str(name), "parts": dict(parts), **rest} if not rest:
                return self._object(name, parts)
            case {"$same": int(number), **rest} if not rest and 0 <= number < len(self._objects):
                return self._objects[number]
            case {"$tensor": str(name), **rest} if not rest:
                return self._array(name, "C")
            case {"$tensor": str(name), "order": "F", **rest} if not rest:
                return self._array(name, "F")
            case {"$texts": str(name), **rest} if not rest:
                return _strings(self._array(name, "C"))
            case {"$objects": list(items), **rest} if not rest:
                return _objects([self.decode(item) for item in items])
            case {"$tuple": list(items), **rest} if not rest:
                return tuple(self.decode(item) for item in items)
            case {"$dict": list(pairs), **rest} if not rest:
                return {self.decode(key): self.decode(value) for key, value in pairs}
            case {"$scalar": str(dtype), "value": value, **rest} if not rest:
                return _to_scalar(dtype, value)
            case {"$float": "nan" | "inf" | "-inf" as text, **rest} if not rest:
                return float(text)
        raise ValueError(f"this is not the encoding of a value: {str(node)[:80]}")

    def _array(self, name: str, order: Literal["C", "F"]) -> npt.NDArray[Any]:
        if name not in self._tensors:
            raise ValueError(f"there is no array {name!r}")
        if (name, order) not in self._arrays:  # a writable copy
            self._budget.spend(self._tensors[name].nbytes)
            self._arrays[name, order] = np.array(self._tensors[name], order=order)
        return self._arrays[name, order]

    def _object(self, name: str, nodes: dict[str, Any]) -> Any:
        serializer = serializer_named(name)
        parts = {part: self.decode(node) for part, node in nodes.items()}
        for part, triangle in serializer.packed.items():
            packed = parts[part]
            if not isinstance(packed, np.ndarray):
                raise ValueError(f"{part} of {name} is no array")
            self._budget.spend(2 * packed.nbytes)
            parts[part] = triangle.unpack(packed)
        made = serializer.from_parts(parts)
        self._objects.append(made)
        return made


def _scalar(value: np.generic, path: str) -> dict[str, Any]:
    if isinstance(value, np.str_):
        return {"$scalar": "str", "value": str(value)}
    if value.dtype.name not in NUMERIC_DTYPES:
        raise CannotSaveError(f"cannot save {path}: scalars of {value.dtype} are not supported")
    plain = value.item()
    return {"$scalar": value.dtype.name, "value": plain if np.isfinite(plain) else repr(plain)}


def _to_scalar(dtype: str, value: Any) -> Any:
    if dtype == "str" and isinstance(value, str):
        return np.str_(value)
    if dtype not in NUMERIC_DTYPES or type(value) not in (bool, int, float, str):
        raise ValueError(f"{value!r} is not the encoding of a {dtype!r} scalar")
    return np.dtype(dtype).type(float(value) if isinstance(value, str) else value)


def _objects(items: list[Any]) -> npt.NDArray[Any]:
    array = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):  # np.array would turn a list of tuples into a matrix
        array[i] = item
    return array


def _code_points(strings: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """Return strings (n,) of width w as code points (n, w)."""
    width = strings.dtype.itemsize // 4
    native = np.ascontiguousarray(strings.astype(f"=U{width}"))
    return native.view(np.uint32).reshape(len(strings), width)


def _strings(points: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the strings (n,) of code points (n, w)."""
    if points.dtype != np.uint32 or points.ndim != 2 or points.shape[1] < 1:
        raise ValueError("strings are not encoded as code points")
    if np.any(points > sys.maxunicode):
        raise ValueError("a string contains an invalid character")
    return points.view(f"=U{points.shape[1]}")[:, 0]
