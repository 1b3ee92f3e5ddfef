"""What the report cannot find in the model or the rows: names, categories, preprocessing."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from sparsegp.plot.labels import printable

__all__ = ["About"]

UNNAMED = "the target"


@dataclass(frozen=True)
class About:
    """Metadata that the report prints in addition to what the model and the rows contain.

    Parameters
    ----------
    title : str
    target : str
        Name of the target column.
    rows : str
        Description of the rows that the model is evaluated on, for instance
        "held-out rows of houses.csv".
    unseen : bool
        Whether these rows are known not to be training rows.
    levels : mapping
        For each categorical input, the category name of each code.
    dates : collection of str
        Inputs that are days since 1970.
    periodic : mapping
        For each sine or cosine of a date, the name of the two together and the part of the date.
    columns : sequence of (column, used as, if missing, categories)
        How the columns of the table were encoded.
    left_out : mapping
        Columns that were left out, with the reason.
    notes : sequence of str
        Further remarks on the preprocessing.
    model_file : str
        File that the model was saved to.
    """

    title: str = "Sparse Gaussian process"
    target: str = UNNAMED
    rows: str = "rows"
    unseen: bool = True
    levels: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    dates: Collection[str] = ()
    periodic: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    columns: Sequence[tuple[str, str, str, str]] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    model_file: str | None = None

    def named(self, adjective: str) -> str:
        """Return the target after an adjective; "value" if it has no name.

        >>> About().named("observed"), About(target="price").named("observed")
        ('observed value', 'observed price')
        """
        return f"{adjective} {'value' if self.target == UNNAMED else printable(self.target)}"
