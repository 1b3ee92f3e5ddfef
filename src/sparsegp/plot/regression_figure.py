"""Predictions, their calibration and the selection of the basis in one image."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.plot.calibration import plot_calibration
from sparsegp.plot.figure import axes_side_by_side
from sparsegp.plot.predictions import plot_predictions
from sparsegp.plot.selection_path import plot_path

__all__ = ["save_regression_figure"]

Floats = npt.NDArray[np.float64]


def save_regression_figure(file: Path, y: Floats, predicted: Any, path: Floats, title: str) -> None:
    """Save predictions, calibration and the selection path side by side in one image.

    ``predicted`` is a predictive distribution.
    """
    axes = axes_side_by_side(3, width=13, height=4.2)
    plot_predictions(y, predicted.mean, interval=predicted.interval(), ax=axes[0])
    plot_calibration(predicted, y, ax=axes[1])
    plot_path(path, ax=axes[2])
    figure = axes[0].figure
    figure.suptitle(title)
    figure.savefig(file, dpi=110)
