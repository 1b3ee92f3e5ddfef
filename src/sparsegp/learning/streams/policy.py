"""The numbers of this room: what each trades, and how it was judged.

A rule that rests on one or two data sets says so: ``judged on``.
"""

from typing import Final

from sparsegp.online.learn import Rule

# --- warm-up --------------------------------------------------------------------------------------

#: The model is set up again whenever the number of rows has grown by this factor: fewer setups cost
#: less, more follow the first rows more closely.
SETUP_GROWTH: Final = 4
#: Rows of the warm-up that retain less than this share after forgetting set up nothing.
MIN_REMEMBERED: Final = 0.1
#: Rows, and rows for each hyperparameter, from which hyperparameters are learned at all.
MIN_ROWS_TO_LEARN: Final = 20
ROWS_PER_PARAMETER: Final = 2
#: Until then functions have at most this variance, in units of that of the targets so far, times
#: ``warmup.widening``. Of 10, 25 and 60 on eleven streams: smaller ones have smaller errors in the
#: first rows (RMSE of rows 2 to 5 without: up to 5 deviations; 1.2 to 1.7, with 60 to 1.9), larger
#: ones always cover them.
LARGEST_VARIANCE: Final = 25.0

# --- rivals (``watch``) ---------------------------------------------------------------------------

#: Rows over which log densities are averaged. A mean is worse than the best so far if the
#: difference is larger than this number of standard errors plus this number of nats.
WATCHED_ROWS: Final = 100
MISFIT_ERRORS: Final = 2.0
MISFIT_MARGIN: Final = 0.1
#: Rows for which this must last, from which a rival is then set up: fewer tell little about
#: hyperparameters, and forgetting may be enough.
PATIENCE: Final = 300
#: Rows kept for a rival.
RECENT_ROWS: Final = 500
#: Rows between two decisions: they do not depend on how rows were cut into calls.
ROWS_BETWEEN_DECISIONS: Final = 50
#: A rival takes over if its log densities are ahead by this lead, after the shortest trial, and is
#: dropped if they are behind by as much, or after the longest trial.
WINNING_LEAD: Final = 10.0
SHORTEST_TRIAL: Final = 100
LONGEST_TRIAL: Final = 500
#: Rows after a lost trial before the next one; if it was about a misfit they double, so that a
#: stream without an improvement costs little.
SHORT_PAUSE: Final = 500
FIRST_PAUSE: Final = 1000
#: Log densities, of scaled targets, are clipped here: one outlier decides nothing.
LOWEST_LOG_DENSITY: Final = -10.0
#: Rows in which a column that was constant must have moved to be a reason for a rival.
MOVED_ROWS: Final = 100

# --- relearning -----------------------------------------------------------------------------------

#: Evaluations of the evidence of pseudo-observations.
EVALUATIONS_OF_RELEARNING: Final = 60

# --- labels (``label_noise``) ---------------------------------------------------------------------

#: Smallest slope, and largest slope times prior standard deviation. Labels as numbers may seem free
#: of noise; filtering such steep labels one by one predicts worse.
# judged on: splice (NLP .253 without the limit, .224 with 4), usps; no set preferred more
MIN_SLOPE: Final = 1e-2
MAX_SLOPE_TIMES_DEVIATION: Final = 4.0
#: Least share of the prior variance that differs between rows.
LEAST_OWN_SHARE: Final = 1e-3
#: Fewer rows than this decide nothing: which model learns from a few rows best is not which one
#: predicts well later.
# judged on: twonorm (NLP .0775; .088 and more where 64 rows decided)
ROWS_TO_COMPARE_LABELS: Final = 200
#: Slopes that are tried with wrong labels, as multiples of that without, and shares of labels drawn
#: at random. A smaller share predicts well at first, and worse later where no label is wrong.
SLOPE_FACTORS: Final = (1.0, 2.0, 4.0, 8.0)
LABEL_NOISES: Final = (0.1, 0.2, 0.4)
#: Standard errors by which wrong labels, or a linear kernel, must predict better.
LEAD: Final = 2.0
#: Basis vectors of the filter that compares them, which need not be those of the model.
FILTER: Final = Rule(50, deletion="kl")
#: Least share of a class's frequency that is not due to labels drawn at random.
LEAST_FREQUENCY: Final = 0.1
