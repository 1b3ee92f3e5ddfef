"""The numbers of this room: what each trades, and how it was judged.

A rule that rests on one or two data sets says so: ``judged on``.
"""

from typing import Final

# --- labels as regression targets (label_targets) -------------------------------------------------

#: Few, more and most rows that choose kernel and transforms: labels tell less than numbers.
SAMPLE_SIZES: Final = (400, 600, 1000)
FIRST_NOISE: Final = 0.1
#: Without the lower limit duplicate rows look free of noise and drive length scales to zero.
NOISE_BOUNDS: Final = (0.02, 1e2)

# --- selection and sites (projected) --------------------------------------------------------------

#: Rows that select the active set: each costs a number for every basis vector and class.
ROWS_FOR_SELECTION: Final = 12_000
#: Basis vectors, up to the planned number, that are drawn if the time of the selection is over.
BASIS_AT_RANDOM: Final = 16
#: Rows × basis vectors² × classes of one evaluation while hyperparameters are optimised; the fewest
#: rows for each basis vector whatever that costs; and the most, which are held in memory.
EVALUATION_SIZE: Final = 1e9
ROWS_PER_BASIS_VECTOR: Final = 4
MAX_ROWS_TO_OPTIMISE: Final = 200_000
EVALUATIONS: Final = 80
#: Evaluations where inducing inputs have more coordinates than this for each row: long searches
#: overfit the labels by them.
# judged on: splice (80 basis vectors, 240 columns, 2,000 rows: NLP .102 with 40, .107 with 80)
COORDINATES_PER_ROW: Final = 4
EVALUATIONS_OF_MANY_COORDINATES: Final = 40
#: Coordinates of inducing inputs that a search may move.
MAX_COORDINATES: Final = 20_000
#: Most columns of labels whose inducing inputs are optimised under a time budget: classes share a
#: basis, and fewer inputs that move are worse than more that do not.
# judged on: one set of eight classes in 17 s (NLP 1.05 with 84 that move, .97 with 246 fixed)
MAX_LABEL_COLUMNS_TO_MOVE: Final = 1
#: Of the sites in the end: with 1e-5 probabilities of a small basis were off by up to .002.
SITE_TOLERANCE: Final = 1e-6
#: Rows × basis vectors² below which BLAS threads cost more than they bring, and the basis vectors
#: that are timed under a time budget.
SIZE_FOR_THREADS: Final = 2e8
BASIS_TO_TIME: Final = 128
#: Shares of the time left: for first hyperparameters, and then for the selection.
SHARE_OF_SUBSETS: Final = 0.3
SHARE_OF_SELECTION: Final = 0.5

# --- a larger basis for the posterior (larger_basis) ----------------------------------------------

#: Basis vectors, at most and at least as a multiple of those of the search; rows × basis vectors² ×
#: columns of labels that the sites of all rows may cost.
LARGER_BASIS: Final = 300
TIMES_LARGER: Final = 1.5
LARGER_SIZE: Final = 2e9
#: Share of the prior variance that a basis leaves unexplained from which a larger one is tried, and
#: rows that tell it.
LEAST_UNEXPLAINED: Final = 0.05
ROWS_TO_EXPLAIN: Final = 2_000

# --- few rows (sharing_of_labels) -----------------------------------------------------------------

#: Folds that decide whether length scales are held together cost about as much as the rest of the
#: fit, with the first basis vectors and columns of labels alone. They are left out beyond this
#: number of rows × basis vectors² × columns of labels.
BASIS_OF_FOLDS: Final = 50
LABEL_COLUMNS_OF_FOLDS: Final = 3
MAX_FOLD_SIZE: Final = 2e7
#: Fewer rows have no folds. Of nine tables, 20 rows have NLP .65 and error .28 with them,
#: without .69 and .30.
MIN_ROWS_OF_FOLDS: Final = 16
EVALUATIONS_OF_A_FOLD: Final = 20
SITE_TOLERANCE_OF_A_FOLD: Final = 1e-4
#: Share of the time left.
SHARE_OF_FOLDS: Final = 0.4

# --- sites or numbers (choose_inference) ----------------------------------------------------------

#: Rows of a table for which both are compared: with fewer the comparison tells nothing, and with
#: more a regression with as many basis vectors as below takes minutes.
MIN_ROWS_TO_COMPARE: Final = 1_000
MOST_ROWS_TO_COMPARE: Final = 10_000
MOST_BASIS_OF_NUMBERS: Final = 2_000
#: Bytes of a regression on labels for each pair of basis vectors: ten matrices of the basis, and
#: the Gram matrix of a pool twice as large with its copies in threads, in double precision.
BYTES_OF_NUMBERS: Final = 300
#: Rows that both models learn from, and rows that they predict, a quarter of the table at most.
ROWS_TO_COMPARE: Final = 1_500
HELD_OUT_TO_COMPARE: Final = 600
#: What numbers have to gain, in nats a row, beside a standard error; or any gain with fewer errors.
MIN_GAIN_OF_NUMBERS: Final = 0.005
#: Under a time budget: the seconds that must be left, and the share of them for the comparison.
SECONDS_TO_COMPARE: Final = 20.0
SHARE_OF_COMPARISON: Final = 0.5

# --- least squares (label_regression) -------------------------------------------------------------

#: Rows that slope and variance scale are learned by. Rows of the basis are among them: they are the
#: hard ones, and without them the model is overconfident.
# judged on: usps (NLP .030 of left-out rows, .060 of new ones)
CALIBRATION_ROWS: Final = 5_000
#: Limits of the variance scale: few rows, or many easy ones, must not decide on more.
VARIANCE_SCALE_BOUNDS: Final = (1e-2, 1e2)
#: Relative change of the loss, and gradient, at which the search for slope and variance scale ends.
#: With SciPy's own (2e-9, 1e-5) rounding decided where: probabilities of image on a GPU were 1e-6
#: off those of the host. Two tables have the same end from two starts to 3e-9, in 85 and 95
#: evaluations.
SLOPE_TOLERANCE: Final = 1e-14
SLOPE_GRADIENT_TOLERANCE: Final = 1e-9
