"""An HTML report about one fitted model: accuracy, calibration, inputs and how it was fitted.

``report_page`` returns the page as a string, ``write_report`` writes it to a file. ``relevance``
and ``length_scales`` return numbers that ``sparsegp.plot.plot_relevance`` can draw.
"""

from sparsegp.report.metadata import About
from sparsegp.report.page import report_page
from sparsegp.report.relevance import length_scales, relevance
from sparsegp.report.write import write_report

__all__ = ["About", "length_scales", "relevance", "report_page", "write_report"]
