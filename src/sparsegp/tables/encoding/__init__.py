"""Columns of any kind as numbers: categories, dates, missing values, and what was decided."""

from sparsegp.tables.encoding.column_encoding import ColumnEncoding
from sparsegp.tables.encoding.table_encoding import TableEncoding

__all__ = ["ColumnEncoding", "TableEncoding"]
