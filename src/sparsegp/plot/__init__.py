"""Figures of fitted models: each function draws on a matplotlib axes and returns it."""

from sparsegp.plot.regression import plot_calibration, plot_path, plot_predictions

__all__ = ["plot_calibration", "plot_path", "plot_predictions"]
