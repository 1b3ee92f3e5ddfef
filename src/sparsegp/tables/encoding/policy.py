"""The limits of this room, and what each of them trades."""

from typing import Final

__all__ = [
    "DENSE_NUMBERING",
    "MAX_LEVELS_SHOWN",
    "MAX_SHARE_UNPARSED",
    "MIN_IDENTIFIER_LEVELS",
    "MIN_LEVELS_TO_POOL",
    "MIN_MISSING_ROWS",
    "MIN_MISSING_SHARE",
    "MIN_PERIODS",
    "MIN_PHASES",
    "MIN_ROWS_OF_LEVEL",
    "MIN_ROWS_TO_LEAVE_OUT",
    "MIN_SHARE_TO_REMARK",
    "MIN_WORDS_OF_TEXT",
    "ROWS_TO_INSPECT",
]

#: A numerical column gets a missing-value indicator if at least this share of the training rows,
#: and this many of them, lack it. A model cannot learn from rarer ones.
MIN_MISSING_SHARE: Final = 0.01
MIN_MISSING_ROWS: Final = 5
#: A column of strings with more levels than this, and than half of the rows, is an identifier.
MIN_IDENTIFIER_LEVELS: Final = 20
#: In a table of fewer rows no column is taken for an identifier: most columns are distinct there.
MIN_ROWS_TO_LEAVE_OUT: Final = 10
#: Distinct whole numbers number the rows if their range is at most this multiple of their number:
#: also after a fifth, or a third, of the rows was held out.
DENSE_NUMBERING: Final = 1.6
#: Distinct strings of more words than this on average are free text, not names.
MIN_WORDS_OF_TEXT: Final = 3.0
#: Levels with fewer rows than this are one level, if the column has many levels: what one row says
#: about its level helps no other row.
MIN_ROWS_OF_LEVEL: Final = 2
MIN_LEVELS_TO_POOL: Final = 50
#: A column of numbers may have this share of cells that are none; they count as missing. With more
#: of them it is a column of strings.
MAX_SHARE_UNPARSED: Final = 0.02
#: A column of strings of which this share are numbers is remarked on: the others may be mistakes.
MIN_SHARE_TO_REMARK: Final = 0.8
#: A date has periodic parts whose period the rows cover this often, at this many phases or more.
MIN_PERIODS: Final = 2.0
MIN_PHASES: Final = 3
#: Cells of a column that are examined for lists and booleans.
ROWS_TO_INSPECT: Final = 100
#: Levels that the description of a column lists.
MAX_LEVELS_SHOWN: Final = 6
