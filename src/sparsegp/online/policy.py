"""Numbers of the on-line algorithm that trade time or precision against each other."""

import sys
from typing import Final

__all__ = [
    "AUTO_RATES",
    "CHANGES_OF_SCORES",
    "DRIFT_TOLERANCE",
    "FIRST_CAPACITY",
    "FIRST_COUNT",
    "FIRST_INFORMATION",
    "HORIZON",
    "LABEL_HORIZON",
    "LARGEST_FADE",
    "LARGEST_GAIN",
    "LARGEST_LABEL_STEP",
    "LARGEST_LOG_LABEL_SCALE",
    "LARGEST_SQUARED_Z",
    "LAST_VALUE_HORIZON",
    "LAST_VALUE_LEAD",
    "LEAD_MARGIN",
    "LEARNED_BLOCK",
    "LONGEST_RUN",
    "LOWEST_LOG_DENSITY",
    "MOST_GAIN",
    "MOST_ROWS_ONE_BY_ONE",
    "RATE_HORIZON",
    "REFINED_BLOCK",
    "ROWS_BETWEEN_FADES",
    "SLOTS_FOR_THREADS",
    "SMALLEST_CAVITY",
    "SMALLEST_GAIN",
    "SMALLEST_NUMBER",
    "SMALLEST_RESIDUAL",
    "SMALLEST_SCALE",
    "SMALLEST_SHARE",
    "SUREST_SHARE",
    "TAIL_CANDIDATES",
    "TAIL_HORIZON",
]

# --- precision ---

# Variances below this share of the prior variance are rounding.
SMALLEST_SHARE: Final = 1e-14
# Variances and curvatures are divided by, and are never less than this.
SMALLEST_NUMBER: Final = sys.float_info.min

# Least posterior variance at a row after it is learned, as a share of the prior variance. Σ, after
# many rank-one updates, is no more precise, and a target far outside such a belief would be
# compared with rounding.
SUREST_SHARE: Final = 1e-10

# Least share of k(x, x) that a row must add to the span of the basis to join it: Q has a relative
# error of about 10⁻¹⁶ over this share. Copies of basis vectors stay out.
SMALLEST_RESIDUAL: Final = 1e-8

# Q is recomputed if a test vector comes back with a relative error above the tolerance, deletion
# scores after this many changes for each basis vector.
CHANGES_OF_SCORES: Final = 2.0
DRIFT_TOLERANCE: Final = 1e-7

# A direction of which less than this share of the prior variance is gone was not observed.
SMALLEST_GAIN: Final = 1e-6

# Smallest v/v₋, the share of a row's variance that remains without its site; less is rounding.
SMALLEST_CAVITY: Final = 1e-6

# --- convergence of site refinement ---

# Largest increase of precision by one update, relative to the row's own: damps sites that would
# otherwise amplify each other (targets below the edge of one-sided noise). The fixed point is the
# same, and so is the speed where no site is that strong.
MOST_GAIN: Final = 3.0

# --- running calibration of variances (``running_scale``) ---

# Rows over which squared z-scores are averaged. Short horizons follow changes of the noise and
# scatter by √(2/H); of 50, 100 and 300 the middle one was within 0.02 nats of the best on both
# streams.
# judged on: houseelectric, beijing_pm25
HORIZON: Final = 100.0

# Weight, in rows, of the prior scale 1 in the first averages.
FIRST_COUNT: Final = 10

# Squared z-score, relative to the current scale, at which a row is clipped: ten standard
# deviations. With this horizon one outlier at most doubles the scale.
LARGEST_SQUARED_Z: Final = 100.0

# Least scale: a stream that is predicted exactly keeps a positive variance.
SMALLEST_SCALE: Final = 1e-8

# --- running scale and tails of errors (``running_tails``) ---

# Horizons of the scale, slow and fast, and degrees of freedom, 0 for normal errors. Without the
# fast one Beijing loses .02 nats and scatters more in coverage; faster than 30 gains as much there
# and covers less. With three degrees of freedom the standard deviation is not yet ruled by the
# furthest tails; 2.5 gained .004 nats on Beijing and nothing elsewhere.
# judged on: beijing_pm25, houseelectric, co2
TAIL_CANDIDATES: Final = tuple((h, df) for df in (0.0, 10.0, 5.0, 3.0) for h in (200.0, 30.0))

# Rows whose log densities choose among them: of 200, 500 and 1,000 within .001 nats.
TAIL_HORIZON: Final = 1000.0

# --- running calibration of labels (``label_scale``) ---

# Rows that the information about the scale comes from. Of 100 to 1,000 the longest was best where
# probabilities were nearly right already (hyperplane .342 to .320, SEA .388 to .386), and all were
# alike where they were far too cautious (usps .409 to .412, without a scale .576).
LABEL_HORIZON: Final = 1000.0

# Information, that of some dozens of labels, by which the scale is held at 1 at first.
FIRST_INFORMATION: Final = 40.0

# Largest change of the logarithm of the scale by one label, and largest logarithm at all.
LARGEST_LABEL_STEP: Final = 0.15
LARGEST_LOG_LABEL_SCALE: Final = 1.5

# --- the last target (``last_value``) ---

# Rows from which the share of the last target, and whether it is used, are learned. Of 100, 300,
# 1,000 and 2,000 the shorter ones lose by the scatter of the share (Beijing 4.731, 4.730, 4.721 and
# 4.720 nats; co2 is within 0.001).
# judged on: beijing_pm25, co2
LAST_VALUE_HORIZON: Final = 1000.0

# Lead in log density, summed with this discount, from which it is used. Where the last target tells
# nothing the largest lead within 2,000 rows is 0.5 (median of 60 streams) to 3.3 (the largest).
LAST_VALUE_LEAD: Final = 4.0

# --- forgetting (``forgetting``) ---

# Rates among which one is learned. Memories differ by factors of four to five, and between two of
# them a mixture interpolates. The shortest still sees more rows than a basis has vectors.
AUTO_RATES: Final = (0.0, 1 / 2000, 1 / 500, 1 / 100)

# Rows over which predictive densities of rates are compared: fewer follow a change of the rate
# sooner, more tell rates apart that differ little.
RATE_HORIZON: Final = 200.0

# Least log density of a row by a rate, where a likelihood gives none.
LOWEST_LOG_DENSITY: Final = -1e8

# Most that one row may count against a rate, in nats: an outlier decides nothing.
LARGEST_GAIN: Final = 5.0

# Rows after which posteriors fade, fewer if more than this share would fade at once: recomputing
# the deletion scores then costs the cube of the basis.
ROWS_BETWEEN_FADES: Final = 8
LARGEST_FADE: Final = 0.1

# Difference of log weights from which another rate decides about deletions: scores are recomputed.
LEAD_MARGIN: Final = 1.0

# --- speed ---

# Slots allocated at first; they double when full.
FIRST_CAPACITY: Final = 16

# Rows whose kernel values are computed together while learning and while refining sites.
LEARNED_BLOCK: Final = 256
REFINED_BLOCK: Final = 1024

# Most rows that are projected as one batch: its sequential part costs the cube of this.
LONGEST_RUN: Final = 64

# Most rows that are multiplied by a symmetric matrix one by one. A product of matrices needs some
# preparation: with 100 basis vectors two rows take 13 µs together, and 7 µs one by one.
MOST_ROWS_ONE_BY_ONE: Final = 2

# Slots from which matrix-vector products gain from BLAS threads.
SLOTS_FOR_THREADS: Final = 1500
