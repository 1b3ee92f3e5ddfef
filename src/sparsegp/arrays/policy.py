"""Numbers that trade speed or memory against precision in the array operations.

Block sizes and thresholds change how long a call takes, and its result by no more than rounding.
They were judged by timings on two CPU cores with OpenBLAS, those for devices on one H200.
"""

from typing import Final

#: Squared distance of two rows, as a share of their squared lengths, below which it is computed by
#: differences: the expanded square has lost half of its digits there.
CLOSE: Final = 1e-7
#: Columns up to which differences of all pairs of rows take no longer than a product.
MOST_COLUMNS_ONE_BY_ONE: Final = 4
#: Elements of Z up to which distances of one row to it are summed by differences: 10 µs for 100
#: rows of 8 columns, where a product takes 15, and 45 more once for each new Z.
SMALL_SIZE: Final = 8192

__all__ = [
    "ALIGNMENT",
    "ANDERSON_CHUNK",
    "ANDERSON_DEPTH",
    "ANDERSON_RELATIVE_RANK",
    "CHUNK_SIZE",
    "DEVICE_BLOCK",
    "FREED_BYTES",
    "FURTHEST",
    "GRAM_BLOCK",
    "INVERSION_LEAF",
    "LARGEST_DEVICE_INVERSE",
    "LARGEST_HALF_NORM",
    "MOST_PARTS",
    "PRODUCT_TO_TIME",
    "RELATIVE_JITTERS",
    "ROW_ALIGNMENT",
    "SIZE_FOR_THREADS",
    "SIZE_TO_ALIGN",
    "SMALL_MATRIX",
    "SOLVE_LEAF",
    "STRETCH",
    "WELL_CONDITIONED",
]

# --- precision ---

# Jitter of a Cholesky factorisation as shares of the mean diagonal, in the order tried: none at
# first; 10⁻¹² is just above the rounding of a kernel matrix of 1,000 rows, and beyond 10⁻⁴ the
# jitter would act as noise that predictions show.
RELATIVE_JITTERS: Final = (0.0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4)

# ‖L‖·‖L⁻¹‖ below which rows are multiplied by L⁻¹ instead of solved with L. Rounding then moves a
# row by at most 10⁵·10⁻¹⁶ of its length: eleven significant figures for twice the speed.
WELL_CONDITIONED: Final = 1e5

# ½‖x‖² above which squared distances are summed column by column. The matrix product rounds by
# about 10⁻¹⁶ of the largest ½‖x‖², so distances keep an absolute precision of 10⁻¹⁰.
LARGEST_HALF_NORM: Final = 1e6

# Coordinates are clipped here for distances in single precision, which holds their squares, and on
# a device, where a test of how large they are would be a wait.
FURTHEST: Final = 1e17

# Differences of residuals that are this close to linearly dependent count as dependent in
# Anderson acceleration.
ANDERSON_RELATIVE_RANK: Final = 1e-10

# --- speed ---

# Order of matrices whose triangle is taken by a mask that is kept: making it takes as long as the
# rest, and a mask of this order has 256 kB.
SMALL_MATRIX: Final = 512

# Residuals that Anderson acceleration keeps: each takes memory as large as the vector, and the
# least-squares problem becomes badly conditioned with many.
ANDERSON_DEPTH: Final = 5

# Numbers of a residual vector that are handled at a time: half a megabyte for each remembered one.
ANDERSON_CHUNK: Final = 2**16

# Size below which a triangle is inverted by LAPACK; larger ones are halved, which makes LAPACK's
# slow inversion a sequence of matrix products (40 % less time for 1,000 rows).
INVERSION_LEAF: Final = 96

# Columns below which a badly conditioned triangular block is solved by BLAS and not halved again
# (15 % less time than with 64, for a factor of 500 columns).
SOLVE_LEAF: Final = 32

# Blocks whose number of columns is a multiple of this multiply faster.
ALIGNMENT: Final = 16

# Columns of a diagonal block outside NumPy, within which zeros are multiplied: large enough for a
# device to be busy.
DEVICE_BLOCK: Final = 128

# Columns that are divided by one inverse outside NumPy. A larger one saves no time, and is badly
# conditioned more often.
LARGEST_DEVICE_INVERSE: Final = 4096

# Columns of a diagonal block of a Gram matrix on a device, within which what lies above the
# diagonal is computed too (with 512 a Gram matrix of 4,096 columns takes 8 % longer).
GRAM_BLOCK: Final = 128

# Elements that the rows of large matrices on a device are a multiple of: 128 bytes in double.
ROW_ALIGNMENT: Final = 16
# Order of matrices from which a copy with such rows is factorised on a device.
SIZE_TO_ALIGN: Final = 1024

# Numbers of a chunk of an elementwise function: a quarter of a megabyte, which stays in the cache
# of a core.
CHUNK_SIZE: Final = 2**15

# Order of the matrices whose product tells how fast single precision is: large enough for the
# product to take longer than its launch, small enough for milliseconds.
PRODUCT_TO_TIME: Final = 2048

# How many times smaller blocks become on a device that is out of memory before the host takes over.
MOST_PARTS: Final = 64

# Rows of a matrix below which a second BLAS thread costs a factorisation more than it saves.
SIZE_FOR_THREADS: Final = 1000

# Bytes of the array that teaches glibc's allocator to keep freed memory: its limit is 32 MB.
FREED_BYTES: Final = 31 * 2**20

#: Elements of a stretch of a long line whose smallest elements are searched. Longer stretches leave
#: more elements to compare in the second step, shorter ones more least elements in the first.
STRETCH: Final = 64
