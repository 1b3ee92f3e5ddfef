"""An HTML report about one fitted model: accuracy, calibration, inputs and how it was fitted.

``report_page`` returns the page as a string. ``relevance`` and ``length_scales`` return the numbers
that ``sparsegp.plot.plot_relevance`` draws.
"""

from sparsegp.report.metadata import About
from sparsegp.report.page import report_page
from sparsegp.report.relevance import length_scales, relevance

__all__ = ["About", "length_scales", "relevance", "report_page"]
