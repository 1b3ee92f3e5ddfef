"""Levels of categories that no training row had, counted over the blocks of a table."""

from collections import Counter

import pandas as pd

from sparsegp.cli.policy import MAX_UNSEEN_SHOWN
from sparsegp.tables.encoding import TableEncoding
from sparsegp.tables.encoding.cell_parsing import category_name
from sparsegp.tables.encoding.kinds import CATEGORY, ORDERED

__all__ = ["UnseenLevels"]


class UnseenLevels:
    """Counts rows, by column and level."""

    def __init__(self, encoding: TableEncoding) -> None:
        columns = [c for c in encoding.columns if c.kind in (CATEGORY, ORDERED)]
        self._known = {c.name: frozenset((*c.levels, *c.pooled)) for c in columns}
        self._kinds = {c.name: c.kind for c in columns}
        self._counts: dict[str, Counter[str]] = {c.name: Counter() for c in columns}

    def count(self, block: pd.DataFrame) -> None:
        """Count the rows of a block."""
        for name, known in self._known.items():
            for value, n_rows in block[name].value_counts().items():  # without missing ones
                level = category_name(value)
                if n_rows and level not in known:
                    self._counts[name][level] += int(n_rows)

    @property
    def n_rows(self) -> dict[str, int]:
        """The number of rows with an unseen level, of columns that have any."""
        return {name: counts.total() for name, counts in self._counts.items() if counts}

    def describe(self) -> list[str]:
        """Return a line a column: how many rows, which levels, and what is predicted for them."""
        lines = []
        for name, n_rows in self.n_rows.items():
            levels = [repr(level) for level, _ in self._counts[name].most_common(MAX_UNSEEN_SHOWN)]
            more = ", …" if len(self._counts[name]) > MAX_UNSEEN_SHOWN else ""
            what = "level" if len(self._counts[name]) == 1 else "levels"
            how = "have the uncertainty of an unknown level"
            if self._kinds[name] == ORDERED:
                how = "are made with the median rank"
            rows = "1 row has" if n_rows == 1 else f"{n_rows:,} rows have"
            lines.append(
                f"{name!r}: {rows} {len(self._counts[name]):,} {what} that no training row had "
                f"({', '.join(levels)}{more}); their predictions {how}"
            )
        return lines
