"""What the neighbours add to the predictions of the basis."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.files.compact import without_neighbours
from sparsegp.learning.history.phases import Phase
from sparsegp.report.evaluation import Evaluation, RegressionEvaluation, evaluate_regression
from sparsegp.report.formatting import format_number, format_percent
from sparsegp.report.policy import DISTANCE_GROUPS, INTERVAL_NAME, LOSS_TOLERANCE
from sparsegp.report.report_data import ReportData
from sparsegp.report.sections import Section, Table

__all__ = ["neighbours_section"]

TITLE = "What the neighbours add"

#: Distances up to this are those of equal inputs, up to rounding.
EQUAL_INPUTS = 1e-6
#: Relative changes of the RMSE that would be printed as 0.0 %.
SMALLEST_CHANGE = 0.0005

Floats = npt.NDArray[np.float64]


def neighbours_section(data: ReportData, evaluation: Evaluation) -> Section | None:
    """Compare the model with its basis alone; None if neighbours were not considered."""
    history = getattr(data.model, "history_", [])
    if not data.n_neighbors:
        sentence = _why_none(_comparison(history))
        return None if sentence is None else Section(TITLE, [sentence])
    assert isinstance(evaluation, RegressionEvaluation)
    alone = evaluate_regression(without_neighbours(data.model), data.table, data.y)
    paragraphs = [_what_they_are(data), _verdict(evaluation, alone)]
    tables = [_scores(evaluation, alone)]
    distance = _distance_to_nearest(data)
    if distance is not None:
        tables.append(_by_distance(distance, evaluation, alone, unseen=data.about.unseen))
    compared = _comparison(history)
    if _log_densities(compared):
        tables.append(_numbers_compared(compared))
    return Section(TITLE, paragraphs, tables=tables)


def _what_they_are(data: ReportData) -> str:
    rows = data.model._posterior.rows
    megabytes = 8e-6 * len(rows) * (rows.X.shape[1] + rows.y.shape[1])
    return (
        "The basis vectors give a first prediction for each new row, and the "
        f"{data.n_neighbors:,} training rows nearest to it correct this prediction. Near means "
        "highly correlated under the kernel. To do this, the model keeps "
        f"{len(rows):,} training rows ({format_number(megabytes)} MB)."
    )


def _verdict(both: RegressionEvaluation, alone: RegressionEvaluation) -> str:
    """Say whether the neighbours improved the predictions of the evaluation rows."""
    gain = alone.loss - both.loss
    two_standard_errors = 2.0 * gain.std() / np.sqrt(len(gain))
    change = format_number(abs(float(gain.mean())), 2)
    error = _change_of_error(both, alone)
    if gain.mean() > max(LOSS_TOLERANCE, two_standard_errors):
        return (
            f"The neighbours help: compared with the basis alone, {error}, and the NLPD is lower "
            f"by {change}."
        )
    if gain.mean() < -max(LOSS_TOLERANCE, two_standard_errors):
        return (
            f"On these rows the neighbours do harm: compared with the basis alone, {error}, and "
            f"the NLPD is higher by {change}. Try n_neighbors=0."
        )
    if abs(gain.mean()) >= LOSS_TOLERANCE:
        size = f"{change}, which may be chance"
    else:
        size = f"less than {LOSS_TOLERANCE:g}"
    return (
        f"On these rows the neighbours add little: compared with the basis alone, {error}, and the "
        f"NLPD differs by {size}. With n_neighbors=0 predictions are faster, and the model does "
        "not keep the training rows."
    )


def _change_of_error(both: RegressionEvaluation, alone: RegressionEvaluation) -> str:
    change = both.rmse / alone.rmse - 1.0 if alone.rmse > 0.0 else 0.0
    if abs(change) < SMALLEST_CHANGE:
        return "the RMSE is the same"
    return f"the RMSE is {format_percent(abs(change))} {'lower' if change < 0.0 else 'higher'}"


def _scores(both: RegressionEvaluation, alone: RegressionEvaluation) -> Table:
    rows = [
        (
            name,
            format_number(each.rmse),
            format_number(each.loss.mean()),
            format_percent(each.coverage),
        )
        for name, each in (("basis and neighbours", both), ("basis alone", alone))
    ]
    return Table(("prediction by", "RMSE", "NLPD", f"{INTERVAL_NAME} coverage"), rows)


# ---- How their number was chosen ----


def _comparison(history: Any) -> Mapping[str, Any] | None:
    """Return the entry of the choice of the number of neighbours; None if it was given."""
    entries = [entry for entry in history if entry.get("phase") == Phase.NEIGHBOURS]
    return entries[-1] if entries else None


def _log_densities(compared: Mapping[str, Any] | None) -> dict[int, float]:
    """Return the mean log density of each number of neighbours that was tried."""
    found = {} if compared is None else compared.get("log_density", {})
    return {int(k): float(value) for k, value in found.items()}


def _numbers_compared(compared: Mapping[str, Any] | None) -> Table:
    assert compared is not None
    rows = [
        (f"{k:,}{' (chosen)' if k == compared['chosen'] else ''}", format_number(value))
        for k, value in sorted(_log_densities(compared).items())
    ]
    lead = (
        "The number of neighbours was chosen with a small model that predicted "
        f"{compared['n_rows']:,} training rows, each without its own target. More neighbours make "
        "predictions slower, so they were only accepted if the mean log density rose clearly."
    )
    return Table(("neighbours", "mean log density"), rows, lead=lead)


def _why_none(compared: Mapping[str, Any] | None) -> str | None:
    """Say in one sentence why a fit that considered neighbours has none."""
    if compared is None:
        return None
    if int(compared["chosen"]):
        return (
            f"The model was fitted with {int(compared['chosen'])} neighbours, but the file it was "
            "loaded from does not contain the training rows, so the basis predicts alone."
        )
    densities = _log_densities(compared)
    if len(densities) < 2:
        return (
            "Neighbours were not tried, because memory_limit or time_limit left no room for them. "
            "The basis predicts alone."
        )
    tried = " and ".join(
        f"{format_number(value)} with {k:,}" for k, value in sorted(densities.items()) if k
    )
    return (
        "The basis predicts alone, because correcting its predictions by the nearest training rows "
        f"would not improve them clearly. The mean log density of {compared['n_rows']:,} training "
        f"rows, each predicted without its own target, was {format_number(densities[0])} without "
        f"neighbours, {tried}."
    )


# ---- By distance to the nearest training row ----


def _distance_to_nearest(data: ReportData) -> Floats | None:
    """Return √(2 − 2ρ) with ρ the correlation of f at a row and the nearest training row: (n,).

    None if the kernel does not decay, so that no row is nearest.
    """
    model = data.model
    posterior, kernel = model._posterior, model._posterior.basis.kernel
    some = posterior.rows.X[:1, :]
    if kernel.embedding(some, some) is None:
        return None
    X = model._transformed(data.table)
    nearest = posterior.rows.X[posterior.search.nearest(X, 1)[:, 0], :]
    between = kernel.batched_vjp(X[:, None, :], nearest[:, None, :])[0][:, 0, 0]
    scale = np.sqrt(kernel.diagonal(X) * kernel.diagonal(nearest))
    correlation = between / np.maximum(scale, np.finfo(np.float64).tiny)
    distance: Floats = np.sqrt(2.0 * np.maximum(1.0 - correlation, 0.0))
    return distance


def _by_distance(
    distance: Floats, both: RegressionEvaluation, alone: RegressionEvaluation, *, unseen: bool
) -> Table:
    """Score thirds of the rows, by their distance to the nearest training row."""
    groups = np.array_split(np.argsort(distance, kind="stable"), len(DISTANCE_GROUPS))
    rows = [
        _scores_of_group(name, distance[group], both.take(group), alone.take(group))
        for name, group in zip(DISTANCE_GROUPS, groups, strict=True)
        if len(group)
    ]
    lead = (
        "The rows in three groups of equal size, by their distance to the nearest training row as "
        "the kernel measures it: 0 for equal inputs, 1.4 for rows that say nothing about each "
        "other (√(2 − 2ρ), with ρ the correlation of the function at the two rows). Neighbours "
        "help most where the distance is small; coverage should be about "
        f"{INTERVAL_NAME} in every group."
    )
    copies = float(np.mean(distance <= EQUAL_INPUTS))
    if copies > 0.0 and not unseen:
        lead += (
            f" {format_percent(copies)} of the rows have the same inputs as a training row. If "
            "they are training rows themselves, the neighbours seem to help more than they would "
            "for new rows."
        )
    head = (
        "distance to the nearest training row",
        "RMSE (basis alone)",
        f"{INTERVAL_NAME} coverage (basis alone)",
    )
    return Table(head, rows, lead=lead)


def _scores_of_group(
    name: str, distance: Floats, both: RegressionEvaluation, alone: RegressionEvaluation
) -> tuple[str, str, str]:
    return (
        f"{name} (median {format_number(round(float(np.median(distance)), 4))})",
        f"{format_number(both.rmse)} ({format_number(alone.rmse)})",
        f"{format_percent(both.coverage)} ({format_percent(alone.coverage)})",
    )
