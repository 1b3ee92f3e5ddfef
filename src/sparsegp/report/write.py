"""The report as a file."""

import os
from pathlib import Path
from typing import Any

from sparsegp.files.atomic import write_atomically
from sparsegp.report.metadata import About
from sparsegp.report.page import report_page

__all__ = ["write_report"]


def write_report(
    model: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    target: str | None = None,
) -> None:
    """Write a report about a fitted model to a file; ``model.report`` calls this.

    Parameters
    ----------
    model : fitted SparseGPRegressor (with one output) or SparseGPClassifier
    X, y : array-like
        Rows to evaluate the model on, which should not be training rows, and their targets.
    path : path-like
        The file to write.
    title : str, default=None
        Heading of the page.
    target : str, default=None
        Name of the target; None takes that of ``y``, if it is a named column.
    """
    try:
        file = Path(path)
    except TypeError as error:
        kind = type(path).__name__
        message = f"path must be a file name, got {kind}: report takes X, y and path"
        raise TypeError(message) from error
    own = getattr(y, "name", None)
    named = target if target is not None or own is None else str(own)
    about = About(
        title=title or (About.title if named is None else f"Predicting {named}"),
        target=About.target if named is None else named,
    )
    page = report_page(model, X, y, about=about)
    write_atomically(file, page.encode("utf-8", "replace"))
