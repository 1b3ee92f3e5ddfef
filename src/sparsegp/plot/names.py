"""Names of columns and categories on a figure."""

import unicodedata

__all__ = ["readable", "shortened"]

#: Marks that turn the direction of what follows, and may hide what stands there.
TURNING = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def readable(name: str) -> str:
    r"""Return a name on one line, without what is no letter, mark or symbol.

    >>> readable("a\nb\x00")
    'a b�'
    """
    text = " ".join(str(name).split())
    return "".join("�" if unicodedata.category(c) in _NO_TEXT or c in TURNING else c for c in text)


_NO_TEXT = ("Cc", "Cs", "Cn")  # control, half of a pair, not assigned


def shortened(name: str, most: int = 18) -> str:
    r"""Return a name that fits beside a figure, and in which $ begins no formula.

    >>> shortened("median income of the block group"), shortened("US$")
    ('median income of …', 'US\\$')
    """
    text = readable(name)
    text = text if len(text) <= most else text[: most - 1] + "…"
    return text.replace("$", r"\$")
