"""``sparsegp report``: a page about a model, from its file and a table with its target."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.cli.display import say
from sparsegp.cli.errors import BadInputError, one_line
from sparsegp.cli.info import described_columns
from sparsegp.cli.predict import columns_of
from sparsegp.cli.predictions import is_classifier
from sparsegp.cli.seen_rows import split_again
from sparsegp.cli.tables.cells import CATEGORY, DATE, as_text
from sparsegp.cli.tables.columns import FLAG, Columns
from sparsegp.cli.tables.decide import check_column
from sparsegp.cli.tables.read import read_table
from sparsegp.cli.tables.target import CLASSIFICATION, REGRESSION, read_target
from sparsegp.cli.tables.write import check_output
from sparsegp.files import info, load
from sparsegp.files.atomic import write_atomically

__all__ = ["check_report", "report", "write_page"]

Values = npt.NDArray[Any]

#: A page says the same of more rows than these.
MOST_ROWS = 20_000


def report(
    model_path: Path, table: Path, out: Path, *, target: str | None, as_json: bool = False
) -> None:
    """Judge a model by the rows of a table and write a page about it."""
    check_report(out)
    model, about = load(model_path), info(model_path)
    columns, notes = columns_of(about), about["notes"] if isinstance(about["notes"], dict) else {}
    if not about["variance"]:
        raise BadInputError("the model has no error bars: save it with variance=True")
    rows = read_table(path=table)
    name = _target_name(target, notes)
    check_column(rows, name, "--target")
    for needed in columns.names:
        check_column(rows, needed, "the model")
    y = _targets(rows[name], name, model)
    X = columns.apply(rows)
    texts = np.array([as_text(value) for value in y]) if is_classifier(model) else y
    split = split_again(notes.get("split"), X, texts, classes=is_classifier(model))
    judged, y_training, described = np.arange(len(y)), None, f"rows of {table.name}"
    if split is not None:
        y_training = y[split[0]]
        if len(split[1]):
            judged, described = split[1], f"rows held out of {table.name}"
    if len(judged) > MOST_ROWS:
        some = np.random.default_rng(0).choice(judged, MOST_ROWS, replace=False)
        judged, described = np.sort(some), f"{described} (drawn at random of {len(judged):,})"
    named = about["feature_names"] is not None
    write_page(
        out,
        model,
        X.iloc[judged] if named else X.iloc[judged].to_numpy(),
        y[judged],
        columns,
        title=f"{name} in {table.name}",
        target=name,
        rows=described,
        unseen=split is not None and len(split[1]) > 0,
        model_file=model_path.name,
        y_training=y_training,
    )
    if as_json:
        print(json.dumps({"rows": len(judged), "held_out": split is not None, "out": str(out)}))
    else:
        say(f"report on {len(judged):,} {described}: {out}")


def check_report(out: Path) -> None:
    """Refuse, before any work is done, what cannot be written, or not without a package."""
    check_output(out)
    _maker()


def write_page(
    out: Path,
    model: Any,
    X: Any,
    y: Values,
    columns: Columns,
    *,
    title: str,
    target: str,
    rows: str,
    unseen: bool,
    model_file: str | None,
    y_training: Values | None,
) -> None:
    """Write the page, as a whole or not at all."""
    maker = _maker()
    about = maker.About(
        title=title,
        target=target,
        rows=rows,
        unseen=unseen,
        levels={c.feature: _levels(c) for c in columns.columns if c.coded},
        dates=[c.feature for c in columns.columns if c.kind == DATE],
        columns=described_columns(columns),
        left_out=columns.left_out,
        notes=columns.notes,
        model_file=model_file,
    )
    try:
        page = maker.report_page(model, X, y, about=about, y_training=y_training)
    except (TypeError, ValueError) as error:
        raise BadInputError(f"there can be no report: {one_line(error)}") from error
    write_atomically(out, page.encode("utf-8", "replace"))


def _levels(column: Any) -> dict[int, str]:
    """Return the names of the codes of a category."""
    if column.kind == FLAG:
        return {0: "there", 1: "missing"}
    assert column.kind == CATEGORY
    return {0: "missing"} | dict(enumerate(column.levels, 1))


def _target_name(given: str | None, notes: dict[str, Any]) -> str:
    name = given if given is not None else notes.get("target")
    if not isinstance(name, str):
        raise BadInputError("the model file does not name its target: give --target")
    return name


def _targets(cells: Any, name: str, model: Any) -> Values:
    """Return the target as the model knows it."""
    if not is_classifier(model):
        return read_target(cells, name, REGRESSION).values
    known = {as_text(label): label for label in model.classes_}
    texts = read_target(cells, name, CLASSIFICATION).values
    strange = sorted(set(texts.tolist()) - set(known))
    if strange:
        raise BadInputError(
            f"target {name!r} has the label {strange[0]!r}, which the model does not know: leave "
            "such rows out"
        )
    return np.array([known[text] for text in texts], dtype=model.classes_.dtype)


def _maker() -> Any:
    try:
        return import_module("sparsegp.report")
    except ModuleNotFoundError as error:
        raise BadInputError(
            f"the report needs {error.name}: pip install 'sparsegp[report]'"
        ) from error
