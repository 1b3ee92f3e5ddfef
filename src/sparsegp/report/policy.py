"""The numbers that decide what the report computes and shows, and what each of them trades.

More rows, values and halvings make a page more precise and slower to make; more table rows and
figures make it more complete and longer to read. Sizes of figures are layout and stay beside the
figures.
"""

from typing import Final

__all__ = [
    "CALIBRATION_LEVELS",
    "CODE_WIDTH",
    "COVERAGE_TOLERANCE",
    "DISTANCE_GROUPS",
    "INTERVAL_LEVEL",
    "INTERVAL_NAME",
    "LOSS_TOLERANCE",
    "MAX_BASIS_ROWS",
    "MAX_BASIS_WEIGHTS",
    "MAX_CONFUSION_CLASSES",
    "MAX_EFFECT_CLASSES",
    "MAX_EFFECT_INPUTS",
    "MAX_EFFECT_LEVELS",
    "MAX_FACT_LENGTH",
    "MAX_OPEN_BASIS_ROWS",
    "MAX_OPEN_ROWS",
    "MAX_PIT_BINS",
    "MAX_PREFIX_ROWS_WITH_NEIGHBOURS",
    "MAX_RESIDUAL_ROWS",
    "MIN_BASIS_TO_SHORTEN",
    "MIN_PIT_BINS",
    "N_EFFECT_ROWS",
    "N_EFFECT_ROWS_WITH_NEIGHBOURS",
    "N_EFFECT_VALUES",
    "N_EXAMPLE_ROWS",
    "N_HALVINGS",
    "N_INPUTS_OF_ROWS",
    "N_RELEVANCE_PAIRS",
    "N_WORST_ROWS",
    "ROWS_PER_PIT_BIN",
    "SMALLEST_PROBABILITY",
]

# ---- What counts as a difference ----

#: Level of the intervals that are scored. 95 % is what most readers expect.
INTERVAL_LEVEL: Final = 0.95
#: The level as the page prints it.
INTERVAL_NAME: Final = f"{100 * INTERVAL_LEVEL:.0f} %"
#: Intervals and confidences that are off by less are called well calibrated, however many rows
#: show it: a smaller difference changes no decision.
COVERAGE_TOLERANCE: Final = 0.02
#: Basis vectors from which a shorter basis is worth a sentence: predictions by fewer are instant.
MIN_BASIS_TO_SHORTEN: Final = 100
#: Levels of intervals whose coverage is listed.
CALIBRATION_LEVELS: Final = (0.5, 0.8, 0.9, 0.95, 0.99)
#: Losses that differ by less, in nats per row, are called equal: one percent in the density.
LOSS_TOLERANCE: Final = 0.01
#: A probability of zero would make the mean log probability infinite for one wrong label.
SMALLEST_PROBABILITY: Final = 1e-300

# ---- Time to make the page against precision ----

#: The basis is halved this many times to show what fewer basis vectors achieve. Each prefix costs
#: one more evaluation of all rows.
N_HALVINGS: Final = 5
#: Rows that the prefixes of a model with neighbours are compared on: each costs a prediction by
#: neighbours, and the difference of two losses of the same rows needs fewer than the loss itself.
MAX_PREFIX_ROWS_WITH_NEIGHBOURS: Final = 1_000
#: Pairs of rows behind each relevance score, the price being one prediction per pair and input.
#: For Gaussian differences the relative Monte Carlo error of a share is √(2/200) = 10 %, enough for
#: a ranking.
N_RELEVANCE_PAIRS: Final = 200
#: Rows that an effect is averaged over, and values along its axis: their product is the number of
#: predictions per input.
N_EFFECT_ROWS: Final = 100
N_EFFECT_VALUES: Final = 25
#: With neighbours a prediction takes several times as long, and fewer rows give nearly the same
#: curve.
N_EFFECT_ROWS_WITH_NEIGHBOURS: Final = 20

# ---- Completeness against length of the page ----

#: Groups of equal size, by distance to the nearest training row. Three show a trend, and each has
#: enough rows for a coverage.
DISTANCE_GROUPS: Final = ("small", "middle", "large")

#: Rows that show what a prediction looks like, rows with the largest errors, and the inputs of them
#: that are printed: more columns do not fit beside the predictions.
N_EXAMPLE_ROWS: Final = 10
N_WORST_ROWS: Final = 10
N_INPUTS_OF_ROWS: Final = 4
#: Characters of a line of code.
CODE_WIDTH: Final = 88

#: Inputs, categories and classes that the effect figures show; the rest is mentioned in the text.
MAX_EFFECT_INPUTS: Final = 12
MAX_EFFECT_LEVELS: Final = 12
MAX_EFFECT_CLASSES: Final = 4
#: Rows of a table that are visible before it is unfolded.
MAX_OPEN_ROWS: Final = 20
MAX_OPEN_BASIS_ROWS: Final = 20
#: Basis vectors listed at all, and classes with a column of weights.
MAX_BASIS_ROWS: Final = 200
MAX_BASIS_WEIGHTS: Final = 6
#: Points in the residual plot: more hide each other.
MAX_RESIDUAL_ROWS: Final = 150
#: Classes up to which the confusion matrix is printed whole; beyond, the worst pairs are listed.
MAX_CONFUSION_CLASSES: Final = 20
#: Bins of the PIT histogram: one for this many rows, so that chance does not dominate the bars.
ROWS_PER_PIT_BIN: Final = 20
MIN_PIT_BINS: Final = 4
MAX_PIT_BINS: Final = 20
#: Characters of one outcome in the table of phases.
MAX_FACT_LENGTH: Final = 80
