"""``sparsegp fit``: from a table to a model that is scored on held-out rows."""

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

from sparsegp.cli.display import FitDisplay
from sparsegp.cli.errors import BadInputError, check_seed, one_line
from sparsegp.cli.fit_result import FitResult, print_columns, print_result
from sparsegp.cli.holdout_split import split_rows
from sparsegp.cli.output_files import check_output_files
from sparsegp.cli.peak_memory import peak_memory
from sparsegp.cli.policy import HOLDOUT_SHARE, MIN_ROWS_TO_SPLIT
from sparsegp.cli.report import check_report_library, write_page
from sparsegp.cli.saved_split import split_record
from sparsegp.cli.scores import score
from sparsegp.cli.tables.columns import check_column, encoding_of
from sparsegp.cli.tables.read import read_table
from sparsegp.cli.tables.target import AUTO, CLASSIFICATION, REGRESSION, Target, read_target
from sparsegp.estimators.classifier import SparseGPClassifier
from sparsegp.estimators.regressor import SparseGPRegressor
from sparsegp.exceptions import ColumnWarning, SparseGPError
from sparsegp.files import save
from sparsegp.kernels.named import KERNEL_NAMES
from sparsegp.learning.history.choices import chosen_kernel, tried
from sparsegp.selection import CRITERIA
from sparsegp.selection.active_set import SELECTIONS
from sparsegp.tables.encoding import TableEncoding
from sparsegp.tables.encoding.cell_parsing import Inferred, infer_kind
from sparsegp.tables.encoding.kinds import CATEGORY, NUMBER

__all__ = ["FitOptions", "fit"]

#: Kernels of the numerical columns: chosen by the marginal likelihood, or by name.
KERNELS = (AUTO, *KERNEL_NAMES)


@dataclass(frozen=True)
class FitOptions:
    """The options of the command line; None means the default of the estimator."""

    target: str
    task: str = AUTO
    out: Path | None = None
    max_basis: int | None = None
    n_neighbors: str | None = None
    selection: str | None = None
    time_limit: float | None = None
    seed: int = 0
    holdout: float = HOLDOUT_SHARE
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    kernel: str | None = None
    transform_x: str | None = None
    transform_y: str | None = None
    report: Path | None = None
    as_json: bool = False


def fit(path: Path, options: FitOptions) -> None:
    """Read the table, infer its columns, fit, score, save and print the result."""
    _check_options(options)
    check_output_files({"--out": options.out, "--report": options.report}, {"TABLE": path})
    table, target = _read(path, options)  # the rows that have a target
    labels = target.values if target.task == CLASSIFICATION else None
    training, held_out = split_rows(len(table), options.holdout, options.seed, labels)
    if options.report is not None and not len(held_out):
        raise BadInputError(
            "--report needs held-out rows: give --holdout above 0 and a table of at least "
            f"{MIN_ROWS_TO_SPLIT} rows"
        )
    start = perf_counter()
    X, y = _inputs(table, options), target.values
    model, warned = _fit_model(X.iloc[training], y[training], target.task, options)
    seconds = perf_counter() - start
    encoding = encoding_of(model)
    if not options.as_json:
        print_columns(encoding, target)
    scores = score(model, X.iloc[held_out], y[held_out]) if len(held_out) else {}
    n_rows = len(training), len(held_out)
    result = _make_result(model, target, encoding, n_rows, scores, seconds, warned, options)
    if options.out is not None:
        split = split_record(encoding.encode(X), y, options.holdout, options.seed)
        save(model, options.out, notes=result.model_notes() | {"split": split})
    if options.report is not None:
        write_page(
            options.report,
            model,
            X.iloc[held_out],
            y[held_out],
            title=f"{target.name} in {path.name}",
            target=target.name,
            rows=f"held-out rows of {path.name}",
            unseen=True,
            model_file=None if options.out is None else options.out.name,
            y_training=y[training],
        )
    if options.as_json:
        print(json.dumps(asdict(result), allow_nan=False))
    else:
        print_result(path, result)


def _check_options(options: FitOptions) -> None:
    """Refuse options that would fail only after the fit."""
    if options.time_limit is not None and not 0.0 < options.time_limit < inf:
        raise BadInputError(
            f"--time-limit must be a positive number of seconds, got {options.time_limit:g}"
        )
    if options.kernel is not None and options.kernel not in KERNELS:
        raise BadInputError(f"--kernel must be one of {', '.join(KERNELS)}, got {options.kernel!r}")
    _n_neighbors(options)
    check_seed(options.seed)
    if options.report is not None:
        check_report_library()


def _n_neighbors(options: FitOptions) -> int | str | None:
    """Return the number of neighbours, "auto", or None if it was not given."""
    given = options.n_neighbors
    if given is None or given == AUTO:
        return given
    if not (given.isascii() and given.isdigit()):
        raise BadInputError(f"--n-neighbors must be auto or an integer from 0 on, got {given!r}")
    return int(given)


def _read(path: Path, options: FitOptions) -> tuple[pd.DataFrame, Target]:
    """Return the table and its target; check the columns that options name."""
    table = read_table(path)
    for option, names in (("--keep", options.keep), ("--drop", options.drop)):
        for name in names:
            check_column(table, name, option)
    check_column(table, options.target, "--target")
    target = read_target(table[options.target], options.target, options.task)
    return table.iloc[target.rows].reset_index(drop=True), target


def _inputs(table: pd.DataFrame, options: FitOptions) -> pd.DataFrame:
    """Return the table of inputs; a column to keep has a type that no identifier has."""
    X = table.drop(columns=list({options.target, *options.drop}))
    if not X.shape[1]:
        raise BadInputError("no column is left to learn from: there is only the target")
    for name in options.keep:
        if name not in X:
            continue
        inferred = infer_kind(X[name])
        if inferred == Inferred(NUMBER):  # plainly written
            X[name] = pd.to_numeric(X[name]).astype("float64")
        elif inferred.kind == CATEGORY:
            X[name] = X[name].astype("category")
    return X


def _fit_model(
    X: pd.DataFrame, y: np.ndarray[Any, Any], task: str, options: FitOptions
) -> tuple[Any, list[str]]:
    """Return the fitted model and the warnings of the fit."""
    display = None
    if not options.as_json:
        display = FitDisplay(to_stderr=True, time_limit=options.time_limit)
    model = _make_estimator(task, options, display)
    with warnings.catch_warnings(record=True) as caught, display or nullcontext():
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ColumnWarning)  # printed from the encoding
        try:
            model.fit(X, y)
        except (ValueError, SparseGPError) as error:
            raise BadInputError(f"the model cannot be fitted: {one_line(error)}") from error
    return model, list(dict.fromkeys(" ".join(str(one.message).split()) for one in caught))


def _make_estimator(
    task: str,
    options: FitOptions,
    callback: Callable[..., None] | None,
) -> Any:
    kind, allowed = {
        REGRESSION: (SparseGPRegressor, CRITERIA),
        CLASSIFICATION: (SparseGPClassifier, SELECTIONS),
    }[task]
    if options.selection is not None and options.selection not in allowed:
        raise BadInputError(
            f"--selection {options.selection} is not available for {task}: give one of "
            f"{', '.join(allowed)}"
        )
    if task == CLASSIFICATION and options.transform_y is not None:
        raise BadInputError("--transform-y is for regression: labels have no scale")
    if task == CLASSIFICATION and options.n_neighbors is not None:
        raise BadInputError("--n-neighbors is for regression: a classifier has no neighbours")
    parameters = {
        "kernel": options.kernel,
        "max_basis": options.max_basis,
        "n_neighbors": _n_neighbors(options),
        "selection": options.selection,
        "time_limit": options.time_limit,
        "transform_X": options.transform_x,
        "transform_y": options.transform_y,
    }
    return kind(
        random_state=options.seed,
        callback=callback,
        **{name: value for name, value in parameters.items() if value is not None},
    )


def _make_result(
    model: Any,
    target: Target,
    encoding: TableEncoding,
    n_rows: tuple[int, int],
    scores: dict[str, float | None],
    seconds: float,
    warned: list[str],
    options: FitOptions,
) -> FitResult:
    """Collect what is printed; ``n_rows`` are the numbers of training and held-out rows."""
    return FitResult(
        task=target.task,
        target=target.name,
        rows=n_rows[0],
        held_out=n_rows[1],
        without_target=target.n_without,
        scores=scores,
        n_basis=int(model.n_basis_),
        n_neighbors=getattr(model, "n_neighbors_", None),
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
        columns=[column.as_json() for column in encoding.columns],
        left_out=encoding.left_out,
        notes=[*encoding.notes, *target.notes],
        warnings=warned,
    )
