"""How much memory a fit may take beyond the table itself, and what follows from it."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from sparsegp.tables.index_sampling import MOST_PERMUTED
from sparsegp.tables.rows import BLOCK_BYTES
from sparsegp.tables.sources.table import ROWS_OF_PART

__all__ = ["ClassSizes", "Memory", "Needed", "Sizes", "available_bytes", "parse_bytes"]

# Of what is free, without a limit.
SHARE_OF_FREE = 0.5
# If nobody can tell what is free.
UNKNOWN = 4 * 2**30
# Copies of a table that a fit in memory makes on its way to scaled rows, and copies of a part: as
# read, as doubles, scaled, and a temporary of that.
COPIES_OF_TABLE = COPIES_OF_PART = 4
# Matrices that are alive at a time: of the basis, and of the rows of an exact Gaussian process.
MATRICES, MATRICES_OF_EXACT = 10, 6
# Blocks of kernel values of a thread.
BLOCKS = 4
# Features that an evaluation of the evidence keeps: of so many rows, twice, up to so many bytes.
ROWS_OF_EVIDENCE, KEPT_BYTES = 12_000, 512 * 2**20
# Of a classifier: sites that a fixed point is searched by, new ones too, and numbers that a choice
# of a basis keeps for a row and a class.
SITES_AT_A_TIME, NUMBERS_OF_FILTER = 18, 20
# Numbers of rows that are permuted at a time.
NUMBERS_OF_ROW = 2
# Parts smaller than this would be all overhead.
SMALLEST_PART = 1024

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def parse_bytes(text: str) -> int | None:
    """Return a number of bytes from text; None if it is none.

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
    return UNKNOWN


class Needed(Protocol):
    """What a fit needs beside its table."""

    @property
    def bytes(self) -> int:
        """The most that is needed at a time."""

    @property
    def remedy(self) -> str:
        """What to do for less."""


@dataclass(frozen=True)
class Sizes:
    """What the memory of a fit depends on, beside its table."""

    n_rows: int
    n_basis: int
    pool: int  # candidates whose Gram matrix chooses the basis; 0 if none does
    exact: int  # rows of the largest exact Gaussian process; 0 without a search
    threads: int

    @property
    def bytes(self) -> int:
        """The most that is needed at a time."""
        numbers = 8 * NUMBERS_OF_ROW * min(self.n_rows, MOST_PERMUTED)
        return max(self._phases.values()) + BLOCKS * self.threads * BLOCK_BYTES + numbers

    @property
    def remedy(self) -> str:
        """What to do for less.

        >>> Sizes(10_000, 10, 2000, 0, 1).remedy
        'lower cache_size (the candidates, now 2,000)'
        """
        return max(self._phases, key=lambda remedy: self._phases[remedy])

    @property
    def _phases(self) -> dict[str, int]:
        """Bytes that are needed one after the other, by what would make them fewer."""
        kept = min(KEPT_BYTES, 16 * min(self.n_rows, ROWS_OF_EVIDENCE) * self.n_basis)
        return {
            "lower max_basis": 8 * MATRICES * self.n_basis**2 + kept,
            f"lower cache_size (the candidates, now {self.pool:,})": (
                8 * (2 + self.threads) * self.pool**2
            ),
            "keep hyperparameters as given (optimizer=None)": 8 * MATRICES_OF_EXACT * self.exact**2,
        }


@dataclass(frozen=True)
class ClassSizes:
    """What the memory of a classifier depends on, beside its table."""

    n_rows: int
    n_inputs: int  # columns of the inputs
    n_basis: int
    n_labels: int  # columns of the labels
    choosing: int  # rows that choose the basis
    polishing: int  # rows that hyperparameters are learned by; 0 without a search
    exact: int  # rows of the largest exact Gaussian process; 0 without a search
    threads: int

    @property
    def bytes(self) -> int:
        """The most that is needed at a time."""
        matrices = 8 * (MATRICES + self.n_labels * (2 + self.threads)) * self.n_basis**2
        labels = self.n_rows * (self._of_sites + 8 * NUMBERS_OF_ROW)
        blocks = BLOCKS * self.threads * BLOCK_BYTES
        return max(self._phases.values()) + matrices + labels + blocks

    @property
    def remedy(self) -> str:
        """What to do for less.

        >>> ClassSizes(10**7, 8, 100, 1, 12_000, 0, 0, 1).remedy
        'fit fewer rows (each has sites, which take 288 bytes)'
        """
        return max(self._phases, key=lambda remedy: self._phases[remedy])

    @property
    def _of_sites(self) -> int:
        """Bytes of the sites of a row."""
        return 8 * 2 * self.n_labels

    @property
    def _phases(self) -> dict[str, int]:
        """Bytes that are needed one after the other, by what would make them fewer."""
        inputs = 8 * COPIES_OF_PART * self.n_inputs
        features = min(KEPT_BYTES, 8 * self.polishing * self.n_basis)
        sites = SITES_AT_A_TIME * self._of_sites
        learning = max(
            self.polishing * (inputs + sites) + features, 8 * MATRICES_OF_EXACT * self.exact**2
        )
        return {
            "lower max_basis": self.choosing
            * (inputs + 8 * self.n_labels * (self.n_basis + NUMBERS_OF_FILTER)),
            "keep hyperparameters as given (optimizer=None)": learning,
            f"fit fewer rows (each has sites, which take {sites:,} bytes)": self.n_rows * sites,
        }


@dataclass(frozen=True)
class Memory:
    """A number of bytes, and what fits into them."""

    limit: int

    @classmethod
    def free(cls) -> "Memory":
        """Return a share of what is free now."""
        return cls(int(SHARE_OF_FREE * available_bytes()))

    def holds_table(self, n_rows: int, n_columns: int) -> bool:
        """Tell whether a table can be copied on its way to a model.

        >>> Memory(10**6).holds_table(1000, 10), Memory(10**6).holds_table(100_000, 10)
        (True, False)
        """
        return 8 * COPIES_OF_TABLE * n_rows * n_columns <= self.limit

    def rows_of_part(self, n_columns: int, sizes: Needed) -> int:
        """Return how many rows are read at a time; 0 if there is no room for any."""
        room = (self.limit - sizes.bytes) // (8 * COPIES_OF_PART * n_columns)
        return min(ROWS_OF_PART, room) if room >= SMALLEST_PART else 0

    def rows_in_samples(self, n_columns: int, n_outputs: int, n_basis: int, places: int) -> int:
        """Return how many rows can have numbers for each basis vector and candidate.

        Two matrices of the basis, two of the working set, and a few vectors: half of the memory.
        """
        numbers = 2 * n_basis + 2 * max(places, n_basis) + 2 * n_columns + 4 * n_outputs + 8
        return max(SMALLEST_PART, self.limit // (2 * 8 * numbers))
