"""Figures of fitted models.

Each function takes a model and, where needed, rows and targets (or arrays that were computed from
them), draws on the matplotlib ``Axes`` given by ``ax`` or on those of a new figure, and returns
them.
"""

from sparsegp.plot.calibration import plot_calibration, plot_coverage, plot_pit
from sparsegp.plot.effects import plot_effect
from sparsegp.plot.intervals import plot_intervals
from sparsegp.plot.predictions import plot_predictions, plot_residuals
from sparsegp.plot.relevance import plot_relevance
from sparsegp.plot.reliability import plot_reliability
from sparsegp.plot.selection_path import plot_path

__all__ = [
    "plot_calibration",
    "plot_coverage",
    "plot_effect",
    "plot_intervals",
    "plot_path",
    "plot_pit",
    "plot_predictions",
    "plot_relevance",
    "plot_reliability",
    "plot_residuals",
]
