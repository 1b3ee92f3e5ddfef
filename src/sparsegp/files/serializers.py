"""How the objects of a class are split into parts for a file, and rebuilt from them.

Class names in a file are looked up in ``registry`` and nowhere else. Parts are checked against the
declared fields of the class: a file can only contain values, never code.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, dataclass, field, fields
from math import isfinite
from typing import Any, get_type_hints

from sparsegp.files.packed_triangles import PackedTriangle
from sparsegp.files.type_checks import matches_type

__all__ = [
    "Parts",
    "Serializer",
    "dataclass_serializer",
    "params_serializer",
    "set_attributes",
]

Parts = dict[str, Any]


@dataclass(frozen=True)
class Serializer:
    """What a file holds of the objects of one class."""

    kind: type
    to_parts: Callable[[Any], Parts]
    from_parts: Callable[[Parts], Any]  # raises ValueError or TypeError if the parts do not fit
    #: Matrices of which one triangle is stored.
    packed: Mapping[str, PackedTriangle] = field(default_factory=dict)
    #: Names of the parts in files, where the class declares them.
    part_names: tuple[str, ...] = ()


def dataclass_serializer(
    kind: type,
    check: Callable[[Any], None] | None = None,
    in_file: Mapping[str, str] | None = None,
    may_be_infinite: Collection[str] = (),
    **packed: PackedTriangle,
) -> Serializer:
    """Return the serializer of a dataclass: its parts are its fields.

    A field with a default may be missing in a file, which was then written before the field
    existed. ``in_file`` gives the names of fields in files where these differ from the attributes:
    the format does not change when code is renamed. Numbers are finite, unless they
    ``may_be_infinite``.
    """
    in_file = in_file or {}
    attribute_of = {name: attribute for attribute, name in in_file.items()}
    declared = [one for one in fields(kind) if one.init]
    names = [one.name for one in declared]
    required = {
        one.name for one in declared if one.default is MISSING and one.default_factory is MISSING
    }
    hints = get_type_hints(kind)

    def to_parts(value: Any) -> Parts:
        return {in_file.get(name, name): getattr(value, name) for name in names}

    def from_parts(parts: Parts) -> Any:
        values = {attribute_of.get(name, name): value for name, value in parts.items()}
        missing, unknown = sorted(required - set(values)), sorted(set(values) - set(names))
        if missing or unknown:
            raise ValueError(f"{kind.__name__} lacks {missing} and has unknown {unknown}")
        for name, value in values.items():
            if not matches_type(value, hints[name]):
                raise ValueError(f"{name} of {kind.__name__} cannot be a {type(value).__name__}")
            if isinstance(value, float) and not isfinite(value) and name not in may_be_infinite:
                raise ValueError(f"{name} of {kind.__name__} cannot be {value}")
        made = kind(**values)
        if check is not None:
            check(made)
        return made

    in_files = tuple(in_file.get(name, name) for name in names)
    return Serializer(kind, to_parts, from_parts, packed, in_files)


def params_serializer(kind: Any) -> Serializer:
    """Return the serializer of a class with scikit-learn's ``get_params``, such as its kernels."""
    return Serializer(kind, lambda value: value.get_params(deep=False), lambda parts: kind(**parts))


def set_attributes(value: Any, parts: Parts) -> Any:
    """Set attributes, but none that exist on the class: a file cannot replace a method."""
    for name in parts:
        if not name.isidentifier() or name.startswith("__") or hasattr(type(value), name):
            raise ValueError(f"{type(value).__name__} has no stored attribute {name!r}")
    vars(value).update(parts)
    return value
