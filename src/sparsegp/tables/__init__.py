"""Rows: what the algebra sees of a table, in memory or elsewhere."""

from sparsegp.tables.sources.parquet import open_table

__all__ = ["open_table"]
