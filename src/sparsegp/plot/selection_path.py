"""The selection criterion along the path."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.plot.axes import is_model, or_new_axes
from sparsegp.plot.colours import ACCENT, FAINT, INK

__all__ = ["plot_path"]

Floats = npt.NDArray[np.float64]

#: A criterion that falls by more than this is drawn on a logarithmic axis, relative to its
#: minimum: the last decade of improvement is what matters, not the fall from the start.
LOG_AXIS_RANGE = 10.0


def plot_path(
    path: Any,
    *,
    ax: Any = None,
    n_basis: int | None = None,
    held_out: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
) -> Any:
    """Draw the selection criterion against the number of basis vectors.

    Parameters
    ----------
    path : fitted estimator or ndarray (m,)
        An array is the ``selection_path_`` of an estimator.
    ax : matplotlib axes, default=None
        None draws on a new figure.
    n_basis : int, default=None
        The size that the selection chose, marked by a vertical line.
    held_out : (sizes, losses), default=None
        Losses of models of these sizes on held-out rows, drawn on a second axis on the right.

    Returns
    -------
    ax
    """
    if is_model(path):
        n_basis = path.n_basis_ if n_basis is None else n_basis
        path = path.selection_path_
    path, ax = np.asarray(path, dtype=np.float64), or_new_axes(ax)
    m = np.arange(1, len(path) + 1)
    if np.ptp(path) > LOG_AXIS_RANGE:
        ax.plot(m, path - path.min() + 1.0, color=INK, lw=2)
        ax.set(yscale="log", ylabel="criterion − minimum + 1")
    else:
        ax.plot(m, path, color=INK, lw=2)
        ax.set(ylabel="criterion")
    if n_basis is not None:
        ax.axvline(n_basis, color=FAINT, lw=1, ls="--")
    if held_out is not None:
        losses = ax.twinx()
        losses.plot(*held_out, "o-", ms=4, color=ACCENT, lw=1.5)
        losses.set_ylabel("held-out loss", color=ACCENT)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlabel="basis vectors", title="Selection path")
    return ax
