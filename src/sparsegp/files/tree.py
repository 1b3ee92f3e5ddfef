"""Values as JSON with arrays beside it, and back.

None, booleans, texts, lists and finite numbers stand for themselves. All else is a JSON object
with one member that begins with a dollar sign:

=================================== =======================================================
{"$type": name, "parts": {…}}       an object of a class in ``registry``
{"$same": k}                        the k-th such object again, counted as they are finished
{"$tensor": name, …}                an array; "order" is "F" for Fortran's
{"$texts": name}                    a vector of texts, kept as an array of code points
{"$objects": […]}                   a vector of objects
{"$tuple": […]}, {"$dict": [[k, v]]}
{"$scalar": dtype, "value": …}      a number of NumPy's
{"$float": "nan"}                   a number that JSON does not know
=================================== =======================================================

Objects that occur twice are one object after loading, too: posteriors know by that whether they
stand on one basis. The order of an array in memory is kept, since sums round by it.
"""

import sys
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import is_of_other_library, to_numpy
from sparsegp.exceptions import CannotSaveError
from sparsegp.files.container import Tensors
from sparsegp.files.recipes import Recipe
from sparsegp.files.registry import recipe_for, recipe_named

__all__ = ["Decoder", "Encoder"]

NUMBERS = (
    *("float64", "float32", "float16", "int64", "int32", "int16", "int8"),
    *("uint64", "uint32", "uint16", "uint8", "bool"),
)
PLAIN = (type(None), bool, str, int)


class Encoder:
    """Turns values into JSON, and collects their arrays in ``tensors``."""

    def __init__(self) -> None:
        self.tensors: Tensors = {}
        self._names: dict[int, str] = {}  # of arrays, by identity
        self._numbers: dict[int, int] = {}  # of objects, by identity
        self._alive: list[Any] = []  # an identity is one's own only as long as one lives

    def encode(self, value: Any, path: str) -> Any:
        """Return a value as JSON; ``path`` names it in messages and names its arrays."""
        if type(value) in PLAIN:
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
        if is_of_other_library(value):  # a loaded model lives in NumPy
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
        if array.dtype.name not in NUMBERS:
            raise CannotSaveError(f"cannot save {path}: no place for an array of {array.dtype}")
        if id(array) not in self._names:
            self._alive.append(array)
            self._names[id(array)] = path
            self.tensors[path] = array
        found = {"$tensor": self._names[id(array)]}
        fortran = array.flags.f_contiguous and not array.flags.c_contiguous
        return {**found, "order": "F"} if fortran else found

    def _object(self, value: Any, path: str) -> dict[str, Any]:
        if id(value) in self._numbers:
            return {"$same": self._numbers[id(value)]}
        name, recipe = recipe_for(value, path)
        parts = {
            part: self._part(recipe, part, content, f"{path}.{part}")
            for part, content in recipe.parts(value).items()
        }
        self._alive.append(value)
        self._numbers[id(value)] = len(self._numbers)
        return {"$type": name, "parts": parts}

    def _part(self, recipe: Recipe, part: str, content: Any, path: str) -> Any:
        half = recipe.halves.get(part)
        if half is not None:
            content = half.pack(to_numpy(content) if is_of_other_library(content) else content)
        return self.encode(content, path)


class Decoder:
    """Turns JSON back into values; anything that it does not know is a ValueError."""

    def __init__(self, tensors: Tensors) -> None:
        self._tensors = tensors
        self._arrays: dict[tuple[str, str], npt.NDArray[Any]] = {}
        self._objects: list[Any] = []

    def decode(self, node: Any) -> Any:
        """Return the value."""
        if type(node) in (*PLAIN, float):
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
                return _texts(self._array(name, "C"))
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
        raise ValueError(f"no value is written like this: {str(node)[:80]}")

    def _array(self, name: str, order: Literal["C", "F"]) -> npt.NDArray[Any]:
        if name not in self._tensors:
            raise ValueError(f"there is no array {name!r}")
        if (name, order) not in self._arrays:  # a copy that may be written to
            self._arrays[name, order] = np.array(self._tensors[name], order=order)
        return self._arrays[name, order]

    def _object(self, name: str, nodes: dict[str, Any]) -> Any:
        recipe = recipe_named(name)
        parts = {part: self.decode(node) for part, node in nodes.items()}
        for part, half in recipe.halves.items():
            parts[part] = half.unpack(parts[part])
        made = recipe.make(parts)
        self._objects.append(made)
        return made


def _scalar(value: np.generic, path: str) -> dict[str, Any]:
    if isinstance(value, np.str_):
        return {"$scalar": "str", "value": str(value)}
    if value.dtype.name not in NUMBERS:
        raise CannotSaveError(f"cannot save {path}: no place for a number of {value.dtype}")
    plain = value.item()
    return {"$scalar": value.dtype.name, "value": plain if np.isfinite(plain) else repr(plain)}


def _to_scalar(dtype: str, value: Any) -> Any:
    if dtype == "str" and isinstance(value, str):
        return np.str_(value)
    if dtype not in NUMBERS or type(value) not in (bool, int, float, str):
        raise ValueError(f"no number of {dtype!r} is written like {value!r}")
    return np.dtype(dtype).type(float(value) if isinstance(value, str) else value)


def _objects(items: list[Any]) -> npt.NDArray[Any]:
    array = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):  # a list of tuples would be taken for a matrix
        array[i] = item
    return array


def _code_points(texts: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """Return texts (n,) of width w as code points (n, w)."""
    width = texts.dtype.itemsize // 4
    native = np.ascontiguousarray(texts.astype(f"=U{width}"))
    return native.view(np.uint32).reshape(len(texts), width)


def _texts(points: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the texts (n,) of code points (n, w)."""
    if points.dtype != np.uint32 or points.ndim != 2 or points.shape[1] < 1:
        raise ValueError("texts are not written as code points")
    if np.any(points > sys.maxunicode):
        raise ValueError("a text holds what is no character")
    return points.view(f"=U{points.shape[1]}")[:, 0]
