"""Where the model is wrong."""

import numpy as np

from sparsegp.plot import plot_residuals
from sparsegp.plot.names import readable
from sparsegp.plot.svg import inline_svg
from sparsegp.report.judged import LEVEL, Labels, Numbers
from sparsegp.report.shown import Section, Table
from sparsegp.report.subject import Subject

__all__ = ["errors_section"]

N_SHOWN, MOST_CLASSES = 150, 20


def errors_section(subject: Subject, judged: Numbers | Labels) -> Section:
    """Show residuals, or which labels are taken for which."""
    if isinstance(judged, Labels):
        return _confusion(subject, judged)
    figure = inline_svg(
        lambda ax: plot_residuals(
            judged.y, judged.mean, judged.lower, judged.upper, ax=ax, n_shown=N_SHOWN
        ),
        name="residuals",
        says="Observed minus predicted against predicted, with intervals",
    )
    some = "" if len(judged.y) <= N_SHOWN else f", {N_SHOWN} rows of {len(judged.y):,}"
    told = (
        f"Observed minus predicted, with the {LEVEL:.0%} interval of each prediction{some}. A bend "
        "says that the model misses something; intervals that widen say that it knows where."
    )
    return Section("Residuals", [told], figures=[figure])


def _confusion(subject: Subject, judged: Labels) -> Section:
    names = [readable(str(label)) for label in subject.model.classes_]
    counts = np.zeros((len(names), len(names)), dtype=int)
    np.add.at(counts, (judged.place, judged.chosen), 1)
    if len(names) <= MOST_CLASSES:
        rows = [(name, *map(str, row)) for name, row in zip(names, counts, strict=True)]
        told = "Rows by their true label (down) and the label that the model chose (across)."
        return Section("Wrong labels", [told], tables=[Table(("true label", *names), rows)])
    wrong = counts - np.diag(np.diag(counts))
    worst = np.argsort(-wrong, axis=None, kind="stable")[:MOST_CLASSES]
    pairs = [divmod(int(place), len(names)) for place in worst if wrong.flat[place]]
    rows = [(names[i], names[j], str(wrong[i, j])) for i, j in pairs]
    told = "The labels that the model takes for others most often."
    return Section("Wrong labels", [told], tables=[Table(("true", "chosen", "rows"), rows)])
