"""The numbers of this package: what each trades, and how it was chosen."""

from typing import Final

__all__ = [
    "ALMOST_CONSTANT",
    "BLOCKS_PER_THREAD",
    "BLOCK_BYTES",
    "BLOCK_BYTES_ON_DEVICE",
    "CONSTANT_COLUMN",
    "COPIES_OF_BLOCK",
    "COPIES_OF_TABLE",
    "CURVE_CENTRE_BOUNDS",
    "CURVE_SCALE_BOUNDS",
    "FEW_VALUES",
    "LINEAR_AFTER",
    "MOST_KNOTS",
    "MOST_PERMUTED",
    "MOST_STRATA_BITS",
    "OUTER_SCORES",
    "ROWS_OF_BLOCK",
    "ROWS_OF_SUM",
    "SAME_SCORE",
    "SHARE_OF_FREE_MEMORY",
    "SMALLEST_BLOCK",
    "SMALLEST_BLOCK_READ",
    "SMALLEST_RANGE",
    "SUMS_PER_TASK",
    "TAIL_LAG",
    "TAIL_WIDTH",
    "UNKNOWN_FREE_MEMORY",
]

# Blocks of kernel values in memory. A block stays in the processor's cache between elementwise
# steps and is large enough for matrix products at full speed.
BLOCK_BYTES: Final = 8 * 2**20
SMALLEST_BLOCK: Final = 256
# A device has no such cache, and small blocks would leave it idle (an H200 takes 2 % longer with
# half of it).
BLOCK_BYTES_ON_DEVICE: Final = 2**30

# Rows read at a time from a table out of core, if the memory limit allows it. More rows keep all
# cores busy between reads.
ROWS_OF_BLOCK: Final = 65_536
# With fewer rows per read the overhead dominates: below, a fit is refused.
SMALLEST_BLOCK_READ: Final = 1_024

# Without a memory limit a fit takes this share of the free memory: other programs keep the rest.
SHARE_OF_FREE_MEMORY: Final = 0.5
# Where the operating system does not tell how much is free.
UNKNOWN_FREE_MEMORY: Final = 4 * 2**30
# Copies of a table that a fit in memory holds at its peak, and copies of a block: as read, as
# doubles, transformed, and a temporary of that. Counted in the code.
COPIES_OF_TABLE: Final = 4
COPIES_OF_BLOCK: Final = 4
# Blocks of kernel values that a thread holds at its peak. Counted in the code.
BLOCKS_PER_THREAD: Final = 4

# Up to this number of rows a sample is the beginning of a permutation of all; a permutation of more
# would take more memory than the sample is worth.
MOST_PERMUTED: Final = 4_000_000

# Partial results that one Dask task adds up: a wider tree holds more of them at a time, a deeper
# one waits longer.
SUMS_PER_TASK: Final = 8

# A column that varies less than this, relative to its size, varies by rounding only.
CONSTANT_COLUMN: Final = 1e-13
# So is one whose values differ by less than this, whatever their size: slopes over subnormal ranges
# would be infinite.
SMALLEST_RANGE: Final = 1e-300
# A column with at most this number of distinct values is discrete: normal scores say nothing of it.
FEW_VALUES: Final = 10
# A column is almost constant if one value has this share of the rows.
ALMOST_CONSTANT: Final = 0.99

# Knots of the piecewise linear map of a column; more distinct values are thinned out evenly in
# their normal scores. More knots follow a distribution closer and make model files larger.
MOST_KNOTS: Final = 128
# Normal scores closer than this are the same rank up to rounding.
SAME_SCORE: Final = 1e-12
# The slope of a map beyond an end is that of its outermost part, of this width in normal scores: a
# narrower part would follow single rows.
OUTER_SCORES: Final = 1.0

# Bounds of the centre and the scale of a warp, in standard deviations of the target: outside them
# a curve is linear, or a step, over all targets.
CURVE_CENTRE_BOUNDS: Final = (-3.0, 3.0)
CURVE_SCALE_BOUNDS: Final = (0.05, 20.0)
# A warp becomes linear beyond the training targets within this distance in z, and while y gains on
# the linear tail at most this share of the range of the targets: wider follows the curve longer.
TAIL_WIDTH: Final = 0.25
TAIL_LAG: Final = 0.25
# After this number of widths the tail is linear for quadrature.
LINEAR_AFTER: Final = 8.0

# Rows summed at a time in doubled precision: the intermediate sums stay in the cache.
ROWS_OF_SUM: Final = 8_192
# A stratified order has at most two to this number of strata.
MOST_STRATA_BITS: Final = 11
