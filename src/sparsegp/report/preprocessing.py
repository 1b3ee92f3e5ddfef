"""How columns and target were encoded and transformed."""

from sparsegp.plot.labels import printable
from sparsegp.report.policy import MAX_OPEN_ROWS
from sparsegp.report.report_data import ReportData
from sparsegp.report.sections import Section, Table

__all__ = ["preprocessing_section"]


def preprocessing_section(data: ReportData) -> Section:
    """List encodings, transforms and the columns that were left out."""
    about, model = data.about, data.model
    transforms = getattr(model, "transform_X_", None)
    if transforms is None:
        transforms = dict.fromkeys(data.names, model.transform_X)
    # the keys may be positions; the order is that of the inputs
    pairs = zip(data.names, transforms.values(), strict=True)
    rows = [(printable(name), str(kind)) for name, kind in pairs]
    tables = [Table.folded(("input", "transform"), rows, MAX_OPEN_ROWS)]
    if about.columns:
        encodings = [tuple(map(printable, row)) for row in about.columns]
        head = ("column", "used as", "if missing", "categories")
        tables.insert(0, Table.folded(head, encodings, MAX_OPEN_ROWS))
    if about.left_out:
        left_out = [(printable(name), printable(why)) for name, why in about.left_out.items()]
        tables.append(Table(("column left out", "reason"), left_out))
    paragraphs = [printable(note) for note in about.notes]
    if hasattr(model, "transform_y_"):
        paragraphs.append(f"Transform of the target: {model.transform_y_}.")
    return Section("Preprocessing of the columns", paragraphs, tables=tables)
