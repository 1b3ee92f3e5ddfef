"""Changes of a model file that know its structure: numbers, shapes, types and references.

A file is a JSON document and arrays by name; the checksum is made afresh, as somebody would who
wants the file to be read.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sparsegp.files.container import _checksum, _checksum_position, to_bytes

__all__ = ["mutated"]

Document = dict[str, Any]
Tensors = dict[str, Any]
Rng = np.random.Generator

STRANGE: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 2, 10**30, -(10**9), 1e308, 1e-308, 0.5, "", "x", [], {}),
    *([[1]], [0, 0], {"$same": 0}, {"$same": 10**6}, {"$float": "nan"}, {"$float": "inf"}),
    *({"$float": "-inf"}, {"$tuple": []}, {"$dict": []}, {"$objects": ["a"]}, {"$type": "RBF"}),
)
NUMBERS = (0.0, -1.0, 1e-320, 1e-160, 1e160, 1e308, -1e308, np.nan, np.inf, -np.inf)
DTYPES = ("float32", "float16", "int64", "int8", "uint8", "bool", "uint32")


def mutated(document: Document, tensors: Tensors, rng: Rng) -> tuple[bytes, str]:
    """Return the bytes of a file with one to three changes, and these in words."""
    document, tensors = json.loads(json.dumps(document)), dict(tensors)
    words = []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        change = _CHANGES[rng.integers(len(_CHANGES))]
        try:
            words.append(change(document, tensors, rng))
        except (TypeError, KeyError, AttributeError):  # an earlier change left nothing to change
            words.append("nothing")
    document.pop("sha256", None)
    try:
        data = to_bytes(document, tensors)
    except (ValueError, TypeError, RecursionError):  # no file can hold this
        data = b""
    if rng.random() < 0.15:
        data, how = _damaged(bytes(data), rng)
        words.append(how)
    return bytes(data), "; ".join(words)


def _places(tree: Any, path: str, found: list[tuple[Any, Any, str]]) -> list[tuple[Any, Any, str]]:
    """Collect (container, key, path) of everything in a document."""
    for key in tree if isinstance(tree, dict) else range(len(tree)):
        here = f"{path}.{key}"
        found.append((tree, key, here))
        if isinstance(tree[key], (dict, list)):
            _places(tree[key], here, found)
    return found


def _drawn(document: Document, rng: Rng) -> tuple[Any, Any, str]:
    parts = ("params", "state") if rng.random() < 0.2 else ("state",)
    if rng.random() < 0.05:
        parts = tuple(document)
    part = parts[rng.integers(len(parts))]
    if not isinstance(document.get(part), (dict, list)) or not document[part]:
        return document, part, part
    places = _places(document[part], part, [])
    return places[rng.integers(len(places))]


def _exchange(document: Document, _: Tensors, rng: Rng) -> str:
    container, key, path = _drawn(document, rng)
    strange = STRANGE[rng.integers(len(STRANGE))]
    container[key] = json.loads(json.dumps(strange))
    return f"{path} = {strange!r}"


def _copy_from_elsewhere(document: Document, _: Tensors, rng: Rng) -> str:
    (container, key, path), (other, place, source) = (_drawn(document, rng) for _ in range(2))
    container[key] = json.loads(json.dumps(other[place]))
    return f"{path} = {source}"


def _leave_out(document: Document, _: Tensors, rng: Rng) -> str:
    container, key, path = _drawn(document, rng)
    del container[key]
    return f"{path} left out"


def _number(document: Document, _: Tensors, rng: Rng) -> str:
    """Change a number of the document; the structure stays valid."""
    places = _places(document["state"], "state", [])
    numeric = [p for p in places if type(p[0][p[1]]) in (int, float)]
    if not numeric:
        return "no number"
    container, key, path = numeric[rng.integers(len(numeric))]
    old = container[key]
    if type(old) is int and rng.random() < 0.7:
        new: Any = int(rng.choice([old + 1, old - 1, -old, 0, 2 * old, 10**6, 10**9]))
    else:
        drawn = float(rng.choice([*NUMBERS, old * 1e6, old * 1e-6, -old]))
        new = drawn if np.isfinite(drawn) else {"$float": repr(drawn)}
    container[key] = new
    return f"{path}: {old} -> {new}"


def _list(document: Document, _: Tensors, rng: Rng) -> str:
    """Shorten, lengthen or empty a list."""
    places = _places(document["state"], "state", [])
    lists = [p for p in places if isinstance(p[0][p[1]], list) and p[0][p[1]]]
    if not lists:
        return "no list"
    container, key, path = lists[rng.integers(len(lists))]
    old = container[key]
    options: Sequence[list[Any]] = (old[:-1], [*old, *old], [*old, old[-1]], [], old[::-1])
    container[key] = json.loads(json.dumps(options[rng.integers(len(options))]))
    return f"{path}: {len(old)} -> {len(container[key])} items"


def _array(_: Document, tensors: Tensors, rng: Rng) -> str:
    """Change shape or type of an array."""
    name, old = _one_array(tensors, rng)
    if name is None:
        return "no array"
    shapes: list[Callable[[], Any]] = [
        lambda: old[..., :-1] if old.ndim else old,
        lambda: old[1:] if old.ndim else old,
        lambda: old[None],
        lambda: np.concatenate((old, old)) if old.ndim else old,
        lambda: np.swapaxes(old, 0, -1).copy() if old.ndim > 1 else old,
        old.ravel,
        lambda: np.zeros((0, *old.shape[1:])),
        lambda: np.zeros((0, 200_000_000)),
        lambda: np.zeros((200_000_000, 0)),
        lambda: np.zeros(0),
        lambda: _as_type(old, DTYPES[rng.integers(len(DTYPES))]),
        lambda: _one_array(tensors, rng)[1],
    ]
    tensors[name] = shapes[rng.integers(len(shapes))]()
    new = tensors[name]
    return f"{name}: {old.dtype}{old.shape} -> {new.dtype}{new.shape}"


def _as_type(old: Any, dtype: str) -> Any:
    with np.errstate(all="ignore"):
        return old.astype(dtype)


def _values(_: Document, tensors: Tensors, rng: Rng) -> str:
    """Change one value of an array, or all."""
    name, old = _one_array(tensors, rng)
    if name is None or not old.size:
        return "no values"
    new, value = np.array(old), rng.choice(NUMBERS)
    whole = rng.random() < 0.3
    with np.errstate(all="ignore"):
        changed = np.asarray(value).astype(old.dtype)
        if whole:
            new[...] = changed
        else:
            new.flat[rng.integers(new.size)] = changed
    tensors[name] = new
    return f"{name}: {'all values' if whole else 'a value'} {value}"


def _one_array(tensors: Tensors, rng: Rng) -> tuple[str | None, Any]:
    names = sorted(tensors)
    if not names:
        return None, np.zeros(0)
    name = names[rng.integers(len(names))]
    return name, tensors[name]


def _references(document: Document, _: Tensors, rng: Rng) -> str:
    """Refer to one object again and again, as to unpack it each time."""
    places = _places(document["state"], "state", [])
    objects = [p for p in places if isinstance(p[0][p[1]], dict) and "$type" in p[0][p[1]]]
    if not objects:
        return "no object"
    container, key, path = objects[rng.integers(len(objects))]
    copies = int(rng.choice([3, 30, 300]))
    repeated = {"$tuple": [json.loads(json.dumps(container[key])) for _ in range(copies)]}
    document["state"][f"more_{copies}"] = repeated
    return f"{copies} copies of {path}"


def _damaged(data: bytes, rng: Rng) -> tuple[bytes, str]:
    """Change bytes, of the header as well; the checksum is right half of the time."""
    if not data:
        return data, "empty"
    bad = bytearray(data)
    place = int(rng.integers(min(len(bad), 8 + int.from_bytes(bad[:8], "little"))))
    kind = rng.integers(3)
    if kind == 0:
        bad[place] = int(rng.integers(256))
    elif kind == 1:
        del bad[place:]
    else:
        bad[place:place] = rng.bytes(int(rng.integers(1, 20)))
    if rng.random() < 0.5:
        try:
            position = _checksum_position(bad)
            if position is not None:
                bad[position] = _checksum(bad, position)
        except ValueError:
            pass
    return bytes(bad), f"bytes {('changed', 'cut', 'added')[kind]} at {place}"


_CHANGES = (
    *(_exchange, _exchange, _copy_from_elsewhere, _leave_out, _number, _number, _number),
    *(_list, _array, _array, _values, _values, _references),
)
