"""How to load the model and predict with it."""

from sparsegp.report.report_data import ReportData
from sparsegp.report.sections import Section

__all__ = ["loading_section"]

TITLE = "How to load the model"


def loading_section(data: ReportData) -> Section:
    """Show the code and the command that predict new rows."""
    file, classes = data.about.model_file, data.is_classification
    if file is None:
        return Section(
            TITLE,
            ["The model was not saved. In Python, model.save(path) writes it to a file. Then:"],
            code=[_python_code("model.safetensors", classes=classes)],
        )
    command = f"sparsegp predict {_shell_quoted(file)} new.csv --out predictions.csv"
    return Section(
        TITLE,
        ["In Python, or from the command line for a table of new rows:"],
        code=[_python_code(file, classes=classes), command],
    )


def _python_code(file: str, *, classes: bool) -> str:
    use = "model.predict_proba(X)" if classes else "mean, std = model.predict(X, return_std=True)"
    return f"from sparsegp import load\n\nmodel = load({file!r})\n{use}"


def _shell_quoted(file: str) -> str:
    plain = all(c.isalnum() or c in "._-/" for c in file)
    return file if plain else "'" + file.replace("'", "'\\''") + "'"
