"""The numbers of this room: what each trades, and how it was judged.

A rule that rests on one or two data sets says so: ``judged on``.
"""

from typing import Final

# --- iterations (time_budget) ---------------------------------------------------------------------

#: Share of the longest step so far that the next one is expected to take at least.
DECAY_OF_LONGEST: Final = 0.8

# --- cost model -----------------------------------------------------------------------------------

#: Rows with which an exact evidence is timed, and the power of the rows that it takes time by.
ROWS_TO_TIME: Final = 250
EXACT_EXPONENT: Final = 2.2
#: Power of basis vectors in what does not depend on rows: between the square, where memory counts,
#: and the cube of large factorisations.
BASIS_EXPONENT: Final = 2.1
#: Basis vectors at which kernel values and products take equally long.
# judged on: calhouse, kin40k (seconds a row at 256 to 1,500 basis vectors)
BREAK_EVEN_BASIS: Final = 1_200
#: Rows and basis vectors of the timed passes, the most if there are seconds left for them.
TIMED_ROWS: Final = 2_048
MIN_TIMED_ROWS: Final = 64
FEW_TIMED_BASIS: Final = 16
TIMED_BASIS: Final = 128
MAX_TIMED_BASIS: Final = 256
SECONDS_FOR_MAX_TIMED: Final = 3.0
#: Passes are repeated for this share of the time left, within these numbers, and the shortest
#: counts: differences of medians vary threefold.
SHARE_OF_TIMING: Final = 0.01
MIN_REPEATS: Final = 3
MAX_REPEATS: Final = 15
#: Of the time of a pass with many basis vectors, at least this share grows with their number.
MIN_SHARE_OF_PRODUCTS: Final = 0.3

# --- regression (time_planner, regression_plan) ---------------------------------------------------

#: Fewest basis vectors, rows and calibration rows, whatever the budget.
#: Fifty basis vectors take as long as sixteen, within what can be measured, and err less.
MIN_BASIS: Final = 50
MIN_ROWS: Final = 1_000
MIN_CALIBRATION_ROWS: Final = 200
#: A budget may be exceeded by this share: better than a model of the fewest basis vectors when the
#: selection took longer than planned.
GRACE: Final = 0.1
#: Calibration uses no more than this share of the rows, and this number counted twice.
SHARE_OF_CALIBRATION: Final = 0.15
MAX_CALIBRATED_TWICE: Final = 6_000
#: Repeated timings differ by a third; a factor above this means a slower machine.
CLEARLY_SLOWER: Final = 1.5
#: Seconds of a final pass from which the machine is timed again before it.
SECONDS_TO_TIME_AGAIN: Final = 0.5
#: Growth of rounding errors of late whitening, from the timed basis to one ten times as large.
PRECISION_OF_LARGER_BASIS: Final = 1e3
#: Work of a selection in units of the cost model, as measured: products of a Gram matrix, of one
#: that is formed again, and values in a step of the elimination.
PRODUCTS_OF_GRAM: Final = 0.35
PRODUCTS_OF_NEW_GRAM: Final = 1.5
VALUES_OF_ELIMINATION: Final = 8.0
#: Passes and rows that a refinement of inducing inputs is worth.
PASSES_OF_REFINEMENT: Final = 60
ROWS_OF_REFINEMENT: Final = 12_000

# --- classification (class_time_planner) ----------------------------------------------------------

#: Fewest basis vectors of a classifier, whatever the budget: their sites are found one by one.
MIN_CLASS_BASIS: Final = 16
#: Factor on timed work: a fit that runs out of time has sites for some of the rows only.
# judged on: ringnorm (it still happens in one fit of twenty: NLP .40, not .06)
CAUTION: Final = 1.4
#: Columns of labels whose sites are timed: all columns take that many times as long, and to time a
#: hundred of them would take longer than some budgets.
TIMED_LABEL_COLUMNS: Final = 4
#: Sweeps reserved for the sites of all rows, sweeps of the shortest inference, which is what is
#: timed, and the fewest.
FINAL_SWEEPS: Final = 8
TIMED_SWEEPS: Final = 3
MIN_FINAL_SWEEPS: Final = 5
#: Sweeps of an evaluation of the evidence, and evaluations that a search should have time for; rows
#: of such a search, which are better than more basis vectors.
SWEEPS_PER_EVALUATION: Final = 6
CLASS_EVALUATIONS: Final = 30
MIN_ROWS_TO_OPTIMISE: Final = 1_000
#: A few inducing inputs that are optimised beat many that are fixed, above a minimum. Rows that
#: each needs, that minimum, and the factor on the time reserved for the final sites, as the search
#: may take longer than planned.
ROWS_PER_MOVED_INPUT: Final = 50
MIN_MOVED_INPUTS: Final = 40
TO_FINISH_AFTER_MOVING: Final = 2.0
#: Basis vectors at which kernel values and products take equally long: sites need several products.
CLASS_BREAK_EVEN_BASIS: Final = 256
#: Share of the time left for selection, fewest rows that select, and cost of a candidate in sweeps.
SHARE_OF_CLASS_SELECTION: Final = 0.3
MIN_ROWS_TO_SELECT: Final = 2_000
SWEEPS_PER_CANDIDATE: Final = 0.2
