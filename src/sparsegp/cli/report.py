"""``sparsegp report``: an HTML report about a model, evaluated on a table with its target."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.cli.display import print_line
from sparsegp.cli.errors import BadInputError, one_line
from sparsegp.cli.output_files import check_output_files
from sparsegp.cli.policy import MAX_REPORT_ROWS
from sparsegp.cli.prediction_columns import is_classifier
from sparsegp.cli.saved_split import recover_split
from sparsegp.cli.tables.columns import as_numbers, check_column, encoding_of
from sparsegp.cli.tables.read import read_table
from sparsegp.cli.tables.target import CLASSIFICATION, REGRESSION, Target, read_target
from sparsegp.files import info, load
from sparsegp.files.atomic import write_atomically
from sparsegp.tables.encoding.cell_parsing import category_name

__all__ = ["check_report_library", "report", "write_page"]

Values = npt.NDArray[Any]


def report(
    model_path: Path, table: Path, out: Path, *, target: str | None, as_json: bool = False
) -> None:
    """Evaluate a model on the rows of a table and write the report."""
    check_output_files({"--out": out}, {"MODEL": model_path, "TABLE": table})
    check_report_library()
    model, about = load(model_path), info(model_path)
    encoding = encoding_of(model)
    notes = about["notes"] if isinstance(about["notes"], dict) else {}
    if not about["variance"]:
        raise BadInputError("the model has no standard deviations: save it with variance=True")
    rows = read_table(path=table)
    name = _target_name(target, notes)
    check_column(rows, name, "--target")
    for needed in encoding.names:
        check_column(rows, needed, "the model")
    found, y = _targets(rows[name], name, model)
    X = rows[encoding.names].iloc[found.rows].reset_index(drop=True)
    X = X if model.encoding_ is not None else as_numbers(X)
    targets = np.array([category_name(value) for value in y]) if is_classifier(model) else y
    split = recover_split(
        notes.get("split"), encoding.encode(X), targets, classes=is_classifier(model)
    )
    evaluated, y_training, description = np.arange(len(y)), None, f"rows of {table.name}"
    if split is not None:
        y_training = y[split[0]]
        if len(split[1]):
            evaluated, description = split[1], f"held-out rows of {table.name}"
    if len(evaluated) > MAX_REPORT_ROWS:
        some = np.random.default_rng(0).choice(evaluated, MAX_REPORT_ROWS, replace=False)
        description += f" (a random sample of {len(evaluated):,})"
        evaluated = np.sort(some)
    write_page(
        out,
        model,
        X.iloc[evaluated],
        y[evaluated],
        title=f"{name} in {table.name}",
        target=name,
        rows=description,
        unseen=split is not None and len(split[1]) > 0,
        model_file=model_path.name,
        y_training=y_training,
    )
    if as_json:
        print(json.dumps({"rows": len(evaluated), "held_out": split is not None, "out": str(out)}))
    else:
        for note in found.notes:
            print_line(f"note: {note}")
        print_line(f"report on {len(evaluated):,} {description}: {out}")


def check_report_library() -> None:
    """Refuse, before any work is done, a report that lacks a library."""
    _report_module()


def write_page(
    out: Path,
    model: Any,
    X: Any,
    y: Values,
    *,
    title: str,
    target: str,
    rows: str,
    unseen: bool,
    model_file: str | None,
    y_training: Values | None,
) -> None:
    """Write the report, completely or not at all."""
    module = _report_module()
    about = module.About(
        title=title,
        target=target,
        rows=rows,
        unseen=unseen,
        model_file=model_file,
    )
    try:
        page = module.report_page(model, X, y, about=about, y_training=y_training)
    except (TypeError, ValueError) as error:
        raise BadInputError(f"the report cannot be written: {one_line(error)}") from error
    write_atomically(out, page.encode("utf-8", "replace"))


def _target_name(given: str | None, notes: dict[str, Any]) -> str:
    name = given if given is not None else notes.get("target")
    if not isinstance(name, str):
        raise BadInputError("the model file does not name its target: give --target")
    return name


def _targets(cells: Any, name: str, model: Any) -> tuple[Target, Values]:
    """Return the target, and its values with the labels of the model."""
    if not is_classifier(model):
        found = read_target(cells, name, REGRESSION)
        return found, found.values
    known = {category_name(label): label for label in model.classes_}
    found = read_target(cells, name, CLASSIFICATION)
    labels = found.values
    unknown = sorted(set(labels.tolist()) - set(known))
    if unknown:
        raise BadInputError(
            f"target {name!r} has the label {unknown[0]!r}, which the model does not know: leave "
            "such rows out"
        )
    return found, np.array([known[label] for label in labels], dtype=model.classes_.dtype)


def _report_module() -> Any:
    try:
        return import_module("sparsegp.report")
    except ModuleNotFoundError as error:
        raise BadInputError(
            f"the report needs {error.name}: pip install 'sparsegp[report]'"
        ) from error
