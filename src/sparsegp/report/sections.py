"""The parts that the page is assembled from: sections and tables."""

from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["Section", "Table"]


@dataclass(frozen=True)
class Table:
    """Rows of strings under a header; the rows in ``more`` are folded away until clicked.

    ``lead`` is a paragraph above the table, for a section with several tables.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    more: Sequence[Sequence[str]] = ()
    lead: str = ""

    @classmethod
    def folded(cls, head: Sequence[str], rows: Sequence[Sequence[str]], n_open: int) -> "Table":
        """Return a table of which the first ``n_open`` rows are visible."""
        return cls(head, rows[:n_open], rows[n_open:])


@dataclass(frozen=True)
class Section:
    """One section of the page; figures are SVG, everything else is text that gets escaped."""

    title: str
    paragraphs: Sequence[str] = ()
    figures: Sequence[str] = ()
    small_figures: Sequence[str] = ()
    tables: Sequence[Table] = ()
    code: Sequence[str] = field(default=())

    @property
    def anchor(self) -> str:
        """The id of the section, which the contents list refers to.

        >>> Section("What the neighbours add").anchor
        'what-the-neighbours-add'
        """
        return "".join(c if c.isalnum() else "-" for c in self.title.lower())
