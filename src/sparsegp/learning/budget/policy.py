"""The numbers of this room: what each trades, and how it was judged.

A rule that rests on one or two data sets says so: ``judged on``.
"""

from typing import Final

# --- iterations (time_budget) ---------------------------------------------------------------------

#: Share of the longest step so far that the next one is expected to take at least.
DECAY_OF_LONGEST: Final = 0.8

# --- one timed pass (pass_cost) -------------------------------------------------------------------

#: Rows with which an exact evidence is timed, and the power of the rows that it takes time by.
ROWS_TO_TIME: Final = 250
EXACT_EXPONENT: Final = 2.2
#: Rows and basis vectors of the timed pass: some 20 ms.
TIMED_ROWS: Final = 2_048
TIMED_BASIS: Final = 256
#: Basis vectors at which kernel values and products take equally long, and rows for each basis
#: vector that factorisations are worth.
# judged on: random rows of 8 and 30 columns, RBF and Matern 3/2, VFE and FITC
BREAK_EVEN_BASIS: Final = 800
ROWS_OF_FACTORISATION: Final = 4

# --- regression (time_plan, regression_plan) ------------------------------------------------------

#: Fewest basis vectors, rows and calibration rows, whatever the budget.
#: Fifty basis vectors take as long as sixteen, within what can be measured, and err less.
MIN_BASIS: Final = 50
MIN_ROWS: Final = 1_000
MIN_CALIBRATION_ROWS: Final = 200
#: A budget may be exceeded by this share: better than a model of the fewest basis vectors when the
#: selection took longer than planned.
GRACE: Final = 0.1
#: Passes over all rows that a calibration is worth, and passes by its pool that a selection is: a
#: Gram matrix is a product alone (0.4 to 0.7 with 1,250 and 2,000 candidates).
PASSES_OF_CALIBRATION: Final = 0.3
PASSES_OF_SELECTION: Final = 0.5
#: A Gram matrix that is formed again, in products.
PRODUCTS_OF_NEW_GRAM: Final = 1.5
#: Passes and rows that a refinement of inducing inputs is worth.
PASSES_OF_REFINEMENT: Final = 60
ROWS_OF_REFINEMENT: Final = 12_000

# --- classification (class_time_plan) -------------------------------------------------------------

#: Fewest basis vectors of a classifier, whatever the budget: their sites are found one by one.
MIN_CLASS_BASIS: Final = 16
#: Columns of labels whose sites are timed: all columns take that many times as long, and to time a
#: hundred of them would take longer than some budgets.
TIMED_LABEL_COLUMNS: Final = 4
#: Basis vectors at which kernel values and products take equally long: sites need several products.
CLASS_BREAK_EVEN_BASIS: Final = 256
#: Passes as timed (three sweeps) for the sites of all rows, and for a search: 30 evaluations.
FINAL_PASSES: Final = 4.0
PASSES_OF_CLASS_SEARCH: Final = 80
#: Rows of such a search, which are better than more basis vectors, and rows that each inducing
#: input needs if it moves: a few that move beat many that do not.
MIN_ROWS_TO_OPTIMISE: Final = 1_000
ROWS_PER_MOVED_INPUT: Final = 50
#: Share of the time left for selection.
SHARE_OF_CLASS_SELECTION: Final = 0.3
