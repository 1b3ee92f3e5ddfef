"""A figure on paper: the only file that imports matplotlib."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from sparsegp.plot.regression import plot_calibration, plot_path, plot_predictions

__all__ = ["save_regression_figure"]

Floats = npt.NDArray[np.float64]


def save_regression_figure(
    file: Path, y: Floats, mean: Floats, std: Floats, path: Floats, title: str
) -> None:
    """Save predictions, calibration and the selection path side by side as one picture."""
    figure = Figure(figsize=(13, 4.2), layout="constrained")
    axes = figure.subplots(1, 3)
    plot_predictions(y, mean, std, ax=axes[0])
    plot_calibration(y, mean, std, ax=axes[1])
    plot_path(path, ax=axes[2])
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
    figure.suptitle(title)
    figure.savefig(file, dpi=110)
