"""A model of what a fit costs: operations, bytes read and bytes reduced, pass by pass.

An operation is an addition or a multiplication of doubles; a product of (n, k) and (k, m) has
2·n·k·m, half of that if the result is symmetric or one factor a triangle. Of everything only what
grows with the largest sizes is counted: rows n, columns D, outputs p, basis vectors m, pool P.
"""

from dataclasses import dataclass

from sparsegp.learning.basis.policy import (
    MAX_ADAPTED_BASIS,
    MIN_POOL,
    POOL_FACTOR,
    ROWS_FOR_EVIDENCE,
)
from sparsegp.learning.basis.select import rows_for_selection
from sparsegp.learning.hyperparameters.policy import EVALUATIONS_AT_BASIS, SUBSET_STAGES
from sparsegp.learning.noise.policy import MAX_HELD_OUT, MIN_HELD_OUT, SHARE_HELD_OUT

__all__ = [
    "Operations",
    "Pass",
    "Rates",
    "default_pool",
    "distributed_seconds",
    "evidence_operations",
    "gram_operations",
    "moment_operations",
    "passes",
    "rows_fetched",
    "work_on_samples",
]

NUMBER = 8  # bytes of a double
SELECTION = "log_posterior"  # the default


@dataclass(frozen=True)
class Operations:
    """What a pass computes."""

    products: float  # operations of products whose cost is quadratic in the basis
    distances: float  # operations of the product that distances are made from
    kernel_values: float  # exponentials

    @property
    def total(self) -> float:
        """All operations; a kernel value counts once."""
        return self.products + self.distances + self.kernel_values


def _kernel_block(n: int, n_columns: int, m: int) -> tuple[float, float]:
    """Return the operations of distances, [x, −½‖x‖², 1]·[z, 1, −½‖z‖²], and kernel values."""
    return 2.0 * n * m * (n_columns + 2), float(n) * m


def moment_operations(n: int, n_columns: int, m: int) -> Operations:
    """Return those of the moments: Φ = K L⁻ᵀ, a triangle, and ΦᵀΦ, symmetric."""
    return Operations(2.0 * n * m**2, *_kernel_block(n, n_columns, m))


def gram_operations(n: int, n_columns: int, pool: int) -> Operations:
    """Return those of the Gram matrix of a pool: KᵀK, symmetric."""
    return Operations(float(n) * pool**2, *_kernel_block(n, n_columns, pool))


def evidence_operations(n: int, n_columns: int, m: int) -> Operations:
    """Return those of the evidence and its gradient: the moments, Φ R, and two thin products."""
    moments = moment_operations(n, n_columns, m)
    return Operations(
        moments.products + 2.0 * n * m**2, 2.0 * moments.distances, moments.kernel_values
    )


@dataclass(frozen=True)
class Pass:
    """One way through all rows."""

    what: str
    times: int
    operations: float  # of one time
    bytes_read: float  # of one time
    bytes_reduced: float  # that each part sends on, to be added or joined


def passes(n: int, n_columns: int, m: int, pool: int, n_outputs: int = 1) -> list[Pass]:
    """Return the passes of a fit with standardised columns whose basis is adapted once."""
    width = n_columns + n_outputs
    read = float(NUMBER * n * width)
    return [
        Pass("means, and a check of every number", 1, 16.0 * n * width, read, 32.0 * width),
        Pass("deviations", 1, 16.0 * n * width, read, 16.0 * width),
        Pass(
            "rows fetched by number",
            FETCHES,
            0.0,
            read,
            NUMBER * width * sum(rows_fetched(n, m, pool).values()) / FETCHES,
        ),
        Pass(
            "moments",
            1,
            moment_operations(n, n_columns, m).total,
            read,
            float(NUMBER * (m**2 + m * n_outputs + 4)),
        ),
    ]


#: How often rows are fetched by a fit that adapts once.
FETCHES = 7


def rows_fetched(n: int, m: int, pool: int) -> dict[str, int]:
    """Return how many rows are fetched by number, by what they are for, if the basis is adapted."""
    held_out = min(MAX_HELD_OUT, int(SHARE_HELD_OUT * n))
    held_out = held_out if held_out >= MIN_HELD_OUT else 0
    seen = n - held_out
    return {
        "means": 1,
        "first hyperparameters": min(n, SUBSET_STAGES[-1][0]),
        "selection": rows_for_selection(seen, SELECTION, pool),
        "two pools": 2 * pool,
        "evidence at the basis": min(seen, ROWS_FOR_EVIDENCE),
        "calibration": held_out,
    }


def default_pool(n: int, m: int) -> int:
    """Return the candidates that a fixed pool holds."""
    return min(n, max(POOL_FACTOR * m, MIN_POOL))


def work_on_samples(n: int, n_columns: int, m: int, pool: int) -> dict[str, float]:
    """Return the operations that look at a sample of rows, whatever their number."""
    exact = sum(
        evaluations * float(min(n, size)) ** 3 for size, evaluations in SUBSET_STAGES if size <= n
    )
    few = min(m, MAX_ADAPTED_BASIS)
    evidence = evidence_operations(min(n, ROWS_FOR_EVIDENCE), n_columns, few).total
    chosen = gram_operations(rows_for_selection(n, SELECTION, pool), n_columns, pool).total
    return {
        "first hyperparameters, at most": exact,
        "Gram matrices of the pool": 2.0 * chosen,
        "elimination": pool**2 * float(few + m),
        "evidence at the basis, at most": EVALUATIONS_AT_BASIS * evidence,
    }


@dataclass(frozen=True)
class Rates:
    """What was measured on one core: seconds of a row, and seconds that do not grow."""

    sums: float  # a row, in the pass of the moments
    fetches: float  # a row, in all fetches together
    scaling: float  # a row, in the passes of means and deviations
    rest: float  # seconds


def distributed_seconds(
    n: int,
    workers: int,
    rates: Rates,
    bytes_reduced: float,
    *,
    bytes_a_second: float = 1e9,
    fan_in: int = 8,
) -> dict[str, float]:
    """Return the seconds of a fit on workers of one core, each with its share of the rows.

    A worker adds its own parts; then the sums of all workers are added by groups of ``fan_in``,
    group after group over a network of ``bytes_a_second``.
    """
    rounds = 0
    while fan_in**rounds < workers:
        rounds += 1
    return {
        "means and deviations": n / workers * rates.scaling,
        "fetches": n / workers * rates.fetches,
        "sums": n / workers * rates.sums,
        "reduction": rounds * (fan_in - 1) * bytes_reduced / bytes_a_second,
        "on samples": rates.rest,
    }
