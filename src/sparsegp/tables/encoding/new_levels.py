"""Levels of a category that a stream brings after its encoding was learned."""

from typing import Any

import numpy as np
import pandas as pd

from sparsegp.tables.encoding.cell_parsing import category_name
from sparsegp.tables.encoding.column_encoding import ColumnEncoding

__all__ = ["new_levels"]


def new_levels(cells: Any, column: ColumnEncoding) -> list[str]:
    """Return levels of a category that its encoding does not know, in their order."""
    if isinstance(cells, np.ndarray):
        cells = pd.Series(cells)
    found = dict.fromkeys(cells.dropna().map(category_name))
    known = {*column.levels, *column.pooled}
    return [str(level) for level in found if level not in known]
