"""Sums over parts that are checked first: of all parts that fail, the first is reported.

Parts may be read in any order and by any worker. An error is therefore a result like any other,
until all parts are there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import Any, Generic, TypeVar

from sparsegp.tables.out_of_core import Parts
from sparsegp.tables.rows import Rows

__all__ = ["Check", "validated_reduce"]

#: Called with the number of its first row and a part, before anything else is done with it.
Check = Callable[[int, Rows], None]

Seen = TypeVar("Seen")


@dataclass(frozen=True)
class _Checked(Generic[Seen]):
    """The result of some parts, or the first error among them and where its part begins."""

    seen: Seen | None
    error: ValueError | None = None
    start: int = 0

    def __add__(self, other: "_Checked[Seen]") -> "_Checked[Seen]":
        refused = [part for part in (self, other) if part.error is not None]
        if refused:
            return min(refused, key=lambda part: part.start)
        return _Checked(add(self.seen, other.seen))


def validated_reduce(table: Parts, check: Check, work: Callable[[int, Rows], Seen]) -> Seen:
    """Return the sum of what ``work`` makes of each part, or raise the first error of the check."""
    total: Any = table.reduce(partial(_checked, check, work))
    if total.error is not None:
        raise total.error
    return total.seen


def _checked(
    check: Check, work: Callable[[int, Rows], Seen], start: int, rows: Rows
) -> _Checked[Seen] | None:
    if not len(rows):
        return None
    try:
        check(start, rows)
    except ValueError as error:
        return _Checked(None, error, start)
    return _Checked(work(start, rows))
