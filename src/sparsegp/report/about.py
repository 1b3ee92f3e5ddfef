"""What only the one who fitted the model knows of it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["About"]


@dataclass(frozen=True)
class About:
    """What the page says beside what model and rows say.

    Parameters
    ----------
    title : str
    target : str
        Name of what is predicted.
    rows : str
        Which rows the model is judged by, for instance "rows held out of houses.csv".
    unseen : bool
        Whether it is certain that the model has not learned from them.
    levels : mapping
        Of inputs that are categories: the name of each code.
    dates : collection of str
        Inputs that are days since 1970.
    columns : sequence of (column, taken as, if missing, levels)
        What was done to the columns of the table.
    left_out : mapping
        Columns that were left out, and why.
    notes : sequence of str
        What else was done that somebody should know.
    model_file : str
        Where the model was saved.
    """

    title: str = "A sparse Gaussian process"
    target: str = "the target"
    rows: str = "rows"
    unseen: bool = True
    levels: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    dates: Collection[str] = ()
    columns: Sequence[tuple[str, str, str, str]] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    model_file: str | None = None
