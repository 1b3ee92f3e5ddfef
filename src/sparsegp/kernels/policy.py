"""Default bounds of kernel parameters, and how kernels are printed.

Bounds keep an optimiser inside the range where a parameter still changes the kernel, for inputs and
targets of unit variance, and are wide enough not to act as a prior. A fit narrows length scales by
the data (``learning.hyperparameters``).
"""

from typing import Final

__all__ = [
    "ALPHA_BOUNDS",
    "CATEGORICAL_LENGTH_SCALE_BOUNDS",
    "LENGTH_SCALE_BOUNDS",
    "LINEAR_VARIANCE_BOUNDS",
    "MOST_CODES_APART",
    "MOST_CODES_COUNTED",
    "MOST_NUMBERS_SHOWN",
    "PERIOD_BOUNDS",
    "VALUE_BOUNDS",
]

# In standard deviations: 10⁻³ is the spacing of 1,000 rows in one column, and far below that of any
# rows in several columns; at 10⁴ a column is irrelevant (1 − k < 10⁻⁷ within its range).
LENGTH_SCALE_BOUNDS: Final = (1e-3, 1e4)

# A mismatch costs 1/ℓ: the correlation of two categories goes from e⁻¹⁰⁰, none, to e⁻⁰·⁰⁰⁰¹, all
# equal.
CATEGORICAL_LENGTH_SCALE_BOUNDS: Final = (1e-2, 1e4)

# Matches of few different codes a column are counted by one product of one-hot codes, of more by
# comparing each pair: a comparison takes as long as about this number of products.
MOST_CODES_COUNTED: Final = 32

# Up to this number of codes their coordinates for a search of close rows are one-hot; of more they
# are random directions in as many dimensions, whose distances are right to 1/√64. One-hot codes of
# thousands of persons would take gigabytes.
MOST_CODES_APART: Final = 64

# Periods in the units of the data, from microseconds of times in seconds to decades of them.
PERIOD_BOUNDS: Final = (1e-6, 1e9)

# The mixture of length scales of a rational quadratic kernel: 10⁻² is a nearly logarithmic
# correlation, and from 10³ on it differs from an RBF by less than 10⁻³.
ALPHA_BOUNDS: Final = (1e-2, 1e3)

# Signal variance or bias, relative to a target of unit variance: a factor 10³ in deviations each
# way.
VALUE_BOUNDS: Final = (1e-6, 1e6)

# Variance of slopes; smaller ones switch a column off, which costs nothing.
LINEAR_VARIANCE_BOUNDS: Final = (1e-8, 1e6)

# Parameters of a kernel that are printed one by one: more would not fit on a line.
MOST_NUMBERS_SHOWN: Final = 8
