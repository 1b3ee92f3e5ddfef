"""How an object is taken apart for a file, and put together again.

Names of classes in a file are looked up in ``registry`` and nowhere else. Parts are checked
against the fields that a class declares: a file can only ever give values, never code.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, get_type_hints

from sparsegp.files.packed_triangles import PackedTriangle
from sparsegp.files.type_checks import matches_type

__all__ = ["Parts", "Recipe", "attributes", "dataclass_recipe", "estimator_like", "with_attributes"]

Parts = dict[str, Any]


@dataclass(frozen=True)
class Recipe:
    """What a file holds of the objects of one class."""

    kind: type
    parts: Callable[[Any], Parts]
    make: Callable[[Parts], Any]  # raises a ValueError or TypeError if the parts do not fit
    halves: Mapping[str, PackedTriangle] = field(
        default_factory=dict
    )  # matrices of which half is stored


def dataclass_recipe(
    kind: type,
    check: Callable[[Any], None] | None = None,
    in_file: Mapping[str, str] | None = None,
    **halves: PackedTriangle,
) -> Recipe:
    """Return the recipe of a dataclass: its fields.

    A field with a default may be missing in a file: it was written before the field was there.
    ``in_file`` gives the names that fields have in files, where those differ from the attributes:
    the format does not change when code is renamed.
    """
    in_file = in_file or {}
    attribute = {name: own for own, name in in_file.items()}
    given = [declared for declared in fields(kind) if declared.init]
    names = [declared.name for declared in given]
    needed = {
        declared.name
        for declared in given
        if declared.default is MISSING and declared.default_factory is MISSING
    }
    hints = get_type_hints(kind)

    def make(parts: Parts) -> Any:
        parts = {attribute.get(name, name): value for name, value in parts.items()}
        missing, unknown = sorted(needed - set(parts)), sorted(set(parts) - set(names))
        if missing or unknown:
            raise ValueError(f"{kind.__name__} has no {missing} but unknown {unknown}")
        for name, value in parts.items():
            if not matches_type(value, hints[name]):
                raise ValueError(f"{name} of {kind.__name__} cannot be a {type(value).__name__}")
        made = kind(**parts)
        if check is not None:
            check(made)
        return made

    def taken_apart(value: Any) -> Parts:
        return {in_file.get(name, name): getattr(value, name) for name in names}

    return Recipe(kind, taken_apart, make, halves)


def estimator_like(kind: Any) -> Recipe:
    """Return the recipe of a class with scikit-learn's ``get_params``, such as its kernels."""
    return Recipe(kind, lambda value: value.get_params(deep=False), lambda parts: kind(**parts))


def attributes(kind: type, check: Callable[[Any], None]) -> Recipe:
    """Return the recipe of a class that is what its attributes are."""

    def make(parts: Parts) -> Any:
        made = with_attributes(object.__new__(kind), parts)
        check(made)
        return made

    return Recipe(kind, lambda value: dict(vars(value)), make)


def with_attributes(value: Any, parts: Parts) -> Any:
    """Set attributes, but none that its class has: a file cannot shadow a method."""
    for name in parts:
        if not name.isidentifier() or name.startswith("__") or hasattr(type(value), name):
            raise ValueError(f"{type(value).__name__} keeps nothing under the name {name!r}")
    vars(value).update(parts)
    return value
