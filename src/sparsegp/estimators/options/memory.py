"""The memory that a fit may take (``memory_limit``), and what it needs beside its table."""

from numbers import Integral
from typing import Any

from sparsegp.arrays import free_bytes, n_threads
from sparsegp.estimators.policy import (
    EVIDENCE_BYTES,
    EVIDENCE_ROWS,
    FILTER_NUMBERS,
    MATRICES_OF_BASIS,
    MATRICES_OF_EXACT_GP,
    MATRICES_OF_EXACT_POSTERIOR,
    SITES_AT_A_TIME,
)
from sparsegp.learning.basis.select import pool_size
from sparsegp.learning.classes.class_fit import ClassSettings
from sparsegp.learning.classes.policy import ROWS_FOR_SELECTION
from sparsegp.learning.classes.projected import rows_to_optimise_by
from sparsegp.learning.hyperparameters.policy import SHORT_STAGES, SUBSET_STAGES
from sparsegp.learning.settings import Settings
from sparsegp.selection import uses_sample_domain
from sparsegp.tables.memory import Memory, ModelMemory, parse_bytes
from sparsegp.tables.policy import COPIES_OF_BLOCK, SHARE_OF_FREE_MEMORY
from sparsegp.tables.table import Table

__all__ = ["check_exact_process_fits", "class_memory", "memory_of", "regression_memory"]

LOWER_BASIS = "lower max_basis"
NO_SEARCH = "keep hyperparameters as given (optimizer=None)"


def memory_of(estimator: Any) -> Memory:
    """Return the memory that a fit may take beyond X: the limit, or a share of what is free."""
    limit = estimator.memory_limit
    if limit is None:
        return Memory.free()
    found = parse_bytes(limit) if isinstance(limit, str) else limit
    if isinstance(found, float) and found.is_integer():
        found = int(found)  # 1e6
    if isinstance(found, bool) or not isinstance(found, Integral) or found <= 0:
        raise ValueError(
            "memory_limit must be None, a positive number of bytes or a string such as '2GB', got "
            f"{limit!r}"
        )
    return Memory(int(found))


def check_exact_process_fits(X: Any, n_rows: int, settings: Settings) -> None:
    """Refuse the exact process of all rows (``max_basis="all"``) where memory does not hold it."""
    if not settings.every_row:
        return
    needed = 8 * MATRICES_OF_EXACT_POSTERIOR * n_rows**2
    memory, on_device = settings.memory, free_bytes(X)
    free = memory.limit if memory.is_given else int(memory.limit / SHARE_OF_FREE_MEMORY)
    room = free if on_device is None else on_device
    if needed > room:
        where = "memory" if on_device is None else "the memory of the device"
        raise MemoryError(
            f"max_basis='all' is the exact process, which needs {needed / 1e9:,.1f} GB for "
            f"matrices of {n_rows:,} x {n_rows:,}, and {room / 1e9:,.1f} GB of {where} are "
            "available: set max_basis to a number of basis vectors, such as 2000, or give fewer "
            "rows"
        )


def regression_memory(table: Table, settings: Settings) -> ModelMemory:
    """Return what a regression needs beside its table."""
    n, m, threads = table.n_rows, min(settings.largest_basis, table.n_rows), n_threads()
    in_sums = settings.selection != "random" and not uses_sample_domain(
        settings.selection, settings.n_fresh
    )
    pool = pool_size(settings, m, n) if in_sums and not settings.every_row else 0
    exact = min(SUBSET_STAGES[-1][0], n) if settings.optimise else 0
    features = min(EVIDENCE_BYTES, 16 * min(n, EVIDENCE_ROWS) * m)
    phases = {
        LOWER_BASIS: 8 * MATRICES_OF_BASIS * m**2 + features,
        f"lower cache_size (the candidates, now {pool:,})": 8 * (2 + threads) * pool**2,
        NO_SEARCH: 8 * MATRICES_OF_EXACT_GP * exact**2,
    }
    return ModelMemory.of_phases(phases, n, threads)


def class_memory(table: Table, settings: ClassSettings) -> ModelMemory:
    """Return what a classifier needs beside its table: every row has a site for each class."""
    n, n_labels, threads = table.n_rows, table.n_outputs, n_threads()
    m = min(settings.active.max_basis, n)
    optimising = min(rows_to_optimise_by(m, n_labels), n) if settings.optimise else 0
    exact = min(SHORT_STAGES[-1][0], n) if settings.optimise else 0
    inputs, site = 8 * COPIES_OF_BLOCK * table.n_columns, 16 * n_labels
    sites = SITES_AT_A_TIME * site
    features = min(EVIDENCE_BYTES, 8 * optimising * m)
    learning = max(optimising * (inputs + sites) + features, 8 * MATRICES_OF_EXACT_GP * exact**2)
    phases = {
        LOWER_BASIS: min(ROWS_FOR_SELECTION, n) * (inputs + 8 * n_labels * (m + FILTER_NUMBERS)),
        NO_SEARCH: learning,
        f"fit fewer rows (each has sites, which take {sites:,} bytes)": n * sites,
    }
    matrices = 8 * (MATRICES_OF_BASIS + n_labels * (2 + threads)) * m**2
    return ModelMemory.of_phases(phases, n, threads, throughout=matrices + n * site)
