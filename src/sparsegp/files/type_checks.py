"""Checks that values read from a file have the declared types of their fields."""

from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import numpy as np

__all__ = ["matches_type"]


def matches_type(value: Any, hint: Any) -> bool:
    """Tell whether a value has the declared type; covers the annotations used in this library.

    >>> matches_type((1.0, 2.0), tuple[float, ...] | str)
    True
    >>> matches_type("x", float), matches_type(True, int)
    (False, False)
    """
    origin = get_origin(hint)
    if hint is Any:
        return True
    for alias in (hint, origin):  # from NumPy 2.5 on, NDArray[...] is the alias of a type
        if hasattr(alias, "__value__"):
            return matches_type(value, alias.__value__)
    if isinstance(hint, tuple):  # several classes are allowed
        return isinstance(value, hint)
    if origin in (Union, UnionType):
        return any(matches_type(value, option) for option in get_args(hint))
    if origin is tuple:
        return isinstance(value, tuple) and _all_match(value, get_args(hint))
    if origin is list:
        return isinstance(value, list) and all(
            matches_type(item, get_args(hint)[0]) for item in value
        )
    if isinstance(origin, type):  # contents of arrays and dicts are checked elsewhere
        return isinstance(value, origin)
    return _is_instance(value, hint)


def _all_match(values: tuple[Any, ...], hints: tuple[Any, ...]) -> bool:
    if len(hints) == 2 and hints[1] is Ellipsis:
        return all(matches_type(value, hints[0]) for value in values)
    return len(values) == len(hints) and all(map(matches_type, values, hints))


def _is_instance(value: Any, kind: Any) -> bool:
    is_bool = isinstance(value, (bool, np.bool_))
    if kind is None or kind is NoneType:
        return value is None
    if kind is bool:
        return is_bool
    if kind is int:
        return isinstance(value, (int, np.integer)) and not is_bool
    if kind is float:
        return isinstance(value, (int, float, np.integer, np.floating)) and not is_bool
    if getattr(kind, "_is_protocol", False):
        methods = [name for name in vars(kind) if not name.startswith("_")]
        return all(callable(getattr(type(value), name, None)) for name in methods)
    return isinstance(value, kind)
