"""``sparsegp predict``: a block of rows at a time, of tables larger than memory."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from sparsegp.cli.display import say
from sparsegp.cli.errors import BadInputError
from sparsegp.cli.memory import peak_memory
from sparsegp.cli.predictions import is_classifier, predicted
from sparsegp.cli.tables.columns import Columns
from sparsegp.cli.tables.read import column_names, read_blocks
from sparsegp.cli.tables.write import check_output, written_table
from sparsegp.files import info, load

__all__ = ["columns_of", "predict"]

#: Rows at a time: enough to keep the processor busy, few enough for any memory.
BLOCK = 20_000


def predict(
    model_path: Path,
    table: Path,
    out: Path,
    *,
    level: float = 0.95,
    carried: Sequence[str] = (),
    as_json: bool = False,
) -> None:
    """Write a table of predictions with the rows in their order, after ``carried`` columns."""
    if not 0.0 < level < 1.0:
        raise BadInputError(f"--level must lie between 0 and 1, got {level:g}")
    check_output(out)
    model, about = load(model_path), info(model_path)
    columns = columns_of(about)
    needed = [*columns.names, *(name for name in carried if name not in columns.names)]
    _check_names(model, column_names(table), carried)
    n_rows = 0
    with written_table(out) as writer:
        for block in read_blocks(table, needed, BLOCK):
            X = columns.apply(block)
            inputs = X if about["feature_names"] is not None else X.to_numpy()
            found = predicted(model, inputs, level=level, variance=bool(about["variance"]))
            writer.write(pd.concat([_carried(block, carried), pd.DataFrame(found)], axis=1))
            n_rows += len(block)
        if not n_rows:
            raise BadInputError(f"{table} has no rows: give a table with rows to predict")
    if as_json:
        print(json.dumps({"rows": n_rows, "out": str(out), "peak_memory_bytes": peak_memory()}))
    else:
        say(f"{n_rows:,} rows predicted: {out}")


def columns_of(about: dict[str, Any]) -> Columns:
    """Return how tables are read for a model, by what its file says."""
    notes = about["notes"]
    if isinstance(notes, dict) and "table" in notes:
        return Columns.from_json(notes["table"])
    if about["feature_names"] is None:
        raise BadInputError(
            "the model was fitted on an array without column names: predict with it in Python, or "
            "make it with 'sparsegp fit'"
        )
    return Columns.of_numbers(about["feature_names"])


def _carried(block: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return the columns to carry over; texts are texts also in a block where all are missing."""
    found = block[list(names)]
    return found.astype({name: "string" for name in names if found[name].dtype == object})


def _check_names(model: Any, there: Sequence[str], carried: Sequence[str]) -> None:
    """Refuse to carry what is not there, or what would hide a prediction."""
    made = ["class"] if is_classifier(model) else ["mean", "std", "lower", "upper"]
    for name in carried:
        if name not in there:
            raise BadInputError(f"there is no column {name!r} for --with: check its name")
        if name in made:
            raise BadInputError(f"--with {name} would have the name of a prediction: rename it")
