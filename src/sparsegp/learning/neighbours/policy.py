"""The numbers of this room: what each trades, and how it was judged.

Judged on calhouse, house16h, kin40k, pol and protein_w (split 0), unless said otherwise.
"""

from typing import Final

# --- the table (local_fit) ------------------------------------------------------------------------

#: Rows among which neighbours are searched while hyperparameters and their number are learned; all
#: rows predict. In eight columns rows of a table ten times as large are a quarter closer together.
MOST_ROWS_TO_LEARN: Final = 200_000

# --- hyperparameters (learn) ----------------------------------------------------------------------

#: Rows of a step and their neighbours. With twice the rows the climb takes twice as long and ends
#: no better.
BATCH_ROWS: Final = 128
LEARNING_NEIGHBOURS: Final = 30
#: Steps after which neighbours are found anew, in the metric learned by then; the last one ends the
#: climb. Kernel families are compared after the first. 200 steps instead of 100 changed RMSE by −1
#: to 1 %. Every step has rows of its own, as far as there are any: with 4,000 rows for all steps
#: RMSE is up to 5 % larger, with 2,000 up to 8 %.
SEGMENTS: Final = (40, 60, 120)
#: Longest step of a logarithm at the beginning; from half of the climb on steps shorten to nothing,
#: which averages the noise of the batches away.
STEP_LENGTH: Final = 0.1
#: Decay rates of the averages of gradients and their squares (Adam), and a number that keeps a
#: direction without any gradient where it is.
GRADIENT_DECAY: Final = 0.9
SQUARE_DECAY: Final = 0.99
SMALLEST_GRADIENT: Final = 1e-8
#: Share of a time budget for hyperparameters.
SHARE_OF_LEARNING: Final = 0.4
#: Share of that for the subsets where a climb starts, if no choice of the kernel has searched them.
SHARE_OF_SUBSETS: Final = 0.5
#: Seconds of a time budget that must be left for neighbours to be tried: learning and the choice of
#: their number take one to four on two cores.
MIN_SECONDS: Final = 3.0
#: Predictions for which a time budget reserves time before the basis is selected.
ROWS_TO_RESERVE: Final = 500

# --- kernel families (families) -------------------------------------------------------------------

#: Rows that compare kernel families by their conditional densities.
ROWS_TO_COMPARE: Final = 1_000
#: Factor by which a further start shortens the initial length scales, half of √D: rows of a dense
#: table are nearer to each other than those of a subset.
TIMES_SHORTER: Final = 2.0

# --- how many neighbours (choose) -----------------------------------------------------------------

#: With fewer rows neighbours are not tried: conditional densities of few rows are learned less
#: well than an exact evidence (with 1,000 and 2,000 rows of five sets better on two, worse on two).
MIN_ROWS: Final = 2_001
#: Rows that judge, and the size of the model that does: random basis vectors, rows of its pass. The
#: standard error of a comparison by 1,000 rows is .015 nats. With 200 basis vectors a fit without
#: neighbours had an advantage.
ROWS_TO_JUDGE: Final = 1_500
BASIS_TO_JUDGE: Final = 500
ROWS_OF_PASS: Final = 20_000
#: Numbers of neighbours that are compared. A prediction costs their square.
NUMBERS: Final = (30, 60, 120)
#: Times that predictions take at most with twice the neighbours.
COST_OF_DOUBLING: Final = 4.0
#: What a larger number has to gain over a smaller one, in nats a row and in standard errors.
MIN_GAIN: Final = 0.01
MIN_STANDARD_ERRORS: Final = 2.0
#: Nats a row by which neighbours have to be better than none: they cost time.
TIE: Final = 0.002
