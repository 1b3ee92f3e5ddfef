"""The memory that a fit may take beyond its table, and the size of blocks that follows from it."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparsegp.tables.policy import (
    BLOCK_BYTES,
    BLOCKS_PER_THREAD,
    COPIES_OF_BLOCK,
    COPIES_OF_TABLE,
    MOST_PERMUTED,
    ROWS_OF_BLOCK,
    SHARE_OF_FREE_MEMORY,
    SMALLEST_BLOCK_READ,
    UNKNOWN_FREE_MEMORY,
)

__all__ = ["Memory", "ModelMemory", "available_bytes", "parse_bytes"]

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def parse_bytes(text: str) -> int | None:
    """Return a number of bytes from a string; None if it is none.

    >>> parse_bytes("2GB"), parse_bytes("1.5 GiB"), parse_bytes("much")
    (2000000000, 1610612736, None)
    """
    match = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*([A-Za-z]*)\s*", text)
    if match is None or match[2].upper() not in UNITS:
        return None
    return int(float(match[1]) * UNITS[match[2].upper()])


def available_bytes() -> int:
    """Return how much memory is free now."""
    status = Path("/proc/meminfo")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    names: Any = getattr(os, "sysconf_names", {})
    if "SC_AVPHYS_PAGES" in names:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return UNKNOWN_FREE_MEMORY


@dataclass(frozen=True)
class ModelMemory:
    """Bytes that a fit needs beside its table, at its peak.

    >>> needed = ModelMemory(10, {"lower max_basis": 100, "lower cache_size": 200})
    >>> needed.bytes, needed.remedy
    (210, 'lower cache_size')
    """

    throughout: int  # in every phase of the fit
    phases: Mapping[str, int]  # in one phase after the other, by what the user can do to need fewer

    @classmethod
    def of_phases(
        cls, phases: Mapping[str, int], n_rows: int, threads: int, throughout: int = 0
    ) -> "ModelMemory":
        """Add what every fit needs: blocks of kernel values, and a permutation of row numbers."""
        blocks = BLOCKS_PER_THREAD * threads * BLOCK_BYTES
        return cls(throughout + blocks + 16 * min(n_rows, MOST_PERMUTED), phases)

    @property
    def bytes(self) -> int:
        """The most that is needed at a time."""
        return self.throughout + max(self.phases.values())

    @property
    def remedy(self) -> str:
        """What to do to need less."""
        return max(self.phases, key=lambda remedy: self.phases[remedy])


@dataclass(frozen=True)
class Memory:
    """A number of bytes, and what fits into them."""

    limit: int
    is_given: bool = True  # by the user; else a share of what is free

    @classmethod
    def free(cls) -> "Memory":
        """Return a share of what is free now."""
        return cls(int(SHARE_OF_FREE_MEMORY * available_bytes()), is_given=False)

    def holds_table(self, n_rows: int, n_columns: int) -> bool:
        """Return whether the copies of a table that a fit in memory makes have room.

        >>> Memory(10**6).holds_table(1000, 10), Memory(10**6).holds_table(100_000, 10)
        (True, False)
        """
        return 8 * COPIES_OF_TABLE * n_rows * n_columns <= self.limit

    def rows_of_block(self, n_columns: int, model: ModelMemory) -> int:
        """Return how many rows are read at a time, or say what to do if there is no room."""
        rows = (self.limit - model.bytes) // (8 * COPIES_OF_BLOCK * n_columns)
        if rows < SMALLEST_BLOCK_READ:
            raise MemoryError(
                f"this fit needs over {model.bytes / 1e6:,.0f} MB beside the table, and "
                f"memory_limit allows {self.limit / 1e6:,.0f} MB: raise memory_limit, or "
                f"{model.remedy}"
            )
        return min(ROWS_OF_BLOCK, rows)

    def rows_loaded(self, n_columns: int, n_outputs: int) -> int:
        """Return the number of out-of-core rows that can be loaded; half of the memory is for that.

        >>> Memory(10**6).rows_loaded(8, 1)
        1420
        """
        return max(1, self.limit // (2 * 8 * COPIES_OF_TABLE * (n_columns + n_outputs + 2)))

    def rows_in_samples(self, n_columns: int, n_outputs: int, n_basis: int, n_cached: int) -> int:
        """Return the number of rows that a criterion in the sample domain can hold.

        For each row it holds two numbers per basis vector and two per cached candidate, and a few
        vectors; half of the memory is for that.
        """
        numbers = 2 * n_basis + 2 * max(n_cached, n_basis) + 2 * n_columns + 4 * n_outputs + 8
        return max(SMALLEST_BLOCK_READ, self.limit // (2 * 8 * numbers))
