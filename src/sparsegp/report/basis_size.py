"""How many basis vectors there are, why, and what fewer or more of them would achieve."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.estimators.classifier import SparseGPClassifier
from sparsegp.estimators.policy import BASIS_OF_CLASSES, MOST_ROWS_OF_EXACT, USUAL_BASIS
from sparsegp.exceptions import NotInFileError
from sparsegp.learning.classes.label_regression import LEAST_SQUARES
from sparsegp.learning.classes.policy import MOST_BASIS_OF_NUMBERS
from sparsegp.learning.history.choices import inference_by_held_out_rows
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
    MIN_BASIS_TO_SHORTEN,
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
    """Say how large the model is and why, and compare it with smaller ones."""
    model = data.model
    paragraphs = [
        "The model is built on some of the training rows, its basis vectors (also called inducing "
        f"points). {_why_selection_stopped(model)}"
    ]
    data, evaluation = _compared_rows(data, evaluation)
    try:
        prefixes = _prefix_models(data, evaluation)
    except NotInFileError:
        prefixes = []
        paragraphs.append(
            "Smaller models are not compared here: that needs the training rows, which the model "
            "file does not contain. Make the report right after the fit to see the comparison."
        )
    if len(prefixes) > 1:
        paragraphs.append(_gain_of_second_half(prefixes, model))
        if data.n_neighbors:
            paragraphs.append(_WITH_NEIGHBOURS.format(n=len(data.y), k=data.n_neighbors))
    tables = [_table(prefixes)] if prefixes else []
    return Section("The basis", paragraphs, tables=tables)


_SIZES = {
    "all": "all training rows are used, except those that the others already determine, so that "
    "the Gaussian process is exact.",
    "auto": f"all of up to {MOST_ROWS_OF_EXACT:,} training rows can be basis vectors. Of a larger "
    f"table there are {USUAL_BASIS:,}, or more if held-out rows gain clearly by twice as many.",
}
_SIZES_OF_SITES = (
    f"up to {BASIS_OF_CLASSES} are selected, and more where there are more than two classes, where "
    "a category has many levels, or where these leave much of the variation of the inputs "
    "unexplained."
)
_SIZES_OF_NUMBERS = (
    "a regression on the labels, which held-out rows preferred, has up to "
    f"{MOST_BASIS_OF_NUMBERS:,}."
)
_WITH_NEIGHBOURS = (
    "The smaller models also use the {k} neighbours of each row. They are compared on {n:,} rows."
)


def _compared_rows(data: ReportData, evaluation: Evaluation) -> tuple[ReportData, Evaluation]:
    """Return the rows that models of different size are compared on: some, with neighbours."""
    n, limit = len(data.y), MAX_PREFIX_ROWS_WITH_NEIGHBOURS
    if not data.n_neighbors or n <= limit:
        return data, evaluation
    assert isinstance(evaluation, RegressionEvaluation)
    rows = np.sort(np.random.default_rng(0).permutation(n)[:limit])
    return data.take(rows), evaluation.take(rows)


def _sizes(model: Any) -> str:
    """Say how many basis vectors there are if ``max_basis`` leaves it open."""
    if not isinstance(model, SparseGPClassifier):
        return _SIZES[model.max_basis]
    numbers = inference_by_held_out_rows(getattr(model, "history_", [])) == LEAST_SQUARES
    return _SIZES_OF_NUMBERS if numbers else _SIZES_OF_SITES


def _why_selection_stopped(model: Any) -> str:
    m, limit, n_evaluated = model.n_basis_, model.max_basis, len(model.selection_path_)
    if _ran_out_of_time(model):
        return f"The time limit allowed {m:,} of them."
    if n_evaluated > m:
        return (
            f"The selection tried up to {n_evaluated:,} of them and kept the first {m:,}, where "
            "its criterion was best."
        )
    if isinstance(limit, str):
        return f"It has {m:,} of them. With max_basis={limit!r}, {_sizes(model)}"
    if m < limit:
        return (
            f"It has {m:,} of them, fewer than the {limit:,} allowed: these determine the "
            "remaining rows."
        )
    return f"It has {m:,} of them, the most that max_basis={limit} allows."


def _ran_out_of_time(model: Any) -> bool:
    return bool(getattr(model, "cut_short_", None))


def _can_grow(model: Any) -> bool:
    """Tell whether a larger ``max_basis`` would give a larger basis."""
    m, limit = model.n_basis_, model.max_basis
    if len(model.selection_path_) > m or limit == "all":
        return False
    return bool(m >= (USUAL_BASIS if isinstance(limit, str) else limit))


def _prefix_models(data: ReportData, evaluation: Evaluation) -> list[PrefixModel]:
    m = int(data.model.n_basis_)
    sizes = sorted({max(1, m // 2**i) for i in range(1, N_HALVINGS + 1)} - {m})
    smaller = [
        PrefixModel(size, evaluate(data.model.prefix(size), data.table, data.y)) for size in sizes
    ]
    return [*smaller, PrefixModel(m, evaluation)]


def _gain_of_second_half(prefixes: list[PrefixModel], model: Any) -> str:
    """Say whether the second half of the basis improved predictions, and what follows from it."""
    half, whole = prefixes[-2], prefixes[-1]
    gain: npt.NDArray[np.float64] = half.evaluation.loss - whole.evaluation.loss
    two_standard_errors = 2.0 * gain.std() / np.sqrt(len(gain))
    threshold = max(LOSS_TOLERANCE, two_standard_errors)
    name = _loss_name(whole.evaluation)
    change = f"with {whole.m:,} instead of {half.m:,} basis vectors, {name} is "
    size = format_number(abs(float(gain.mean())), 2)
    if gain.mean() > threshold:
        helped = f"The second half of the basis still helped: {change}{size} lower."
        if _ran_out_of_time(model):
            return f"{helped} Allow more time (time_limit) for a larger basis."
        if _can_grow(model):
            return f"{helped} A larger one would probably help too: try max_basis={2 * whole.m}."
        return helped
    if gain.mean() < -threshold:
        return (
            f"The second half of the basis did harm: {change}{size} higher. Try max_basis={half.m}."
        )
    smaller = ""
    if whole.m >= MIN_BASIS_TO_SHORTEN:
        smaller = f"; model.prefix({half.m}) predicts about as well in less time"
    if _ran_out_of_time(model):
        return (
            f"The second half of the basis made no clear difference on these rows{smaller}. With "
            "more time the model can still improve in other ways."
        )
    return (
        "The second half of the basis made no clear difference on these rows, so a larger basis "
        f"would hardly help{smaller}."
    )


def _loss_name(evaluation: Evaluation) -> str:
    return "the log loss" if isinstance(evaluation, ClassificationEvaluation) else "the NLPD"


def _table(prefixes: list[PrefixModel]) -> Table:
    rows = []
    for prefix in prefixes:
        if isinstance(prefix.evaluation, ClassificationEvaluation):
            score = format_percent(1.0 - prefix.evaluation.error)
        else:
            score = format_number(prefix.evaluation.mae)
        rows.append((f"{prefix.m:,}", score, format_number(prefix.evaluation.loss.mean())))
    if isinstance(prefixes[-1].evaluation, ClassificationEvaluation):
        return Table(("basis vectors", "correct", "log loss"), rows)
    return Table(("basis vectors", "average error", "NLPD"), rows)
