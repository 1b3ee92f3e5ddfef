"""The numbers of this package: what each trades, and how it was chosen.

Those of memory say how much of it a fit needs beside its table. They were counted in the
code; a number that is too high makes blocks smaller than they need be, one that is too low exceeds
``memory_limit``.
"""

from typing import Final

__all__ = [
    "BASIS_OF_ANOTHER_CLASS",
    "BASIS_OF_CLASSES",
    "EVIDENCE_BYTES",
    "EVIDENCE_ROWS",
    "FILTER_NUMBERS",
    "FIRST_SLOPES",
    "LARGER_SIZES",
    "MATRICES_OF_BASIS",
    "MATRICES_OF_EXACT_GP",
    "MATRICES_OF_EXACT_POSTERIOR",
    "MOST_BASIS_OF_CLASSES",
    "MOST_ONE_HOT_LEVELS",
    "NOTEWORTHY_JITTER",
    "ROUGH_FAMILY",
    "ROUGH_KERNEL",
    "SITES_AT_A_TIME",
    "VARIANCE_OF_LEVELS",
]

# Matrices held at a time: of the size of the basis, and of the rows of an exact Gaussian process.
MATRICES_OF_BASIS: Final = 10
MATRICES_OF_EXACT_GP: Final = 6
# The same for a posterior whose basis is all rows, more than are ordered by a selection.
MATRICES_OF_EXACT_POSTERIOR: Final = 7
# Features that an evaluation of the evidence keeps for its gradient: of this number of rows, twice,
# but no more than these bytes.
EVIDENCE_ROWS: Final = 12_000
EVIDENCE_BYTES: Final = 512 * 2**20
# Copies of the sites of all rows while a fixed point is searched for, and numbers per row and class
# that the selection of an active set keeps beside its features.
SITES_AT_A_TIME: Final = 18
FILTER_NUMBERS: Final = 20

# Jitter is reported above this, relative to the diagonal of the kernel matrix: below, it is lost in
# the rounding of the data.
NOTEWORTHY_JITTER: Final = 1e-6

# Variance of the linear kernel that a stream starts with beside the RBF. A stream leaves the region
# of its first rows, where an RBF alone returns to the mean; on two of two electricity and weather
# streams the linear part lowered the squared error.
FIRST_SLOPES: Final = 0.1

# --- size of a regression -------------------------------------------------------------------------

#: Rows up to which ``max_basis="auto"`` takes all of them: the exact process. With 1,000 and 2,000
#: rows of five sets its NLPD is lower by .02 to .1 than that of 500 basis vectors, with neighbours
#: or without, its RMSE by up to 5 %, and a fit takes as long.
MOST_ROWS_OF_EXACT: Final = 2_000
#: Share of the memory that an exact process may take.
SHARE_OF_EXACT: Final = 0.5
#: Basis vectors for more rows, and the larger numbers that held-out rows may choose: kin40k gains
#: .08 and .18 nats by them, protein_w and pol nothing.
USUAL_BASIS: Final = 500
LARGER_SIZES: Final = (1_000, 2_000)

# Basis vectors of a classifier by default, more for each class beyond two, and the most with these
# and with levels of categories: a fit takes time by the square of their number. With 100 for 316
# persons labels were worse by a fifth than with 400, and for ten classes by a fifth than with 260;
# for three classes NLP was higher by .002 to .007 than with 120.
# judged on: verbagg; usps, digits, shells, hypercube, wine, iris (chile: the same)
BASIS_OF_CLASSES: Final = 100
BASIS_OF_ANOTHER_CLASS: Final = 20
MOST_BASIS_OF_CLASSES: Final = 500

#: The kernel of a regression on labels that is tried beside the one chosen by evidence: its sample
#: paths are rough, as labels change abruptly. Alone it has a log loss lower by .005 to .03 on
#: splice, hypercube, waveform and hdma, the same on image, and a higher one on digits and banana
#: (two splits).
ROUGH_KERNEL: Final = "matern12"
#: Its family, as the history of a fit names it.
ROUGH_FAMILY: Final = "Matern 1/2"

# --- kernels of tables with categories ------------------------------------------------------------

#: Levels, a missing value among them, up to which a category becomes one-hot coordinates with a
#: length scale each.
# judged on: diamonds, wages, verbagg, chile, hdma (split 0)
MOST_ONE_HOT_LEVELS: Final = 10
#: First variance of the random intercept of a category of many levels, of a target of unit
#: variance.
VARIANCE_OF_LEVELS: Final = 0.1
