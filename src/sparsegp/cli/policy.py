"""The limits and defaults of the commands, and what each of them trades."""

from typing import Final

__all__ = [
    "CHECKPOINT_ROWS",
    "CHECKPOINT_SECONDS",
    "HOLDOUT_SHARE",
    "INTERVAL_LEVEL",
    "MAX_CLASSES",
    "MAX_REPORT_ROWS",
    "MAX_UNSEEN_SHOWN",
    "MIN_ROWS_TO_SPLIT",
    "MIN_TRAINING_ROWS",
    "PHASE_SHARE",
    "ROWS_PER_BLOCK",
    "SECONDS_BEFORE_ESTIMATE",
    "SMALLEST_PROBABILITY",
    "STAGE_SHARES",
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

# ---- Progress ----

#: Typical shares of the time of a fit: choice of kernel and transforms, hyperparameters, basis,
#: final pass. They only move the bar; on tables of 400 to 20,000 rows each varies by a factor of 3.
STAGE_SHARES: Final = (0.35, 0.35, 0.25, 0.05)
#: The part of what remains of its stage that a phase covers: stages have two to ten phases.
PHASE_SHARE: Final = 0.25
#: Before that, the time left is not shown: the first steps say little about the rest.
SECONDS_BEFORE_ESTIMATE: Final = 1.0

# ---- Messages ----

#: Levels that no training row had which ``predict`` names, a column.
MAX_UNSEEN_SHOWN: Final = 3

# ---- Evaluation ----

#: Level of prediction intervals.
INTERVAL_LEVEL: Final = 0.95
#: Share of the rows that ``fit`` holds out: precise scores against more training rows.
HOLDOUT_SHARE: Final = 0.2
#: Smaller tables are used for training as a whole: a score on one row says nothing.
MIN_ROWS_TO_SPLIT: Final = 10
#: With fewer rows to learn from beside held-out ones, no line can be drawn: the share is a mistake.
MIN_TRAINING_ROWS: Final = 2
#: A probability of zero would make the mean log probability infinite for one wrong label.
SMALLEST_PROBABILITY: Final = 1e-300

# ---- Targets ----

#: Classes of a target: more are almost always numbers or identifiers, and cost a latent function
#: each.
MAX_CLASSES: Final = 100
