"""Numbers of the model algebra that trade speed, memory or precision against each other.

Nodes of quadrature rules and splines stand beside their formulas (``warped``, ``conditional_mean``,
``noise.distribution``).
"""

from typing import Final

import numpy as np

__all__ = [
    "CLASS_NODES",
    "CLASS_REACH",
    "CLASS_STEP",
    "CLASS_VALUES",
    "EPSILON",
    "FEWEST_DF",
    "FEWEST_IMPORTANCE_PAIRS",
    "IMPORTANCE_PAIRS",
    "IMPORTANCE_VALUES",
    "KEPT_BYTES",
    "LARGEST_CORRECTION",
    "LEAST_DAMPING",
    "LEAST_MULTIPLICATIONS",
    "LEAST_NOISE_FOR_SINGLE",
    "LEAST_NOISE_TO_INVERT",
    "LEAST_PRECISION",
    "LEAST_SPEEDUP",
    "LOG_LIMIT",
    "MOST_DF",
    "MOST_FALSE_INFORMATION",
    "MOST_ROUNDING",
    "NEWTON_STEPS",
    "NEWTON_TOLERANCE",
    "PREDICTED_ROUNDING",
    "ROUNDING_OF_BOUND",
    "ROWS_AT_ONCE",
    "ROWS_FOR_SINGLE",
    "ROWS_FOR_THREADS",
    "ROWS_OF_BLOCK",
    "ROWS_PER_BASIS_VECTOR",
    "ROWS_TO_LOOK_FOR_COPIES",
    "ROWS_TO_PREDICT_ROUNDING",
    "SIZE_OF_BLOCK",
    "SMALLEST_CAVITY_SHARE",
    "SMALLEST_REST",
    "VALUES_AT_ONCE",
    "WIDE_BASIS",
]

# --- memory ---

# Features of a first pass over the rows are kept for later passes up to this many bytes; beyond it
# they are recomputed, which costs kernel values and a triangular solve a pass.
KEPT_BYTES: Final = 512 * 2**20

# Rows whose quadrature nodes are held at a time: a few megabytes of (rows, nodes) arrays.
ROWS_AT_ONCE: Final = 4096

# Which of C Gaussians is the largest (``classes``): nodes reach from 12 deviations below to 9
# above, .4 of the narrowest deviation apart. Of up to 2,000 classes, probabilities are right to
# 10⁻⁶, of ten to 10⁻¹²; twice the step takes half the time and errs by 10⁻³. At most 2¹² intervals:
# a Gaussian a hundred times as narrow as another may then be a step between two nodes.
CLASS_REACH: Final = (12.0, 9.0)
CLASS_STEP: Final = 0.4
CLASS_NODES: Final = (2**5, 2**12)
# Values (row, class, node) that are held at a time: 8 MB an array, which the cache nearly holds.
CLASS_VALUES: Final = 2**20

# Kernel values of a noise process that are held at a time: 32 MB.
VALUES_AT_ONCE: Final = 2**22

# --- whitening after summation (``moments``) ---

EPSILON: Final = float(np.finfo(np.float64).eps)

# Rounding error of ΦᵀWΦ, beside the identity that the prior adds: with at most the first, predicted
# from some rows, kernel values are summed before they are whitened; with more than the second,
# measured afterwards, the rows are whitened first after all. It halves the time of a pass; on five
# data sets means moved by less than 10⁻⁴ standard deviations.
PREDICTED_ROUNDING: Final = 1e-3
MOST_ROUNDING: Final = 1e-2

# Whitening after summation is faster from this many basis vectors on, with this many rows for each.
WIDE_BASIS: Final = 128
ROWS_PER_BASIS_VECTOR: Final = 4

# Rows from which the rounding error is predicted; the prediction is a maximum over columns.
ROWS_TO_PREDICT_ROUNDING: Final = 256

# --- moments in single precision (``mixed_precision``) ---

# Precision of a weight that rounding may add, beside the one of its prior; and how far refinement
# in double may move weights, in posterior standard deviations. Both are far below what a prediction
# shows, and far above what refinement leaves.
MOST_FALSE_INFORMATION: Final = 1e-2
LARGEST_CORRECTION: Final = 0.1

# It is tried by itself where products are this many times faster in single precision, and a pass
# has this many multiplications n·m²: refinement takes a tenth to a fifth of a pass in double, and a
# GPU does a smaller pass in less than a tenth of a second.
LEAST_SPEEDUP: Final = 3.0
LEAST_MULTIPLICATIONS: Final = 1e11

# --- exact Gaussian processes (``exact``) ---

# Rows below which one thread is faster: LAPACK threads wait for each other by spinning.
ROWS_FOR_THREADS: Final = 1500

# Smallest noise, relative to the mean diagonal of C, at which C⁻¹ comes from products of triangular
# inverses. The condition number is then below 10⁸, so that half of the precision remains.
LEAST_NOISE_TO_INVERT: Final = 1e-8

# Smallest noise, relative to the mean prior variance, at which a search may use single precision,
# and the rows from which it saves time. On nine tables the log marginal likelihood was then off by
# at most 0.2 nats and its gradient by 4·10⁻⁴ a row: below what a search resolves.
LEAST_NOISE_FOR_SINGLE: Final = 1e-3
ROWS_FOR_SINGLE: Final = 300

# Elements of a block of the kernel matrix (a megabyte stays in cache), and the fewest rows of one.
SIZE_OF_BLOCK: Final = 2**17
ROWS_OF_BLOCK: Final = 128

# --- leave-one-out ---

# Least 1 − η: a row that determines its own prediction alone has η = 1 to rounding.
SMALLEST_REST: Final = 1e-10

# --- Gaussian sites ---

# Newton steps to the mode before EP or variational sweeps, and the relative change of the weights
# at which they end. A start near the mode saves sweeps; precision there is wasted.
NEWTON_STEPS: Final = 8
NEWTON_TOLERANCE: Final = 1e-2

# Damping below which a sweep that makes matters worse is accepted: five halvings.
LEAST_DAMPING: Final = 1.0 / 32.0

# Relative decrease of a lower bound that is rounding.
ROUNDING_OF_BOUND: Final = 1e-12

# Smallest share of the variance at a row that the cavity keeps: bounds how far one site can reach.
SMALLEST_CAVITY_SHARE: Final = 1e-3

# Least precision of an active site times the prior variance; below it the posterior is the same to
# rounding, and the factor of K_uu + Π⁻¹ would overflow.
LEAST_PRECISION: Final = 1e-12

# --- noise ---

# Range of the degrees of freedom of Student's t noise. Below 2 there is no variance, and integrals
# near it converge slowly; above 50 it is Gaussian to half a percent.
FEWEST_DF: Final = 2.5
MOST_DF: Final = 50.0

# Largest |log| of a factor on the noise variance by the predicted mean: e⁵ ≈ 150 either way keeps
# an extrapolated quadratic from ruling a prediction.
LOG_LIMIT: Final = 5.0

# --- importance of inputs ---

# Pairs of basis vectors that an importance is a mean over: its standard error is about 3 % of it,
# and 30 columns cost 60,000 predictions of the mean.
IMPORTANCE_PAIRS: Final = 2_000
# Kernel values that all columns may cost, some seconds: notebooks ask for importances whenever they
# show a model. With 256 columns and 2,000 basis vectors 195 pairs are left, a standard error of
# 10 %. And the fewest pairs.
IMPORTANCE_VALUES: Final = 10**8
FEWEST_IMPORTANCE_PAIRS: Final = 100

# --- exact processes (``features``) ---

# Basis vectors from which equal ones are looked for before their kernel matrix is factorised: with
# them a factorisation without jitter is in vain, and takes longer than looking from here on.
ROWS_TO_LOOK_FOR_COPIES: Final = 5_000
