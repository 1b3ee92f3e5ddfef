"""A fitted model on one page: how good, how honest, by what means.

``report_page`` returns the page as text. ``relevance`` and ``length_scales`` give the numbers
that ``sparsegp.plot.plot_relevance`` draws.
"""

from sparsegp.report.about import About
from sparsegp.report.page import report_page
from sparsegp.report.relevance import length_scales, relevance

__all__ = ["About", "length_scales", "relevance", "report_page"]
