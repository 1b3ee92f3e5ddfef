"""How many basis vectors there are, why, and what more or fewer would be worth."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.exceptions import NotInFileError
from sparsegp.plot import plot_path
from sparsegp.plot.svg import inline_svg
from sparsegp.report.judged import Labels, Numbers, judge
from sparsegp.report.shown import Section, Table, number, percent
from sparsegp.report.subject import Subject

__all__ = ["size_section"]

#: Halvings of the basis to look at.
N_HALVINGS = 5
#: A loss that differs by less, in nats a row, is the same to everybody.
NOTEWORTHY = 0.01


@dataclass(frozen=True)
class Shorter:
    """The model with the first m basis vectors, judged by the same rows."""

    m: int
    judged: Numbers | Labels


def size_section(subject: Subject, judged: Numbers | Labels) -> Section:
    """Show the path of the selection and what m would buy."""
    model = subject.model
    path = np.asarray(model.selection_path_, dtype=np.float64)
    told = [_where_it_stopped(model, len(path))]
    try:
        models = _shorter(subject, judged)
    except NotInFileError:
        models = []
        told.append(
            "What fewer basis vectors would be worth is left out: it needs the training rows, "
            "which a model file does not hold. Make the report together with the fit to see it."
        )
    held_out = ([s.m for s in models], [s.judged.loss.mean() for s in models])
    figure = inline_svg(
        lambda ax: plot_path(
            path, ax=ax, n_basis=model.n_basis_, held_out=held_out if models else None
        ),
        name="path",
        says="The criterion of the selection, and the held-out loss, against the basis vectors",
    )
    if len(models) > 1:
        told.append(_worth(models))
    tables = [_table(models)] if models else []
    return Section("How many basis vectors", told, figures=[figure], tables=tables)


def _where_it_stopped(model: Any, seen: int) -> str:
    m = model.n_basis_
    if seen > m:
        return (
            f"The selection looked at {seen:,} basis vectors and went back to {m:,}, where its "
            "criterion was best."
        )
    limit = model.max_basis
    if m < limit:
        return (
            f"There are {m:,} basis vectors of {limit:,} allowed: further rows would have added "
            "nothing that the others do not determine."
        )
    return f"There are {m:,} basis vectors, as many as were allowed (max_basis={limit:,})."


def _shorter(subject: Subject, judged: Numbers | Labels) -> list[Shorter]:
    m = int(subject.model.n_basis_)
    sizes = sorted({max(1, m // 2**i) for i in range(1, N_HALVINGS + 1)} - {m})
    found = [
        Shorter(size, judge(subject.model.prefix(size), subject.table, subject.y)) for size in sizes
    ]
    return [*found, Shorter(m, judged)]


def _worth(models: list[Shorter]) -> str:
    """Say what the second half of the basis was worth on rows not seen."""
    half, whole = models[-2], models[-1]
    gain: npt.NDArray[np.float64] = half.judged.loss - whole.judged.loss
    doubt = 2.0 * gain.std() / np.sqrt(len(gain))
    told = f"From {half.m:,} to {whole.m:,} basis vectors the loss fell by {number(gain.mean())}"
    if gain.mean() > max(NOTEWORTHY, doubt):
        return (
            f"{told} a row: the last ones still paid, and more would probably help (try "
            f"max_basis={2 * whole.m})."
        )
    if gain.mean() < -max(NOTEWORTHY, doubt):
        rise = number(-gain.mean())
        return (
            f"From {half.m:,} to {whole.m:,} basis vectors the loss rose by {rise} a row: fewer "
            "are better here."
        )
    return (
        f"{told} a row, which is within chance or nobody's concern: more would hardly help, and "
        f"model.prefix({half.m}) does as well."
    )


def _table(models: list[Shorter]) -> Table:
    rows = []
    for one in models:
        if isinstance(one.judged, Labels):
            score = percent(one.judged.error)
        else:
            score = number(one.judged.nmse)
        rows.append((f"{one.m:,}", number(one.judged.loss.mean()), score))
    score_name = "error" if isinstance(models[-1].judged, Labels) else "NMSE"
    return Table(("basis vectors", "held-out loss", score_name), rows)
