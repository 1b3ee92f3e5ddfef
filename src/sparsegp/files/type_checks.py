"""Whether a value read from a file is of the type that a field is declared with."""

from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import numpy as np

__all__ = ["matches_type"]


def matches_type(value: Any, hint: Any) -> bool:
    """Tell whether a value is of the declared type, as far as types in this library go.

    >>> matches_type((1.0, 2.0), tuple[float, ...] | str)
    True
    >>> matches_type("x", float), matches_type(True, int)
    (False, False)
    """
    origin = get_origin(hint)
    if hint is Any:
        return True
    if isinstance(hint, tuple):  # classes of which it may be any
        return isinstance(value, hint)
    if origin in (Union, UnionType):
        return any(matches_type(value, option) for option in get_args(hint))
    if origin is tuple:
        return isinstance(value, tuple) and _all_fit(value, get_args(hint))
    if origin is list:
        return isinstance(value, list) and all(
            matches_type(item, get_args(hint)[0]) for item in value
        )
    if isinstance(origin, type):  # arrays and dicts: their contents are checked by who uses them
        return isinstance(value, origin)
    return _is_a(value, hint)


def _all_fit(values: tuple[Any, ...], hints: tuple[Any, ...]) -> bool:
    if len(hints) == 2 and hints[1] is Ellipsis:
        return all(matches_type(value, hints[0]) for value in values)
    return len(values) == len(hints) and all(map(matches_type, values, hints))


def _is_a(value: Any, kind: Any) -> bool:
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
        wanted = [name for name in vars(kind) if not name.startswith("_")]
        return all(callable(getattr(type(value), name, None)) for name in wanted)
    return isinstance(value, kind)
