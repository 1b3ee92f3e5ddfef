"""Where a search evaluates its rows: on the host, or on the device that holds them.

A search ends where a further step gains little, so that rounding decides about its last digits. For
rows on a device the same search by the same rows on the host ends at the same hyperparameters as
that of a table on the host. Where that would take long, it runs on the device: its optimum is then
the same within the tolerance of the search.
"""

from sparsegp.learning.hyperparameters import policy
from sparsegp.tables.rows import Rows

__all__ = ["rows_of_search", "rows_of_subsets"]


def rows_of_search(rows: Rows, n_basis: int) -> Rows:
    """Return the rows of an objective at a basis: on the host, if an evaluation is cheap there."""
    cheap = len(rows) * n_basis**2 <= policy.MAX_GRAM_ON_HOST
    return rows.to_host() if cheap else rows


def rows_of_subsets(rows: Rows, n_rows: int, *, short: bool) -> Rows:
    """Return some of ``n_rows`` rows for exact processes: on the host, if that is cheap.

    It is for a small table, and for a ``short`` search, of few rows or from a warm start.
    """
    return rows.to_host() if short or n_rows <= policy.MAX_ROWS_ON_HOST else rows
