"""Names of columns and categories, made safe for figures and pages."""

import unicodedata

__all__ = ["printable", "shorten"]

#: Characters that change the writing direction and could hide text.
BIDIRECTIONAL = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def printable(name: str) -> str:
    r"""Return a name on one line, with unprintable characters replaced.

    >>> printable("a\nb\x00")
    'a b�'
    """
    text = " ".join(str(name).split())
    return "".join(
        "�" if unicodedata.category(c) in _UNPRINTABLE or c in BIDIRECTIONAL else c for c in text
    )


_UNPRINTABLE = ("Cc", "Cs", "Cn")  # control, surrogate, unassigned


def shorten(name: str, max_length: int = 18) -> str:
    r"""Return a name that fits beside a figure, with $ escaped (it would begin a formula).

    >>> shorten("median income of the block group"), shorten("US$")
    ('median income of …', 'US\\$')
    """
    text = printable(name)
    text = text if len(text) <= max_length else text[: max_length - 1] + "…"
    return text.replace("$", r"\$")
