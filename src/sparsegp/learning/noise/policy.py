"""The numbers of this room: what each trades, and how it was judged.

A rule that rests on one or two data sets says so: ``judged on``.
"""

from math import log
from typing import Final

# --- rows that calibrate (calibration_rows) -------------------------------------------------------

#: Rows held out of basis selection to calibrate on: a share of all, up to a maximum, which fixes
#: two scales well enough; with fewer than the minimum none are held out. An exact process needs
#: fewer, as each of its rows is left out in turn: with 8 rows (20 tables) 95 % intervals cover .90
#: of new rows, without calibration .55.
SHARE_HELD_OUT: Final = 0.15
MAX_HELD_OUT: Final = 3_000
#: Neighbours of all rows that calibrate: 1,500 rows with 120 neighbours each take as long as the
#: rest of a final pass.
MAX_NEIGHBOURS_TO_CALIBRATE: Final = 180_000
MIN_HELD_OUT: Final = 100
MIN_LEFT_OUT: Final = 8

# --- calibration (calibrate) ----------------------------------------------------------------------

#: Standard errors by which the slope of targets over left-out means must be below one. Of three
#: unwarped tables in two splits two have slopes at most 2.1 below, and the one that does not fit 4.
# judged on: DoctorVisits, rwm1984 (RMSE and CRPS fall, NLPD of the first rises by .1)
STANDARD_ERRORS_OF_MEAN_SCALE: Final = 3.0
#: Largest factor of a scale on variances, as a logarithm: a few rows must not decide on more.
MAX_LOG_SCALE: Final = log(100.0)
#: Rows of an exact process from which the variance of f and the noise have a scale each. Of fewer
#: the two cannot be told apart: of 120 and 300 rows (31 fits to eight tables) 95 % intervals
#: covered .922 instead of .935, and one NLPD rose by 1.2; of 2,000 rows .947 instead of .956.
MIN_ROWS_TO_SCALE_APART: Final = 1_000
#: Largest slope and curvature of log noise by the standardised mean.
MAX_SLOPE: Final = 3.0
#: Means beyond these quantiles of the calibration rows count as if they were there.
MEAN_QUANTILES: Final = (0.01, 0.99)
#: Means whose deviation is below this share of the errors define no level: the leave-one-out mean
#: of an almost constant function depends on the row's own target.
MIN_DEVIATION_OF_MEANS: Final = 0.1
#: What heavier tails than the likeliest may cost, in nats over all rows that calibrate: a ratio of
#: likelihoods that proves nothing. It buys that rare errors are not impossible: of 120 rows (20
#: sets) the NLPD of new rows falls by .10 nats, and 95 % intervals cover .952 instead of .924. Half
#: a nat covers .94, and two .96.
COST_OF_HEAVY_TAILS: Final = 1.0
#: Newton's method: most steps and the longest one, in logarithms; how far the loss, in nats a row,
#: must promise to fall for another, which leaves nothing but rounding; the smallest curvature that
#: is trusted, flatter directions are walked slowly; how often a step is halved, what a halved one
#: must gain to be followed by another; the share of what the slope says that a step has to fall by,
#: and the rounding of the loss, which is no way uphill. On six tables a search took 4 to 15 steps.
NEWTON_STEPS: Final = 30
LONGEST_STEP: Final = 2.0
NEWTON_TOLERANCE: Final = 1e-20
SMALLEST_CURVATURE: Final = 1e-9
MOST_HALVINGS: Final = 12
LEAST_FALL: Final = 1e-10
SHARE_OF_FALL: Final = 1e-4
ROUNDING_OF_LOSS: Final = 1e-13
#: Intervals of this probability that cover fewer of the calibration rows than chance explains, by
#: this number of standard errors of a binomial share, are widened until they no longer do. That
#: trades density for coverage where errors are of two kinds, tiny for most rows and large for some.
INTERVAL: Final = 0.95
COVERAGE_STANDARD_ERRORS: Final = 2.0

# --- choice of noise (choose_noise) ---------------------------------------------------------------

#: Rows that the kinds of noise are compared on, a third of them held out, and basis vectors; with
#: fewer rows than the second chance decides.
ROWS_FOR_NOISE_CHOICE: Final = 3_000
MIN_ROWS_FOR_NOISE_CHOICE: Final = 500
BASIS_FOR_NOISE_CHOICE: Final = 200
ITERATIONS_FOR_NOISE_CHOICE: Final = 6
#: Another noise than Gaussian must gain this number of standard errors, and of nats a row.
MIN_STANDARD_ERRORS: Final = 2.0
MIN_GAIN_PER_ROW: Final = 0.025
#: What makes errors that are not zero on average too large: standard errors, and the share of the
#: RMSE that they add, which is what counts as worse in ``benchmarks.trust``. On five tables of
#: counts and hours they add 1.2 to 4 %; on one of passengers .6 %, and NLPD is .2 higher without.
STANDARD_ERRORS_OF_BIAS: Final = 3.0
COST_OF_BIAS: Final = 0.01
#: Share of the time left.
SHARE_OF_NOISE_CHOICE: Final = 0.15
#: The same for the noise of predictions that neighbours correct, which costs less to have; seconds
#: of a time budget that must be left to try it.
MIN_GAIN_OF_LOG_NOISE: Final = 0.01
SECONDS_OF_LOG_NOISE: Final = 3.0

# --- noise of rows (noise_models, conditioning) ---------------------------------------------------

#: Degrees of freedom before any row was seen.
FIRST_DF: Final = 4.0
#: Iterations of reweighting: EM for Student's t converges slowly. A heteroscedastic noise has two:
#: in more, a row with a large error loses weight, and its error grows.
STUDENT_T_ITERATIONS: Final = 12
HETEROSCEDASTIC_ITERATIONS: Final = 2
#: Iterations with all rows, after the preliminary model, at most.
FINAL_ITERATIONS: Final = 2
#: Reweighting has converged when no log noise variance changes by more than this.
CONVERGED_LOG_FACTOR: Final = 0.01

# --- heteroscedastic noise ------------------------------------------------------------------------

#: Rows and basis vectors of the Gaussian process of log noise: it is smooth and its data are poor.
ROWS_FOR_LOG_NOISE: Final = 10_000
MAX_LOG_NOISE_BASIS: Final = 100
#: Rows and evaluations of the searches for its kernel; the short one compares kinds of noise.
LONG_SEARCH: Final = ((500, 40), (1000, 15))
SHORT_SEARCH: Final = ((500, 25),)
#: Decimal places of log errors in that search: they hold noise of deviation 2.2, and where errors
#: are small rounding moves them in the sixth place. With all places error bars on a GPU were up to
#: 2·10⁻⁵ deviations of the target apart from the host's, a search later (bike).
LOG_ERROR_DECIMALS: Final = 2
#: First variance of log noise, and Fisher scoring iterations.
FIRST_LOG_NOISE_VARIANCE: Final = 0.3
N_SCORINGS: Final = 5
#: Limits that keep a scoring step stable: ratio of squared error to its expectation, share of the
#: noise in that expectation, and log factor on the noise.
MAX_RATIO: Final = 10.0
MIN_SHARE: Final = 1e-3
MAX_LOG_FACTOR: Final = 5.0
TINY: Final = 1e-12
