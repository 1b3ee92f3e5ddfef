"""The limits and defaults of the commands, and what each of them trades."""

from typing import Final

__all__ = [
    "CHECKPOINT_ROWS",
    "CHECKPOINT_SECONDS",
    "HOLDOUT_SHARE",
    "INTERVAL_LEVEL",
    "MAX_CLASSES",
    "MAX_LEVELS_SHOWN",
    "MAX_REPORT_ROWS",
    "MIN_IDENTIFIER_LEVELS",
    "MIN_MISSING_ROWS",
    "MIN_MISSING_SHARE",
    "MIN_ROWS_TO_SPLIT",
    "ROWS_PER_BLOCK",
    "ROWS_TO_INSPECT",
    "SMALLEST_PROBABILITY",
]

# ---- Memory and time ----

#: Rows that ``predict`` reads, predicts and writes at a time: enough for efficient matrix products,
#: few enough for any memory.
ROWS_PER_BLOCK: Final = 20_000
#: Rows that ``report`` evaluates at most: more take longer and hardly change the page.
MAX_REPORT_ROWS: Final = 20_000
#: ``stream`` writes a checkpoint after this many rows or seconds. After a crash, at most these rows
#: are predicted again; more frequent checkpoints slow down every row.
CHECKPOINT_ROWS: Final = 1000
CHECKPOINT_SECONDS: Final = 10.0

# ---- Evaluation ----

#: Level of prediction intervals.
INTERVAL_LEVEL: Final = 0.95
#: Share of the rows that ``fit`` holds out: precise scores against more training rows.
HOLDOUT_SHARE: Final = 0.2
#: Smaller tables are used for training as a whole: a score on one row says nothing.
MIN_ROWS_TO_SPLIT: Final = 10
#: A probability of zero would make the mean log probability infinite for one wrong label.
SMALLEST_PROBABILITY: Final = 1e-300

# ---- Inference of column types ----

#: A numerical column gets a missing-value indicator if at least this share of the training rows,
#: and this many of them, lack it. A model cannot learn from rarer ones.
MIN_MISSING_SHARE: Final = 0.01
MIN_MISSING_ROWS: Final = 5
#: A categorical column with more levels than this, and than half of the rows, is an identifier.
MIN_IDENTIFIER_LEVELS: Final = 20
#: Cells of a column that are examined for lists and booleans.
ROWS_TO_INSPECT: Final = 100
#: Classes of a target: more are almost always numbers or identifiers, and cost a latent function
#: each.
MAX_CLASSES: Final = 100
#: Categories of a column that tables on the terminal and in reports list.
MAX_LEVELS_SHOWN: Final = 6
