"""Figures of fitted models: each function draws on a matplotlib ``Axes`` and returns it."""

from sparsegp.plot.calibration import plot_calibration, plot_coverage, plot_pit
from sparsegp.plot.effects import plot_effect
from sparsegp.plot.predictions import plot_predictions, plot_residuals
from sparsegp.plot.relevance import plot_relevance
from sparsegp.plot.reliability import plot_reliability
from sparsegp.plot.selection_path import plot_path

__all__ = [
    "plot_calibration",
    "plot_coverage",
    "plot_effect",
    "plot_path",
    "plot_pit",
    "plot_predictions",
    "plot_relevance",
    "plot_reliability",
    "plot_residuals",
]
