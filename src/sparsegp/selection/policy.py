"""Numbers of basis selection that trade time, memory or precision against the choice."""

from typing import Final

__all__ = [
    "ALL_BUT_CERTAIN",
    "DEFAULT_CANDIDATES",
    "DEVICE_PANEL",
    "DUPLICATE",
    "EXHAUSTED",
    "FEWEST_STEPS_WATCHED",
    "KERNEL_ROWS",
    "KNOWN",
    "LARGEST_DAMPING",
    "LOO_BLOCK",
    "MOST_EVALUATIONS",
    "MOST_LOOKED_AT",
    "OUTER_BLOCK",
    "PANEL",
    "PART_ELEMENTS",
    "POOL_ROWS",
    "RANDOM_PART",
    "ROUNDING",
    "SHARE_EXHAUSTED",
    "SHARE_OF_ETA",
    "SHARE_OF_STEPS_WATCHED",
    "SHORTLIST",
    "SMALLEST_PART",
    "SMALLEST_SHARE_CACHED",
    "STEP_TOLERANCE",
    "TINY",
]

# --- precision ---

# A candidate whose conditional variance given the chosen ones is at most this share of its prior
# variance is a duplicate and never chosen: bounds the condition number of K_zz.
DUPLICATE: Final = 1e-10

# A Schur complement that has fallen to this share of the value it was computed from has about six
# significant figures left; it is then recomputed from columns that exclude the chosen set.
EXHAUSTED: Final = 1e-10

# Another pass over the rows recomputes Schur complements when this share of the remaining
# candidates is exhausted. The share doubles with every pass, so that few passes are made.
SHARE_EXHAUSTED: Final = 0.1

# --- when to stop ---

# A selection whose measure has no new minimum ends after this many additions, or this share of the
# basis if that is more (the advice of SKS on several minima). More costs time after the minimum;
# fewer stops at a local one.
FEWEST_STEPS_WATCHED: Final = 10
SHARE_OF_STEPS_WATCHED: Final = 0.1

# --- candidates ---

# κ for an active set: 59 random rows contain one of the best 5 % with probability 0.95
# (1 − 0.95⁵⁹); drawn adaptively, two are enough (SS section 5). One random row is a random choice.
DEFAULT_CANDIDATES: Final = {"random": 1, "validation": 59, "adaptive": 2}

# Candidates that leave-one-out measures of FITC are computed for, O(n·m²) each: the best by the
# noise of the rows before an addition. With 2 to 16 and with all of 59 the measures of 60 basis
# vectors differ by 5 % at most, either way; with 1 they are worse on some tables of 100 rows.
# judged on: bank8fm, kin8nm (2,000 rows)
SHORTLIST: Final = 4

# Candidates of which kernel rows are kept, as a share of all: with fewer, so few are drawn again
# while they are kept that the copies cost as much as they save.
SMALLEST_SHARE_CACHED: Final = 0.2

# Random selection from more candidates than can be permuted examines at most this multiple of the
# basis vectors wanted: enough unless 95 % of the rows are duplicates.
MOST_LOOKED_AT: Final = 20

# Candidates that random selection checks for duplicates at a time.
RANDOM_PART: Final = 256

# --- speed: block sizes ---

# Columns of a panel of the elimination: a wider one makes the matrix product faster and the columns
# in between slower.
PANEL: Final = 64

# Steps that a device takes before the host looks at them. More spread the product of a c×c matrix,
# which moves it through memory once, over more steps, and make the last steps, after the end of the
# selection, more in vain.
DEVICE_PANEL: Final = 128

# Fewest rows of a block of the Gram pass: with fewer, moving the c×c sum through memory takes
# longer than the products.
POOL_ROWS: Final = 1024

# Rows of K_cc that are computed together.
KERNEL_ROWS: Final = 256

# Elements of (candidates, rows) temporaries that stay in cache: for leave-one-out scores, rank-one
# updates and active sets; and the fewest rows of a block of the last.
LOO_BLOCK: Final = 2**16
OUTER_BLOCK: Final = 2**16
PART_ELEMENTS: Final = 2**15
SMALLEST_PART: Final = 256

# --- active sets (SS) ---

# Share of its prior variance at which the function at a row is known: its label adds nothing.
KNOWN: Final = 1e-8

# Log probability above which that of the other label is computed directly: 1 − p has then fewer
# than seven significant figures.
ALL_BUT_CERTAIN: Final = -1e-6

# Newton's method for a site by predictive loss: most evaluations, the decrease of the mean loss
# that is worth a step, the damping at which a search ends, and the share of the largest η that
# keeps variances positive.
MOST_EVALUATIONS: Final = 40
STEP_TOLERANCE: Final = 1e-8
LARGEST_DAMPING: Final = 1e8
SHARE_OF_ETA: Final = 0.999

# A variance below this share of the prior variance is rounding; TINY avoids a division by zero.
ROUNDING: Final = 1e-12
TINY: Final = 1e-300
