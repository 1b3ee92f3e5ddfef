"""How much each input matters, to the kernel and to the predictions.

Length scales of different kernels are not comparable. The following is: take a row, replace one
column by that of another row, and see how much of the correlation of the function values,
k(x, x')/√(k(x, x) k(x', x')), is lost. For a kernel with one length scale per column this is a
function of that length scale; it is also defined for sums, products, categories and user-defined
kernels.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.kernels import Kernel, OnColumns, OneHot
from sparsegp.kernels.composite import Product, Sum
from sparsegp.report.inputs import Input
from sparsegp.report.policy import N_RELEVANCE_PAIRS
from sparsegp.report.report_data import ReportData

__all__ = ["length_scales", "relevance", "variance_shares"]

Floats = npt.NDArray[np.float64]


def relevance(model: Any, X: Any) -> Floats:
    """Return how much correlation of the function is lost when one column changes: (D,).

    Parameters
    ----------
    model : fitted SparseGPRegressor or SparseGPClassifier
    X : array-like (n_samples, n_features)
        Rows to draw pairs from.

    Returns
    -------
    ndarray (n_features,)
        0 for a column that does not matter to the kernel, 1 for a column that makes rows
        uncorrelated; larger values need a kernel with negative correlations.

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
    first, second = _pairs(rows)
    own = model.kernel_.diagonal(first)  # (pairs,)
    lost = np.empty(rows.shape[1])
    for column in range(rows.shape[1]):
        changed = _with_columns(first, second, (column,))
        scale = np.sqrt(own * model.kernel_.diagonal(changed))
        between = _pairwise(model.kernel_, first, changed)
        lost[column] = np.mean(1.0 - between / np.maximum(scale, np.finfo(np.float64).tiny))
    return np.maximum(lost, 0.0)


def variance_shares(data: ReportData, inputs: Sequence[Input]) -> Floats:
    """Return the share of the predictions' variance that involves each input.

    The total Sobol index by Jansen's estimator: half the mean squared change of the prediction
    when the input alone is replaced by that of another row, divided by the variance. It counts
    the effect of the input and all its interactions, so the shares can sum to more than one.
    """
    first, second = _pairs(data.X)
    before = data.expected_mean(first)  # (pairs, 1 or C)
    total = np.sum(np.var(np.concatenate((before, data.expected_mean(second))), axis=0))
    shares = np.zeros(len(inputs))
    for i, each in enumerate(inputs):
        after = data.expected_mean(_with_columns(first, second, each.columns))
        shares[i] = 0.5 * np.mean(np.sum((after - before) ** 2, axis=1))
    return np.minimum(shares / total, 1.0) if total > 0.0 else shares


def length_scales(kernel: Kernel, n_features: int) -> list[list[float]]:
    """Return the length scales of each column; a column can have several or none.

    They are in units of the transformed inputs.

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
    if isinstance(kernel, OneHot):
        numbers = kernel.numbers(n_features)
        owners = numbers + [at for at, codes in kernel.levels for _ in codes]
        scales_of: list[list[float]] = [[] for _ in range(n_features)]
        for column, scales in zip(owners, length_scales(kernel.kernel, len(owners)), strict=True):
            scales_of[column] += scales
        return scales_of
    own = getattr(kernel, "length_scale", None)
    if own is None:
        return [[] for _ in range(n_features)]
    return [[float(scale)] for scale in np.broadcast_to(own, n_features)]


def _pairs(X: Floats) -> tuple[Floats, Floats]:
    """Return random pairs of different rows, (pairs, D) each; the same pairs for the same X."""
    rng = np.random.default_rng(0)
    first = rng.integers(len(X), size=N_RELEVANCE_PAIRS)
    second = (first + rng.integers(1, max(len(X), 2), size=N_RELEVANCE_PAIRS)) % len(X)
    return X[first], X[second]


def _with_columns(rows: Floats, others: Floats, columns: Sequence[int]) -> Floats:
    """Return the rows with some columns taken from other rows."""
    changed = rows.copy()
    changed[:, list(columns)] = others[:, list(columns)]
    return changed


def _pairwise(kernel: Kernel, X: Floats, Z: Floats) -> Floats:
    """Return k(x_i, z_i): (n,)."""
    return np.diagonal(np.asarray(kernel(X, Z))).copy()
