"""``sparsegp predict``: predictions block by block, for tables larger than memory."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from sparsegp.cli.display import print_line
from sparsegp.cli.errors import BadInputError
from sparsegp.cli.peak_memory import peak_memory
from sparsegp.cli.policy import INTERVAL_LEVEL, ROWS_PER_BLOCK
from sparsegp.cli.prediction_columns import is_classifier, prediction_columns
from sparsegp.cli.tables.encoding import TableEncoding
from sparsegp.cli.tables.read import column_names, read_blocks
from sparsegp.cli.tables.write import check_output, open_table_writer
from sparsegp.files import info, load

__all__ = ["encoding_from_info", "predict"]


def predict(
    model_path: Path,
    table: Path,
    out: Path,
    *,
    level: float = INTERVAL_LEVEL,
    copied: Sequence[str] = (),
    as_json: bool = False,
) -> None:
    """Write a table of predictions in the order of the rows, after the ``copied`` columns."""
    if not 0.0 < level < 1.0:
        raise BadInputError(f"--level must lie between 0 and 1, got {level:g}")
    check_output(out)
    model, about = load(model_path), info(model_path)
    encoding = encoding_from_info(about)
    needed = [*encoding.names, *(name for name in copied if name not in encoding.names)]
    _check_copied(model, column_names(table), copied)
    n_rows = 0
    with open_table_writer(out) as writer:
        for block in read_blocks(table, needed, ROWS_PER_BLOCK):
            X = encoding.encode(block)
            inputs = X if about["feature_names"] is not None else X.to_numpy()
            columns = prediction_columns(
                model, inputs, level=level, variance=bool(about["variance"])
            )
            writer.write(pd.concat([_copied(block, copied), pd.DataFrame(columns)], axis=1))
            n_rows += len(block)
        if not n_rows:
            raise BadInputError(f"{table} has no rows: give a table with rows to predict")
    if as_json:
        print(json.dumps({"rows": n_rows, "out": str(out), "peak_memory_bytes": peak_memory()}))
    else:
        print_line(f"{n_rows:,} rows predicted: {out}")


def encoding_from_info(about: dict[str, Any]) -> TableEncoding:
    """Return the encoding of tables for a model, from the description in its file."""
    notes = about["notes"]
    if isinstance(notes, dict) and "table" in notes:
        return TableEncoding.from_json(notes["table"])
    if about["feature_names"] is None:
        raise BadInputError(
            "the model was fitted on an array without column names: predict with it in Python, or "
            "fit it with 'sparsegp fit'"
        )
    return TableEncoding.of_numbers(about["feature_names"])


def _copied(block: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return the columns to copy; strings keep their type even if all are missing."""
    columns = block[list(names)]
    return columns.astype({name: "string" for name in names if columns[name].dtype == object})


def _check_copied(model: Any, available: Sequence[str], copied: Sequence[str]) -> None:
    """Refuse to copy columns that do not exist or have the name of a prediction."""
    predicted = ["class"] if is_classifier(model) else ["mean", "std", "lower", "upper"]
    for name in copied:
        if name not in available:
            raise BadInputError(f"there is no column {name!r} for --with: check its name")
        if name in predicted:
            raise BadInputError(f"--with {name}: a prediction has the same name, rename the column")
