"""Tables of rows: opened, checked and transformed, in memory, on a device or out of core."""

from sparsegp.tables.sources.parquet import open_table

__all__ = ["open_table"]
