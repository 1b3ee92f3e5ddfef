"""An encoding as a table for people: what each input is, and what stands for missing values."""

from sparsegp.tables.encoding.column_encoding import ColumnEncoding
from sparsegp.tables.encoding.kinds import CATEGORY, MISSING_INDICATOR, PERIODIC
from sparsegp.tables.encoding.policy import MAX_LEVELS_SHOWN
from sparsegp.tables.encoding.table_encoding import TableEncoding

__all__ = ["describe_columns", "level_names"]


def describe_columns(encoding: TableEncoding) -> list[tuple[str, str, str, str]]:
    """Return name, type, replacement of missing values and categories of each input."""
    return [
        (column.feature, column.kind, _if_missing(column), _list_levels(column))
        for column in encoding.columns
    ]


def level_names(column: ColumnEncoding) -> dict[int, str]:
    """Return the category name of each code."""
    if column.kind == MISSING_INDICATOR:
        return {0: "present", 1: "missing"}
    return {-2: "rare", -1: "unknown", 0: "missing"} | dict(enumerate(column.levels, 1))


def _list_levels(column: ColumnEncoding) -> str:
    more = ", …" if len(column.levels) > MAX_LEVELS_SHOWN else ""
    rare = f" and {len(column.pooled)} rare ones" if column.pooled else ""
    return ", ".join(column.levels[:MAX_LEVELS_SHOWN]) + more + rare


def _if_missing(column: ColumnEncoding) -> str:
    if column.kind in (MISSING_INDICATOR, PERIODIC):
        return ""
    if column.kind == CATEGORY:
        return "a category"
    return "not allowed" if column.fill is None else f"{column.fill:.6g}"
