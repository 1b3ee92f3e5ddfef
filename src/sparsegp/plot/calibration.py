"""Calibration of predictive distributions.

For a calibrated model the probability integral transform (PIT), the predicted probability of a
target up to the observed one, is uniformly distributed between 0 and 1.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from sparsegp.metrics import pit as pit_of
from sparsegp.plot.axes import or_new_axes
from sparsegp.plot.colours import ACCENT, FAINT, INK, SOFT

__all__ = ["plot_calibration", "plot_coverage", "plot_pit"]

Floats = npt.NDArray[np.float64]


def plot_calibration(predicted: Any, *args: Any, ax: Any = None) -> Any:
    """Draw the coverage of central intervals against their nominal level.

    ``plot_calibration(model, X, y)`` or ``plot_calibration(distribution, y)``; the same as
    ``plot_coverage``.

    Parameters
    ----------
    predicted : fitted regressor or predictive distribution
    *args : X and y, or y
        As for ``sparsegp.metrics.pit``.
    ax : matplotlib axes, default=None
        None draws on a new figure.

    Returns
    -------
    ax
    """
    return plot_coverage(predicted, *args, ax=ax)


def plot_coverage(predicted: Any, *args: Any, ax: Any = None) -> Any:
    """Draw the fraction of targets inside central intervals against the nominal level.

    ``plot_coverage(model, X, y)``, ``plot_coverage(distribution, y)`` or ``plot_coverage(pit)``.

    Parameters
    ----------
    predicted : fitted regressor, predictive distribution or ndarray (n,)
        An array is the probability integral transform of the targets, ``model.cdf(X, y)``.
    *args : X and y, y, or nothing
    ax : matplotlib axes, default=None
        None draws on a new figure.

    Returns
    -------
    ax
    """
    pit, ax = _pit(predicted, args), or_new_axes(ax)
    levels = np.linspace(0.02, 0.99, 50)
    observed = [np.mean(np.abs(2.0 * pit - 1.0) <= level) for level in levels]
    ax.plot([0, 1], [0, 1], color=FAINT, lw=1)
    ax.plot(levels, observed, color=ACCENT, lw=2)
    ax.set(xlabel="level of the interval", ylabel="share of rows inside")
    ax.set(title="Coverage of intervals", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    return ax


def plot_pit(predicted: Any, *args: Any, ax: Any = None, n_bins: int = 20) -> Any:
    """Draw the histogram of the PIT.

    ``plot_pit(model, X, y)``, ``plot_pit(distribution, y)`` or ``plot_pit(pit)``. It is flat if the
    model is calibrated, has a hump if the predictive distributions are too wide and a U shape if
    they are too narrow. The band contains 95 % of the bars of a calibrated model.

    Parameters
    ----------
    predicted : fitted regressor, predictive distribution or ndarray (n,)
    *args : X and y, y, or nothing
    ax : matplotlib axes, default=None
        None draws on a new figure.
    n_bins : int

    Returns
    -------
    ax
    """
    pit, ax = _pit(predicted, args), or_new_axes(ax)
    counts, edges = np.histogram(pit, n_bins, range=(0.0, 1.0))
    expected = len(pit) / n_bins
    low, high = (binom.ppf(tail, len(pit), 1.0 / n_bins) for tail in (0.025, 0.975))
    ax.axhspan(low / expected, high / expected, color=SOFT, alpha=0.5, lw=0, zorder=0)
    ax.bar(edges[:-1], counts / expected, 1.0 / n_bins, align="edge", color=INK, alpha=0.8)
    ax.axhline(1.0, color=FAINT, lw=1)
    ax.set(xlabel="predicted probability of a smaller value", ylabel="relative number of rows")
    ax.set(title="PIT histogram", xlim=(0, 1))
    return ax


def _pit(predicted: Any, args: tuple[Any, ...]) -> Floats:
    """Return the PIT, given itself or what it is computed from: (n,)."""
    return pit_of(predicted, *args) if args else np.asarray(predicted, dtype=np.float64)
