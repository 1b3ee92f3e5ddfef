"""By what means: what was done to the columns, how long it took, how to use the model."""

from typing import Any

from sparsegp.plot.names import readable
from sparsegp.report.shown import Section, Table, number
from sparsegp.report.subject import Subject

__all__ = ["columns_section", "loading_section", "timings_section"]

TOLD_ELSEWHERE = ("phase", "seconds")


def columns_section(subject: Subject) -> Section:
    """Say what became of the columns and of the target."""
    about, model = subject.about, subject.model
    became = getattr(model, "transform_X_", None)
    if became is None:
        became = dict.fromkeys(subject.names, model.transform_X)
    kinds = zip(subject.names, became.values(), strict=True)  # in the order of the inputs
    scaled = [(readable(name), str(kind)) for name, kind in kinds]
    tables = [Table(("input", "transform"), scaled[:20], scaled[20:])]
    if about.columns:
        rows = [tuple(map(readable, row)) for row in about.columns]
        tables.insert(
            0, Table(("column", "taken as", "if missing", "levels"), rows[:20], rows[20:])
        )
    if about.left_out:
        left = [(readable(name), readable(why)) for name, why in about.left_out.items()]
        tables.append(Table(("left out", "why"), left))
    told = [readable(note) for note in about.notes]
    if hasattr(model, "transform_y_"):
        told.append(f"The target was transformed: {model.transform_y_}.")
    return Section("What was done to the columns", told, tables=tables)


def timings_section(subject: Subject) -> Section:
    """List the phases of the fit."""
    history = getattr(subject.model, "history_", [])
    rows = [
        (
            readable(str(entry.get("phase", ""))),
            f"{entry.get('seconds', 0.0):.2f}",
            ", ".join(
                f"{name.replace('_', ' ')} {_fact(fact)}"
                for name, fact in entry.items()
                if name not in TOLD_ELSEWHERE
            ),
        )
        for entry in history
    ]
    total = sum(entry.get("seconds", 0.0) for entry in history)
    told = f"The fit took {total:.1f} seconds."
    return Section("Timings", [told], tables=[Table(("phase", "seconds", "outcome"), rows)])


def loading_section(subject: Subject) -> Section:
    """Say how to use the model again."""
    file = subject.about.model_file
    if file is None:
        return Section(
            "How to load the model",
            ["The model was not saved. In Python, model.save(path) writes one file; then:"],
            code=[_python("model.safetensors", classes=subject.classifies)],
        )
    command = f"sparsegp predict {_quoted(file)} new.csv --out predictions.csv"
    return Section(
        "How to load the model",
        ["In Python, and for a table of new rows from the command line:"],
        code=[_python(file, classes=subject.classifies), command],
    )


def _python(file: str, *, classes: bool) -> str:
    use = "model.predict_proba(X)" if classes else "mean, std = model.predict(X, return_std=True)"
    return f"from sparsegp import load\n\nmodel = load({file!r})\n{use}"


def _quoted(file: str) -> str:
    """Return a path as a shell takes it."""
    plain = all(c.isalnum() or c in "._-/" for c in file)
    return file if plain else "'" + file.replace("'", "'\\''") + "'"


def _fact(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return number(value)
    text = readable(str(value))
    return text if len(text) <= 80 else text[:79] + "…"
