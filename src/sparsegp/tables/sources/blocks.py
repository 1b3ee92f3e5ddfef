"""Tables that this process reads some rows at a time: a memory-mapped file, an array, Parquet."""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from sparsegp.tables.memory import Memory, ModelMemory
from sparsegp.tables.out_of_core import Along
from sparsegp.tables.policy import ROWS_OF_BLOCK
from sparsegp.tables.rows import Rows
from sparsegp.tables.sources.partitioned import PartitionedTable, add_if_any, floats, sent_along
from sparsegp.tables.targets import Targets

__all__ = ["ArrayBlocks", "BlockSource", "BlockTable"]

T = TypeVar("T")
Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]


class BlockSource(Protocol):
    """Rows that can be read by number or in consecutive blocks."""

    n_rows: int
    n_columns: int
    n_outputs: int  # 0 if the source holds inputs alone

    def fetch(self, numbers: Indices, n_rows: int) -> Rows:
        """Return a few rows, in the order of their numbers; at most ``n_rows`` are read at once."""

    def blocks(self, n_rows: int) -> Iterator[Rows]:
        """Yield all rows in blocks of at most ``n_rows``, none of them empty."""


class ArrayBlocks:
    """The inputs of an array (n, D), memory-mapped or too large to be copied."""

    n_outputs = 0

    def __init__(self, X: Any) -> None:
        self.X = X
        self.n_rows, self.n_columns = (int(size) for size in X.shape)

    def fetch(self, numbers: Indices, n_rows: int) -> Rows:
        """Return a few rows."""
        return _inputs_alone(self.X[numbers])

    def blocks(self, n_rows: int) -> Iterator[Rows]:
        """Yield blocks of one size; each is read when it is asked for."""
        for start in range(0, self.n_rows, n_rows):
            yield _inputs_alone(self.X[start : start + n_rows])


def _inputs_alone(X: Any) -> Rows:
    return Rows(floats(X), np.empty((len(X), 0)))


class BlockTable(PartitionedTable):
    """Rows of a source, with targets and weights that are held in memory beside it."""

    def __init__(
        self,
        source: BlockSource,
        targets: Targets,
        names: Sequence[str] | None = None,
        rows_of_block: int = ROWS_OF_BLOCK,
    ) -> None:
        """Take targets for all rows; without values they are those of the source."""
        self.source, self.targets, self.names = source, targets, names
        self.rows_of_block, self.how_read = rows_of_block, f"{rows_of_block:,} rows at a time"
        self._y: Floats | None = targets.values
        self._set_targets(targets, targets.n_outputs or source.n_outputs)
        self.n_rows = source.n_rows if self.counted is None else len(self.counted)
        self.n_columns = source.n_columns

    def within(self, memory: Memory, model: ModelMemory) -> "BlockTable":
        """Return the table, read in blocks that fit into memory beside the model."""
        rows_of_block = memory.rows_of_block(self.n_columns, model)
        table = BlockTable(self.source, self.targets, self.names, rows_of_block)
        table.candidates = self.candidates
        return table

    def fetch(self, numbers: Indices) -> Rows:
        """Return a few rows."""
        numbers = self.numbers_in_X(np.asarray(numbers))
        rows = self.source.fetch(numbers, self.rows_of_block)
        weight = None if self._weight is None else self._weight[numbers]
        return Rows(rows.X, rows.y if self._y is None else self._y[numbers], weight)

    def reduce(
        self,
        work: Callable[..., T | None],
        along: Along | None = None,
        *,
        on_device: bool = False,
    ) -> T:
        """Return the sum over the blocks, which are on the host."""
        numbered = self._numbered()
        done = (work(*each, *sent_along(along, each[0], len(each[1]))) for each in numbered)
        total: Any = reduce(add_if_any, done)
        return total

    def _numbered(self) -> Iterator[tuple[int, Rows]]:
        """Yield the blocks with the number of their first row; blocks without weight are none."""
        number = 0
        for rows in self.blocks():
            if len(rows):
                yield number, rows
            number += len(rows)

    def blocks(self) -> Iterator[Rows]:
        """Yield the rows of positive weight, block by block of the source."""
        start = 0
        for block in self.source.blocks(self.rows_of_block):
            part = slice(start, start + len(block))
            weight = None if self._weight is None else self._weight[part]
            rows = Rows(block.X, block.y if self._y is None else self._y[part], weight)
            yield rows if weight is None or weight.all() else rows.take(np.flatnonzero(weight))
            start = part.stop
