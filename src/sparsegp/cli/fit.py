"""``sparsegp fit``: from a table to a model that was scored on rows it has not seen."""

import json
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from sparsegp.cli.display import FitDisplay, say, show_rows, show_table
from sparsegp.cli.errors import BadInputError, one_line
from sparsegp.cli.kernels import kernel_for
from sparsegp.cli.memory import peak_memory
from sparsegp.cli.report import check_report, write_page
from sparsegp.cli.scores import score, score_names
from sparsegp.cli.seen_rows import split_notes
from sparsegp.cli.split import split_rows
from sparsegp.cli.tables.cells import CATEGORY
from sparsegp.cli.tables.columns import FLAG, Columns
from sparsegp.cli.tables.decide import check_column, decide
from sparsegp.cli.tables.read import read_table
from sparsegp.cli.tables.target import AUTO, CLASSIFICATION, REGRESSION, Target, read_target
from sparsegp.cli.tables.write import check_output
from sparsegp.estimators.classifier import SparseGPClassifier
from sparsegp.estimators.regressor import SparseGPRegressor
from sparsegp.exceptions import SparseGPError
from sparsegp.files import save
from sparsegp.learning.history.choices import chosen_kernel, tried
from sparsegp.selection import CRITERIA
from sparsegp.selection.active_set import SELECTIONS

__all__ = ["FitOptions", "fit"]

#: Of numbers: that of the estimators, or chosen by evidence.
KERNELS = _, CHOSEN = "rbf", "auto"


@dataclass(frozen=True)
class FitOptions:
    """What the command line says."""

    target: str
    task: str = AUTO
    out: Path | None = None
    max_basis: int | None = None
    selection: str | None = None
    time_limit: float | None = None
    seed: int = 0
    holdout: float = 0.2
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    kernel: str | None = None  # that of the estimator's default
    transform_x: str | None = None
    transform_y: str | None = None
    report: Path | None = None
    as_json: bool = False


@dataclass(frozen=True)
class Outcome:
    """What is printed at the end, and what ``--json`` prints."""

    task: str
    target: str
    rows: int
    held_out: int
    scores: dict[str, float | None]
    n_basis: int
    kernel: str
    kernel_chosen: str | None  # if it was left open
    transform_x: dict[str, str]
    transform_y: str | None
    tried: list[dict[str, Any]]
    seconds: float
    cut_short: list[str]
    peak_memory_bytes: int | None
    model: str | None
    report: str | None
    columns: list[dict[str, Any]]
    left_out: dict[str, str]
    notes: list[str]
    warnings: list[str]


def fit(path: Path, options: FitOptions) -> None:
    """Read, decide, learn, score, save, tell."""
    _check(options)
    table = read_table(path)
    for option, names in (("--keep", options.keep), ("--drop", options.drop)):
        for name in names:
            check_column(table, name, option)
    check_column(table, options.target, "--target")
    target = read_target(table[options.target], options.target, options.task)
    labels = target.values if target.task == CLASSIFICATION else None
    training, held = split_rows(len(table), options.holdout, options.seed, labels)
    if options.report is not None and not len(held):
        raise BadInputError(
            "--report needs rows held out: give --holdout above 0 and a table of 10 rows or more"
        )
    drop = {options.target, *options.drop}
    columns = decide(table, training, keep=options.keep, drop=drop)
    if not options.as_json:
        _tell_columns(columns, target)

    start = perf_counter()
    X = columns.apply(table)
    model, heard = _learn(X.iloc[training], target.values[training], target.task, columns, options)
    seconds = perf_counter() - start
    scores = score(model, X.iloc[held], target.values[held]) if len(held) else {}
    rows = len(training), len(held)
    outcome = _outcome(model, target, columns, rows, scores, seconds, heard, options)
    if options.out is not None:
        split = split_notes(X, target.values, options.holdout, options.seed)
        save(model, options.out, notes=_notes(outcome, columns) | {"split": split})
    if options.report is not None:
        write_page(
            options.report,
            model,
            X.iloc[held],
            target.values[held],
            columns,
            title=f"{target.name} in {path.name}",
            target=target.name,
            rows=f"rows held out of {path.name}",
            unseen=True,
            model_file=None if options.out is None else options.out.name,
            y_training=target.values[training],
        )
    if options.as_json:
        print(json.dumps(asdict(outcome), allow_nan=False))
    else:
        _tell(path, outcome)


def _check(options: FitOptions) -> None:
    """Refuse what would fail only after minutes."""
    if options.time_limit is not None and not 0.0 < options.time_limit < inf:
        raise BadInputError(
            f"--time-limit must be a positive number of seconds, got {options.time_limit:g}"
        )
    if options.kernel is not None and options.kernel not in KERNELS:
        raise BadInputError(f"--kernel must be one of {', '.join(KERNELS)}, got {options.kernel!r}")
    if options.out is not None:
        check_output(options.out)
    if options.report is not None:
        check_report(options.report)


def _outcome(
    model: Any,
    target: Target,
    columns: Columns,
    rows: tuple[int, int],
    scores: dict[str, float | None],
    seconds: float,
    heard: list[str],
    options: FitOptions,
) -> Outcome:
    """Return what there is to tell; ``rows`` are how many were learned from and held out."""
    return Outcome(
        task=target.task,
        target=target.name,
        rows=rows[0],
        held_out=rows[1],
        scores=scores,
        n_basis=int(model.n_basis_),
        kernel=repr(model.kernel_),
        kernel_chosen=chosen_kernel(model.history_),
        transform_x={str(name): kind for name, kind in model.transform_X_.items()},
        transform_y=getattr(model, "transform_y_", None),
        tried=[asdict(candidate) for candidate in tried(model.history_)],
        seconds=seconds,
        cut_short=model.cut_short_,
        peak_memory_bytes=peak_memory(),
        model=None if options.out is None else str(options.out),
        report=None if options.report is None else str(options.report),
        columns=[column.as_json() for column in columns.columns],
        left_out=columns.left_out,
        notes=[*columns.notes, *filter(None, [target.note])],
        warnings=heard,
    )


def _learn(
    X: pd.DataFrame, y: np.ndarray[Any, Any], task: str, columns: Columns, options: FitOptions
) -> tuple[Any, list[str]]:
    """Return the fitted model, and what the fit warned of."""
    display = None if options.as_json else FitDisplay(to_stderr=True)
    model = _estimator(task, columns, options, display)
    with warnings.catch_warnings(record=True) as heard, display or nullcontext():
        warnings.simplefilter("always")
        try:
            model.fit(X, y)
        except (ValueError, SparseGPError) as error:
            raise BadInputError(f"the model cannot be fitted: {one_line(error)}") from error
    return model, list(dict.fromkeys(" ".join(str(one.message).split()) for one in heard))


def _estimator(
    task: str, columns: Columns, options: FitOptions, callback: Callable[..., None] | None
) -> Any:
    kind, allowed = {
        REGRESSION: (SparseGPRegressor, CRITERIA),
        CLASSIFICATION: (SparseGPClassifier, SELECTIONS),
    }[task]
    if options.selection is not None and options.selection not in allowed:
        raise BadInputError(
            f"--selection {options.selection} is not for {task}: give one of {', '.join(allowed)}"
        )
    given: dict[str, Any] = {"max_basis": options.max_basis, "selection": options.selection}
    given |= {"time_limit": options.time_limit}
    given |= {"transform_X": options.transform_x, "transform_y": options.transform_y}
    if task == CLASSIFICATION and options.transform_y is not None:
        raise BadInputError("--transform-y is for regression: labels have no scale")
    chosen = (options.kernel or kind().kernel) == CHOSEN
    return kind(
        kernel_for([column.coded for column in columns.columns], chosen=chosen),
        random_state=options.seed,
        callback=callback,
        **{name: value for name, value in given.items() if value is not None},
    )


def _notes(outcome: Outcome, columns: Columns) -> dict[str, Any]:
    """Return what the model file keeps: how to read tables, and how good the model was."""
    return {
        "table": columns.as_json(),
        "target": outcome.target,
        "rows": outcome.rows,
        "held_out": outcome.held_out,
        "scores": outcome.scores,
        "seconds": outcome.seconds,
        "cut_short": outcome.cut_short,
    }


def _tell_columns(columns: Columns, target: Target) -> None:
    for name, reason in columns.left_out.items():
        say(f"left out: {name!r} {reason}")
    for note in (*columns.notes, target.note):
        if note:
            say(f"note: {note}")


def _tell(path: Path, outcome: Outcome) -> None:
    for warning in outcome.warnings:
        say(f"warning: {warning}")
    show_rows(
        f"Columns of {path.name}",
        ("column", "taken as", "transform"),
        [
            (c["name"], _described(c), kind)
            for c, kind in zip(outcome.columns, outcome.transform_x.values(), strict=True)
        ],
    )
    held = f", {outcome.held_out:,} held out" if outcome.held_out else ", none held out"
    memory = outcome.peak_memory_bytes
    shown = {
        score_names[name][0]: _shown(value, percent=score_names[name][1])
        for name, value in outcome.scores.items()
    }
    shown["basis vectors"] = f"{outcome.n_basis:,}"
    if outcome.kernel_chosen is not None:
        shown["kernel"] = outcome.kernel_chosen
    if outcome.transform_y is not None:
        shown["target"] = outcome.transform_y
    if outcome.tried:
        shown["candidates tried"] = f"{len(outcome.tried)}"
    shown["seconds to fit"] = f"{outcome.seconds:.1f}"
    if outcome.cut_short:
        shown["cut short by --time-limit"] = "\n".join(outcome.cut_short)
    shown["peak memory"] = "unknown" if memory is None else f"{memory / 2**20:,.0f} MiB"
    shown["model"] = outcome.model or "not kept: give --out to keep it"
    if outcome.report is not None:
        shown["report"] = outcome.report
    show_table(f"{outcome.task} of {outcome.target}: {outcome.rows:,} rows{held}", shown)


def _described(column: dict[str, Any]) -> str:
    kind, count = column["kind"], len(column["levels"])
    return {CATEGORY: f"category of {count}", FLAG: "whether it is missing"}.get(kind, kind)


def _shown(value: float | None, *, percent: bool) -> str:
    if value is None:
        return "not defined"
    return f"{100 * value:.1f} %" if percent else f"{value:.4g}"
