"""How many basis vectors there are, why, and what fewer or more of them would achieve."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.estimators.policy import MOST_ROWS_OF_EXACT, USUAL_BASIS
from sparsegp.exceptions import NotInFileError
from sparsegp.plot import plot_path
from sparsegp.plot.svg import inline_svg
from sparsegp.report.evaluation import (
    ClassificationEvaluation,
    Evaluation,
    RegressionEvaluation,
    evaluate,
)
from sparsegp.report.formatting import format_number, format_percent
from sparsegp.report.policy import (
    LOSS_TOLERANCE,
    MAX_PREFIX_ROWS_WITH_NEIGHBOURS,
    N_HALVINGS,
)
from sparsegp.report.report_data import ReportData
from sparsegp.report.sections import Section, Table

__all__ = ["basis_size_section"]


@dataclass(frozen=True)
class PrefixModel:
    """The model with its first m basis vectors only, evaluated on the same rows."""

    m: int
    evaluation: Evaluation


def basis_size_section(data: ReportData, evaluation: Evaluation) -> Section:
    """Show the selection path and the loss of smaller models."""
    model = data.model
    path = np.asarray(model.selection_path_, dtype=np.float64)
    paragraphs = [_why_selection_stopped(model, len(path))]
    data, evaluation = _compared_rows(data, evaluation)
    try:
        prefixes = _prefix_models(data, evaluation)
    except NotInFileError:
        prefixes = []
        paragraphs.append(
            "Smaller models are not compared here: that needs the training rows, which a model "
            "file does not contain. Create the report together with the fit to see the comparison."
        )
    held_out = ([p.m for p in prefixes], [p.evaluation.loss.mean() for p in prefixes])
    figure = inline_svg(
        lambda ax: plot_path(
            path, ax=ax, n_basis=model.n_basis_, held_out=held_out if prefixes else None
        ),
        name="path",
        says="Selection criterion and held-out loss against the number of basis vectors",
    )
    if len(prefixes) > 1:
        if data.n_neighbors:
            paragraphs.append(_WITH_NEIGHBOURS.format(n=len(data.y), k=data.n_neighbors))
        paragraphs.append(_gain_of_second_half(prefixes))
    tables = [_table(prefixes)] if prefixes else []
    return Section("Number of basis vectors", paragraphs, figures=[figure], tables=tables)


_SIZES = {
    "all": "all training rows that the others do not determine are basis vectors: the process is "
    "exact.",
    "auto": f"up to {MOST_ROWS_OF_EXACT:,} training rows can all be basis vectors, and "
    f"{USUAL_BASIS:,} of a larger table.",
}
_WITH_NEIGHBOURS = (
    "The smaller models below keep the {k} neighbours of a prediction; they are compared on {n:,} "
    "rows."
)


def _compared_rows(data: ReportData, evaluation: Evaluation) -> tuple[ReportData, Evaluation]:
    """Return the rows that models of different size are compared on: some, with neighbours."""
    n, limit = len(data.y), MAX_PREFIX_ROWS_WITH_NEIGHBOURS
    if not data.n_neighbors or n <= limit:
        return data, evaluation
    assert isinstance(evaluation, RegressionEvaluation)
    rows = np.sort(np.random.default_rng(0).permutation(n)[:limit])
    return data.take(rows), evaluation.take(rows)


def _why_selection_stopped(model: Any, n_evaluated: int) -> str:
    m, limit = model.n_basis_, model.max_basis
    if n_evaluated > m:
        return (
            f"The selection added {n_evaluated:,} basis vectors (inducing points) and then went "
            f"back to the first {m:,}, where its criterion was best."
        )
    if isinstance(limit, str):
        return (
            f"The model has {m:,} basis vectors (inducing points). With max_basis={limit!r}, "
            f"{_SIZES[limit]}"
        )
    if m < limit:
        return (
            f"The model has {m:,} basis vectors (inducing points) of at most {limit:,}. The "
            "selection stopped because the remaining rows are determined by these."
        )
    return (
        f"The model has {m:,} basis vectors (inducing points), the maximum allowed "
        f"(max_basis={limit:,})."
    )


def _prefix_models(data: ReportData, evaluation: Evaluation) -> list[PrefixModel]:
    m = int(data.model.n_basis_)
    sizes = sorted({max(1, m // 2**i) for i in range(1, N_HALVINGS + 1)} - {m})
    smaller = [
        PrefixModel(size, evaluate(data.model.prefix(size), data.table, data.y)) for size in sizes
    ]
    return [*smaller, PrefixModel(m, evaluation)]


def _gain_of_second_half(prefixes: list[PrefixModel]) -> str:
    """Say whether the second half of the basis improved the loss on the evaluation rows."""
    half, whole = prefixes[-2], prefixes[-1]
    gain: npt.NDArray[np.float64] = half.evaluation.loss - whole.evaluation.loss
    two_standard_errors = 2.0 * gain.std() / np.sqrt(len(gain))
    threshold = max(LOSS_TOLERANCE, two_standard_errors)
    change = f"Going from {half.m:,} to {whole.m:,} basis vectors"
    if gain.mean() > threshold:
        return (
            f"{change} lowered the loss by {format_number(gain.mean())} nats per row. The last "
            f"ones still helped, so more would probably help too: try max_basis={2 * whole.m}."
        )
    if gain.mean() < -threshold:
        return (
            f"{change} raised the loss by {format_number(-gain.mean())} nats per row: fewer basis "
            "vectors are better here."
        )
    return (
        f"{change} changed the loss by {format_number(-gain.mean())} nats per row, which is "
        "negligible or within sampling error. More basis vectors would hardly help, and "
        f"model.prefix({half.m}) is about as good."
    )


def _table(prefixes: list[PrefixModel]) -> Table:
    rows = []
    for prefix in prefixes:
        if isinstance(prefix.evaluation, ClassificationEvaluation):
            score = format_percent(prefix.evaluation.error)
        else:
            score = format_number(prefix.evaluation.nmse)
        rows.append((f"{prefix.m:,}", format_number(prefix.evaluation.loss.mean()), score))
    is_classification = isinstance(prefixes[-1].evaluation, ClassificationEvaluation)
    loss, score_name = ("NLP", "error") if is_classification else ("NLPD", "NMSE")
    return Table(("basis vectors", f"loss ({loss})", score_name), rows)
