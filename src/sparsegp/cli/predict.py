"""``sparsegp predict``: predictions block by block, for tables larger than memory."""

import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from sparsegp.cli.display import print_line
from sparsegp.cli.errors import BadInputError, one_line
from sparsegp.cli.output_files import check_output_files
from sparsegp.cli.peak_memory import peak_memory
from sparsegp.cli.policy import INTERVAL_LEVEL, ROWS_PER_BLOCK
from sparsegp.cli.prediction_columns import is_classifier, prediction_columns
from sparsegp.cli.tables.columns import as_numbers, encoding_of
from sparsegp.cli.tables.read import column_names, read_blocks
from sparsegp.cli.tables.unseen_levels import UnseenLevels
from sparsegp.cli.tables.write import open_table_writer
from sparsegp.exceptions import ColumnWarning
from sparsegp.files import info, load

__all__ = ["predict"]


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
    check_output_files({"--out": out}, {"MODEL": model_path, "TABLE": table})
    model, about = load(model_path), info(model_path)
    encoding = encoding_of(model)
    needed = [*encoding.names, *(name for name in copied if name not in encoding.names)]
    _check_copied(model, column_names(table), copied)
    n_rows, unseen = 0, UnseenLevels(encoding)
    with open_table_writer(out) as writer, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ColumnWarning)
        for block in read_blocks(table, needed, ROWS_PER_BLOCK):
            columns = _predicted(model, block[encoding.names], level, bool(about["variance"]))
            writer.write(pd.concat([_copied(block, copied), pd.DataFrame(columns)], axis=1))
            unseen.count(block)
            n_rows += len(block)
        if not n_rows:
            raise BadInputError(f"{table} has no rows: give a table with rows to predict")
    warned = dict.fromkeys(" ".join(str(one.message).split()) for one in caught)
    for line in (*warned, *unseen.describe()):
        print_line(f"warning: {line}")
    if as_json:
        result = {"rows": n_rows, "out": str(out), "unseen_levels": unseen.n_rows}
        print(json.dumps(result | {"peak_memory_bytes": peak_memory()}))
    else:
        print_line(f"{n_rows:,} rows predicted: {out}")


def _predicted(model: Any, X: pd.DataFrame, level: float, variance: bool) -> dict[str, Any]:
    """Return the columns of predictions; bad cells end in one line."""
    try:
        X = X if model.encoding_ is not None else as_numbers(X)
        return prediction_columns(model, X, level=level, variance=variance)
    except ValueError as error:
        raise BadInputError(one_line(error)) from error


def _copied(block: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return the columns to copy; strings keep their type even if all are missing."""
    columns = block[list(names)]
    return columns.astype({name: "string" for name in names if columns[name].dtype == object})


def _check_copied(model: Any, available: Sequence[str], copied: Sequence[str]) -> None:
    """Refuse to copy columns that do not exist or have the name of a prediction."""
    predicted = ["class"] if is_classifier(model) else ["mean", "std", "lower", "upper"]
    for i, name in enumerate(copied):
        if name in copied[:i]:
            raise BadInputError(f"--with {name} is given twice: give each column once")
        if name not in available:
            raise BadInputError(f"there is no column {name!r} for --with: check its name")
        if name in predicted:
            raise BadInputError(f"--with {name}: a prediction has the same name, rename the column")
