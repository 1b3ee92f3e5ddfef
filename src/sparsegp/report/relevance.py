"""Which inputs matter, to the kernel and to the prediction.

Length scales of different kernels do not compare. What does: take two rows, exchange one column
alone, and see how much of the correlation of the function, k(x, x')/√(k(x, x) k(x', x')), is
lost. For a kernel with one length scale a column this is a function of that scale; it is defined
for sums, products, categories and kernels of one's own as well.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.kernels import Kernel, OnColumns
from sparsegp.kernels.composite import Product, Sum

__all__ = ["length_scales", "prediction_shares", "relevance"]

Floats = npt.NDArray[np.float64]

N_PAIRS = 200


def relevance(model: Any, X: Any) -> Floats:
    """Return how much correlation of the function is lost if one column changes: (D,).

    Parameters
    ----------
    model : fitted SparseGPRegressor or SparseGPClassifier
    X : array-like (n_samples, n_features)
        Rows to draw pairs from.

    Returns
    -------
    ndarray (n_features,)
        From 0, the column does not matter to the kernel, to 1 and, if correlations may be
        negative, beyond.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsegp import SparseGPRegressor
    >>> from sparsegp.report import relevance
    >>> X = np.random.default_rng(0).uniform(-3, 3, (200, 2))
    >>> model = SparseGPRegressor(max_basis=20, random_state=0).fit(X, np.sin(X[:, 0]))
    >>> lost = relevance(model, X)
    >>> bool(lost[0] > 10 * lost[1])
    True
    """
    rows = model._scaling_X.apply(np.asarray(X, dtype=np.float64))
    here, there = _pairs(rows)
    own = model.kernel_.diagonal(here)  # (pairs,)
    lost = np.empty(rows.shape[1])
    for column in range(rows.shape[1]):
        changed = _exchanged(here, there, column)
        scale = np.sqrt(own * model.kernel_.diagonal(changed))
        between = _pairwise(model.kernel_, here, changed)
        lost[column] = np.mean(1.0 - between / np.maximum(scale, np.finfo(np.float64).tiny))
    return np.maximum(lost, 0.0)


def prediction_shares(subject: Any) -> Floats:
    """Return the share of the prediction's variance that goes with each column: (D,).

    Half the mean squared change of the prediction when the column alone is exchanged for that of
    another row, over its variance: the column's own effect and its part in all interactions, so
    that shares may add up to more than one.
    """
    here, there = _pairs(subject.X)
    before = subject.latent(here)[0]  # (pairs, 1 or C)
    total = np.sum(np.var(subject.latent(np.concatenate((here, there)))[0], axis=0))
    shares = np.zeros(here.shape[1])
    for column in range(here.shape[1]):
        after = subject.latent(_exchanged(here, there, column))[0]
        shares[column] = 0.5 * np.mean(np.sum((after - before) ** 2, axis=1))
    return np.minimum(shares / total, 1.0) if total > 0.0 else shares


def length_scales(kernel: Kernel, n_features: int) -> list[list[float]]:
    """Return the length scales that each column has in a kernel; some have several, some none.

    They are in units of the scaled inputs.

    >>> from sparsegp.kernels import RBF, Categorical, OnColumns
    >>> length_scales(2.0 * OnColumns(RBF((0.5, 3.0)), [0, 2]) * OnColumns(Categorical(4.0), 1), 3)
    [[0.5], [4.0], [3.0]]
    """
    if isinstance(kernel, Sum | Product):
        sides = (length_scales(side, n_features) for side in (kernel.left, kernel.right))
        return [left + right for left, right in zip(*sides, strict=True)]
    if isinstance(kernel, OnColumns):
        found: list[list[float]] = [[] for _ in range(n_features)]
        inside = length_scales(kernel.kernel, len(kernel.columns))
        for column, scales in zip(kernel.columns, inside, strict=True):
            found[column] = scales
        return found
    own = getattr(kernel, "length_scale", None)
    if own is None:
        return [[] for _ in range(n_features)]
    return [[float(scale)] for scale in np.broadcast_to(own, n_features)]


def _pairs(X: Floats) -> tuple[Floats, Floats]:
    """Return rows and other rows, (pairs, D) each, the same for the same table."""
    rng = np.random.default_rng(0)
    first = rng.integers(len(X), size=N_PAIRS)
    second = (first + rng.integers(1, max(len(X), 2), size=N_PAIRS)) % len(X)
    return X[first], X[second]


def _exchanged(here: Floats, there: Floats, column: int) -> Floats:
    changed = here.copy()
    changed[:, column] = there[:, column]
    return changed


def _pairwise(kernel: Kernel, X: Floats, Z: Floats) -> Floats:
    """Return k(x_i, z_i): (n,)."""
    return np.diagonal(np.asarray(kernel(X, Z))).copy()
