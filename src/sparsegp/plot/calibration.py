"""Calibration of predictive distributions.

For a calibrated model the probability integral transform (PIT), the predicted probability of a
target up to the observed one, is uniformly distributed between 0 and 1.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from sparsegp.metrics import pit as pit_of
from sparsegp.plot.colours import ACCENT, FAINT, INK, SOFT

__all__ = ["plot_calibration", "plot_coverage", "plot_pit"]

Floats = npt.NDArray[np.float64]


def plot_calibration(y: Floats, mean: Floats, std: Floats, *, ax: Any) -> Any:
    """Draw the coverage of central intervals of N(mean, std²) against their nominal level.

    Parameters
    ----------
    y, mean, std : ndarray (n,)
    ax : matplotlib axes

    Returns
    -------
    ax
    """
    return plot_coverage(pit_of(y, mean, std), ax=ax)


def plot_coverage(pit: Floats, *, ax: Any) -> Any:
    """Draw the fraction of targets inside central intervals against the nominal level.

    Parameters
    ----------
    pit : ndarray (n,)
        Probability integral transform of the targets, ``model.cdf(X, y)``.
    ax : matplotlib axes

    Returns
    -------
    ax
    """
    levels = np.linspace(0.02, 0.99, 50)
    observed = [np.mean(np.abs(2.0 * pit - 1.0) <= level) for level in levels]
    ax.plot([0, 1], [0, 1], color=FAINT, lw=1)
    ax.plot(levels, observed, color=ACCENT, lw=2)
    ax.set(xlabel="nominal coverage", ylabel="observed coverage", title="Coverage of intervals")
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    return ax


def plot_pit(pit: Floats, *, ax: Any, n_bins: int = 20) -> Any:
    """Draw the histogram of the PIT.

    It is flat if the model is calibrated, has a hump if the predictive distributions are too wide
    and a U shape if they are too narrow. The band contains 95 % of the bars of a calibrated model.

    Parameters
    ----------
    pit : ndarray (n,)
    ax : matplotlib axes
    n_bins : int

    Returns
    -------
    ax
    """
    counts, edges = np.histogram(pit, n_bins, range=(0.0, 1.0))
    expected = len(pit) / n_bins
    low, high = (binom.ppf(tail, len(pit), 1.0 / n_bins) for tail in (0.025, 0.975))
    ax.axhspan(low / expected, high / expected, color=SOFT, alpha=0.5, lw=0, zorder=0)
    ax.bar(edges[:-1], counts / expected, 1.0 / n_bins, align="edge", color=INK, alpha=0.8)
    ax.axhline(1.0, color=FAINT, lw=1)
    ax.set(xlabel="PIT", ylabel="relative frequency", title="PIT histogram", xlim=(0, 1))
    return ax
