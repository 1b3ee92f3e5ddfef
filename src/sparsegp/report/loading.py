"""How to load the model and predict with it."""

import re
from typing import Any

import numpy as np

from sparsegp.plot.labels import printable
from sparsegp.report.policy import CODE_WIDTH
from sparsegp.report.report_data import ReportData
from sparsegp.report.sections import Section

__all__ = ["loading_section"]

TITLE = "Use the model"


def loading_section(data: ReportData) -> Section:
    """Show the code and the command that predict new rows."""
    file = data.about.model_file
    if file is None:
        sentence = (
            "The model has not been saved yet. Run this in the session where it was fitted: it "
            "saves the model, loads it again and predicts one of these rows."
        )
        code = _python_code(data, "model.safetensors", saved=False)
        return Section(TITLE, [sentence], code=[code])
    command = f"sparsegp predict {_shell_quoted(file)} new.csv --out predictions.csv"
    paragraph = (
        "In Python, with one of these rows as an example; or from the command line, for a table of "
        "new rows in new.csv:"
    )
    return Section(TITLE, [paragraph], code=[_python_code(data, file), command])


def _python_code(data: ReportData, file: str, *, saved: bool = True) -> str:
    """Return code that runs as it is printed, in the folder of the model file."""
    saving = "" if saved else f"model.save({file!r})\n"
    names = getattr(data.given, "columns", None)
    if names is None:
        needs, row = "", f"X = [{_literal_row(data.X[0])}]"
    else:
        cells = data.given.iloc[0]
        needs = "import pandas as pd\n"
        needed = [name for name in names if str(name) not in data.about.left_out]
        pairs = [f"{_name(name)}: [{_literal(cells[name])}]," for name in needed]
        row = f"X = pd.DataFrame({{\n{_wrapped(pairs)}\n}})"
    if data.is_classification:
        use = "print(model.predict(X), model.predict_proba(X))"
    else:
        use = (
            "mean, std = model.predict(X, return_std=True)\n"
            "lower, upper = model.predict_interval(X, level=0.95)\n"
            "print(mean, std, lower, upper)"
        )
    return f"{needs}from sparsegp import load\n\n{saving}model = load({file!r})\n{row}\n{use}"


def _wrapped(pairs: list[str]) -> str:
    """Return the columns of a row on as few lines as fit."""
    lines = [""]
    for pair in pairs:
        if lines[-1] and len(lines[-1]) + len(pair) + 1 > CODE_WIDTH:
            lines.append("")
        lines[-1] = f"{lines[-1]} {pair}" if lines[-1] else f"    {pair}"
    return "\n".join(lines)


def _literal_row(row: Any) -> str:
    return f"[{', '.join(map(_literal, row))}]"


def _name(name: Any) -> str:
    """Return a column name as Python writes it; ASCII where a reader would not see all of it."""
    plain = isinstance(name, str) and name.isprintable() and printable(name) == name
    return repr(name) if plain or not isinstance(name, str) else ascii(name)


def _literal(value: Any) -> str:
    """Return a cell of a table as Python writes it.

    >>> _literal(np.float64(0.5)), _literal(np.int64(3)), _literal("a"), _literal(float("nan"))
    ('0.5', '3', "'a'", 'float("nan")')
    """
    if value is None or str(value) in ("NaT", "<NA>"):
        return "None"
    if str(value) == "nan":
        return 'float("nan")'
    if isinstance(value, np.datetime64) or hasattr(value, "isoformat"):
        return repr(str(value))
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, str):  # cells of a text file
        value = _typed(value)
    if isinstance(value, float):
        value = float(f"{value:.7g}")
        return repr(int(value)) + ".0" if value == int(value) and abs(value) < 1e15 else repr(value)
    return repr(value) if isinstance(value, bool | int) else _name(str(value))


def _typed(cell: str) -> Any:
    """Return a cell of a text file as a number or a boolean if it is written like one.

    >>> _typed("0.50"), _typed("12"), _typed("007"), _typed("False"), _typed("a")
    (0.5, 12, '007', False, 'a')
    """
    if cell in ("True", "False"):
        return cell == "True"
    if re.fullmatch(r"-?(0|[1-9]\d{0,14})", cell):
        return int(cell)
    return float(cell) if re.fullmatch(r"-?(0|[1-9]\d*)\.\d+(e-?\d+)?", cell) else cell


def _shell_quoted(file: str) -> str:
    plain = all(c.isalnum() or c in "._-/" for c in file)
    return file if plain else "'" + file.replace("'", "'\\''") + "'"
