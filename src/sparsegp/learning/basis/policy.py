"""The numbers of this room: what each trades, and how it was judged.

A rule that rests on one or two data sets says so: ``judged on``.
"""

from typing import Final

# --- selection (choose_basis) ---------------------------------------------------------------------

#: Candidates for each basis vector in a fixed pool, and the smallest pool. With three for each
#: errors are 0 to 12 % smaller; a sixth more basis vectors instead cost the same and are better on
#: most sets. Where a time budget makes the basis smaller, more candidates are worth it.
POOL_FACTOR: Final = 2
POOL_FACTOR_IN_TIME: Final = 2.5
MIN_POOL: Final = 2_000
#: Rows of the Gram matrix that a basis is selected by: this number, or a third more than candidates
#: up to the second. 12,000 instead of 6,000 make errors of 1,500 basis vectors 0 to 4 % smaller and
#: those of 500 no smaller (four sets).
# judged on: kin40k (4 %), protein (0 %)
ROWS_FOR_SELECTION: Final = 6_000
MAX_ROWS_FOR_SELECTION: Final = 12_000
ROWS_OVER_CANDIDATES: Final = 4 / 3
#: Rows for each candidate that are enough, and the fewest.
# judged on: kin40k (with 5 as with 10, with 2 errors 6 % larger)
ROWS_PER_CANDIDATE: Final = 5
MIN_ROWS_FOR_SELECTION: Final = 2_000

#: Multiplications of the Gram matrix of a pool (6,000 rows, 2,000 candidates: up to 1,000 basis
#: vectors by default) up to which a table on a device selects on the host. Gains end in rounding
#: where a basis explains nearly all, and on another processor the choices, and hyperparameters that
#: are adapted to them, are others (abalone: means .024 standard deviations apart). A core takes a
#: second for it, 16 cores as long as a GPU.
MAX_SELECTION_ON_HOST: Final = 3e10

#: Rows above which an exact process keeps its rows as they come: a selection, which orders them by
#: what they add, costs several times the exact process itself.
MOST_ROWS_ORDERED: Final = 2_000

#: Bytes for kernel rows of candidates that may be drawn again, and as a share of the memory of a
#: fit. With all of 4,500 rows (162 MB) matching pursuit takes 0.7 times as long, the log posterior
#: 0.9 times; with 1,000 of them 0.9 and 0.95 times. On a busy machine 0.8 and 1.1 times
#: (``benchmarks/keerthi_chu.md``).
# judged on: bank8fm, kin8nm
MAX_CACHE_BYTES: Final = 2**30
CACHE_SHARE: Final = 0.25

# --- adaptation of hyperparameters (adapt) --------------------------------------------------------

#: Rows of the evidence at a fixed basis unless adaptation was asked for: more hardly move its
#: optimum.
ROWS_FOR_EVIDENCE: Final = 10_000
#: Basis vectors that hyperparameters are adapted to unless asked for, the first ones. With 300 of
#: 500 or of 1,000 errors are equal within 3 % on nine of ten sets. VFE, FITC and leave-one-out
#: objectives adapt at the full size: with 300 of 500 errors of VFE were up to 3 % larger (bike 29).
MAX_ADAPTED_BASIS: Final = 300
#: Multiplications of the largest Gram matrix of an adaptation that was not asked for: 1,200 basis
#: vectors and 10,000 rows. An evaluation takes one to two seconds on a core.
MAX_GRAM_FOR_ADAPTATION: Final = 1.5e10
#: Under a time budget: evaluations that an adaptation must have time for, and the passes over the
#: rows that each takes.
MIN_EVALUATIONS: Final = 4
PASSES_PER_EVALUATION: Final = 3

# --- refinement of inducing inputs (refine) -------------------------------------------------------

#: Rows of each stage (None: all), and evaluations of the evidence there.
REFINE_STAGES: Final[tuple[tuple[int | None, int], ...]] = ((12_000, 30), (None, 5))
#: Under a time budget: evaluations that a further stage must have time for.
MIN_REFINE_EVALUATIONS: Final = 3

# --- active sets of a classifier (active_set) -----------------------------------------------------

#: Evaluations between two selections, and the outer loop of SS: it ends after a number of
#: iterations (patience) that lower the loss by less than a share (tolerance).
ACTIVE_EVALUATIONS: Final = 10
ACTIVE_TOLERANCE: Final = 1e-3
ACTIVE_PATIENCE: Final = 3
