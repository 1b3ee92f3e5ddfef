"""The numbers of this room: what each trades, and how it was judged.

Judged on calhouse, house16h, kin40k, pol and protein_w (split 0), unless said otherwise.
"""

from typing import Final

# --- the table (local_fit) ------------------------------------------------------------------------

#: Rows among which neighbours are searched while hyperparameters and their number are learned; all
#: rows predict. In eight columns rows of a table ten times as large are a quarter closer together.
MOST_ROWS_TO_LEARN: Final = 200_000
#: Rows that a model keeps of a table on the workers of a cluster: neighbours are found among them.
#: More lie closer together (kin40k, RMSE: a quarter of 36,000 rows .119, all .070, none .216);
#: every process that predicts holds them, and so does the file.
MOST_ROWS_KEPT: Final = 200_000

# --- a time budget (local_fit) --------------------------------------------------------------------

#: Share of a time budget for hyperparameters.
SHARE_OF_LEARNING: Final = 0.4
#: Share of that for the beginnings of all climbs; the best goes on.
SHARE_OF_RACE: Final = 0.6
#: Share of that for the subsets where a climb starts, if no choice of the kernel has searched them.
SHARE_OF_SUBSETS: Final = 0.5
#: Seconds of a time budget that must be left for neighbours to be tried.
MIN_SECONDS: Final = 2.0
#: Share of the time left for judging, and the size of the model that times it. With all numbers of
#: neighbours judging takes this number of times as long as with the first.
SHARE_OF_JUDGING: Final = 0.3
TIMED_BASIS: Final = 100
TIMED_ROWS: Final = 100
TIMED_ROWS_OF_PASS: Final = 2_000
TIMES_FIRST_NUMBER: Final = 6.0
#: Fewer rows do not tell climbs apart that are close.
MIN_ROWS_TO_COMPARE: Final = 500
#: Predictions for which a time budget reserves time before the basis is selected, and the largest
#: share of the time left. Without it a basis of 50 vectors was all that kin40k in 4 s had time for.
ROWS_TO_RESERVE: Final = 500
SHARE_TO_RESERVE: Final = 0.5

# --- kernel families (families) -------------------------------------------------------------------

#: Factor by which a further start shortens the initial length scales, half of √D: rows of a dense
#: table are nearer to each other than those of a subset.
TIMES_SHORTER: Final = 2.0

#: A second climb goes on to the end if it is no further behind than this, in nats a row: what
#: climbs promise after their first steps is less certain than that.
CLOSE_SECOND: Final = 0.03
MAX_AHEAD: Final = 2

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
#: Largest basis of a model without neighbours that these are compared with: twice that of the model
#: with them. A basis of 4,000 took half of a fit on a GPU.
MAX_BASIS_ALONE: Final = 1_000
#: Numbers of neighbours that are compared. A prediction costs their square.
NUMBERS: Final = (30, 60, 120)
#: Times that predictions take at most with twice the neighbours.
COST_OF_DOUBLING: Final = 4.0
#: What neighbours have to gain over none, and a larger number over a smaller one, in nats a row;
#: the latter in standard errors, too. With gains below it RMSE is up to 4 % larger with neighbours
#: (bank8fm, bank32nh), from .011 on smaller (house8l, kin8nm).
MIN_GAIN: Final = 0.01
MIN_STANDARD_ERRORS: Final = 2.0

# --- how many basis vectors (choose_size) ---------------------------------------------------------

#: What a doubling of the basis has to gain, in nats a row: a fit takes up to twice as long by it,
#: and predictions two to four times. Decision 0041 has what eight tables gain.
MIN_GAIN_OF_BASIS: Final = 0.02
#: Rows that judge, fewer than of neighbours, and rows of the pass of the small models: with 500 and
#: 20,000 judging two doublings took a quarter of a fit of kin40k, and chose the same.
ROWS_TO_JUDGE_SIZE: Final = 300
ROWS_OF_PASS_OF_SIZE: Final = 10_000
#: Share of the time left, under a time budget, for this choice. With .3 kin40k in 16 s lost more by
#: the choice than a larger basis could have gained.
SHARE_OF_SIZES: Final = 0.15
#: Multiplications of the final pass up to which a larger basis is tried, a few seconds of two
#: cores, and of a prediction with neighbours: 1,000 basis vectors with 120 neighbours, 2,000 with
#: 60, some milliseconds. With 2,000 and 120 kin40k would have .060 instead of .066, and 10,000
#: predictions take a minute.
MOST_WORK_OF_PASS: Final = 1.5e11
MOST_WORK_OF_PREDICTION: Final = 1.5e7
