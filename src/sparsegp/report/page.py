"""The page: the order of its sections, and the template that renders them.

The only file that imports jinja2, which escapes all text; only figures are inserted as markup.
"""

import re
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined

import sparsegp
from sparsegp.plot.labels import printable
from sparsegp.report.basis import basis_section
from sparsegp.report.basis_size import basis_size_section
from sparsegp.report.calibration import calibration_section
from sparsegp.report.effects import effects_section
from sparsegp.report.evaluation import evaluate
from sparsegp.report.input_relevance import input_relevance_section, length_scales_section
from sparsegp.report.inputs import inputs_of, shares_of_columns
from sparsegp.report.loading import loading_section
from sparsegp.report.metadata import About
from sparsegp.report.model_selection import model_selection_section
from sparsegp.report.neighbours import neighbours_section
from sparsegp.report.prediction_errors import prediction_errors_section
from sparsegp.report.predictions import example_rows_section, predictions_section
from sparsegp.report.preprocessing import preprocessing_section
from sparsegp.report.relevance import variance_shares
from sparsegp.report.report_data import make_report_data
from sparsegp.report.summary import cut_short_note, scores_table, summary_sentence
from sparsegp.report.timings import timings_section

__all__ = ["report_page"]


def report_page(
    model: Any, X: Any, y: Any, *, about: About | None = None, y_training: Any = None
) -> str:
    """Return a report about a fitted model as one self-contained HTML page.

    Parameters
    ----------
    model : fitted SparseGPRegressor (with one output) or SparseGPClassifier
        Just fitted or loaded from a file; the page says what a file does not contain.
    X : array-like (n_samples, n_features)
        Rows to evaluate the model on; they should not be training rows.
    y : array-like (n_samples,)
        Their targets.
    about : About, default=None
        Title, names and other metadata to print.
    y_training : array-like, default=None
        The training targets, to show those of the basis vectors.

    Returns
    -------
    str

    Examples
    --------
    >>> import numpy as np
    >>> from sparsegp import SparseGPRegressor
    >>> from sparsegp.report import report_page
    >>> X = np.random.default_rng(0).uniform(-3, 3, (120, 1))
    >>> y = np.sin(X[:, 0])
    >>> model = SparseGPRegressor(max_basis=10, random_state=0).fit(X[:80], y[:80])
    >>> report_page(model, X[80:], y[80:])[:15]
    '<!DOCTYPE html>'
    """
    data = make_report_data(model, X, y, about or About(), y_training)
    evaluation = evaluate(data.model, data.table, data.y)
    inputs = inputs_of(data)
    shares = variance_shares(data, inputs)
    of_columns = shares_of_columns(inputs, shares)
    sections = [
        predictions_section(data, evaluation),
        example_rows_section(data, evaluation, of_columns),
        input_relevance_section(inputs, shares),
        effects_section(data, inputs, shares),
        calibration_section(data, evaluation),
        prediction_errors_section(data, evaluation, of_columns),
        neighbours_section(data, evaluation),
        basis_size_section(data, evaluation),
        loading_section(data),
    ]
    details = [
        timings_section(data),
        preprocessing_section(data),
        model_selection_section(data),
        length_scales_section(data, of_columns),
        basis_section(data),
    ]
    warnings = ["" if data.about.unseen else _MAYBE_TRAINING_ROWS, cut_short_note(data)]
    script = _resource("page.js")
    return _template().render(
        title=printable(data.about.title),
        summary=summary_sentence(data, evaluation),
        warnings=[warning for warning in warnings if warning],
        scores=scores_table(data, evaluation),
        sections=[section for section in sections if section is not None],
        details=[section for section in details if section is not None],
        css=_resource("page.css"),
        script=script,
        script_hash=_hash_of(script),
        version=sparsegp.__version__,
    )


_MAYBE_TRAINING_ROWS = (
    "The model may have been trained on some of these rows. If so, this page is too optimistic: "
    "use rows that were not part of the fit."
)


def _template() -> Any:
    environment = Environment(
        loader=DictLoader({"page": _resource("page.html")}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["unbroken"] = _unbroken
    return environment.get_template("page")


def _unbroken(text: str) -> str:
    """Return a text whose numbers stay on one line with their percent signs.

    >>> _unbroken("95 % of the rows") == "95\u00a0% of the rows"
    True
    """
    return re.sub(r"(\d) %", "\\1\u00a0%", text)


def _hash_of(script: str) -> str:
    """Return what allows this script, and no other, in a content security policy."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return f"sha256-{digest}"


def _resource(name: str) -> str:
    return files("sparsegp.report").joinpath(name).read_text(encoding="utf-8")
