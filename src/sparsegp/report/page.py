"""The whole page: the sections in their order, and the template that shows them.

The only file that imports jinja2, which escapes every text; figures alone are markup.
"""

from importlib.resources import files
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined

import sparsegp
from sparsegp.plot.names import readable
from sparsegp.report.about import About
from sparsegp.report.basis import basis_section
from sparsegp.report.calibration import calibration_section
from sparsegp.report.choices import choices_section
from sparsegp.report.effects import effects_section
from sparsegp.report.errors import errors_section
from sparsegp.report.inputs import inputs_section
from sparsegp.report.judged import judge
from sparsegp.report.means import columns_section, loading_section, timings_section
from sparsegp.report.size import size_section
from sparsegp.report.subject import make_subject
from sparsegp.report.verdict import scores_table, verdict

__all__ = ["report_page"]


def report_page(
    model: Any, X: Any, y: Any, *, about: About | None = None, y_training: Any = None
) -> str:
    """Return a page about a fitted model: HTML that needs nothing else.

    Parameters
    ----------
    model : fitted SparseGPRegressor (of one output) or SparseGPClassifier
        Fresh from a fit or loaded from a file; the page says what a file does not hold.
    X : array-like (n_samples, n_features)
        Rows to judge the model by, which it should not have seen.
    y : array-like (n_samples,)
        Their targets.
    about : About, default=None
        What else the page should say.
    y_training : array-like, default=None
        Targets that the model was fitted on, to show those of the basis vectors.

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
    subject = make_subject(model, X, y, about or About(), y_training)
    judged = judge(model, subject.table, subject.y)
    sections = [
        size_section(subject, judged),
        calibration_section(subject, judged),
        errors_section(subject, judged),
        inputs_section(subject),
        effects_section(subject),
        basis_section(subject),
        timings_section(subject),
        columns_section(subject),
        choices_section(subject),
        loading_section(subject),
    ]
    return _template().render(
        title=readable(subject.about.title),
        verdict=verdict(subject, judged),
        doubt="" if subject.about.unseen else _DOUBT,
        scores=scores_table(subject, judged),
        sections=[section for section in sections if section is not None],
        css=_part("page.css"),
        version=sparsegp.__version__,
    )


_DOUBT = (
    "The model may have learned from some of these rows. If so, all that follows is too good: give "
    "rows that were no part of the fit."
)


def _template() -> Any:
    environment = Environment(
        loader=DictLoader({"page": _part("page.html")}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page")


def _part(name: str) -> str:
    return files("sparsegp.report").joinpath(name).read_text(encoding="utf-8")
