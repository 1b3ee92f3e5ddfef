"""Random intercepts for columns of numbers whose values recur: persons, shops, schools, days.

Such a number often is a name. A smooth function of it cannot give each value a mean of its own; the
kernel v·[x = z] can (a random intercept, as in mixed models). Which columns would gain is told by a
score test (``model.variance_component``), at the cost of one evaluation; the most significant one
is added and the search goes on from there, as long as the evidence pays for it.
"""

from dataclasses import dataclass, replace

import numpy as np

from sparsegp.exceptions import SparseGPError
from sparsegp.kernels import Categorical, Constant, OnColumns
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.kernels.policy import CATEGORICAL_LENGTH_SCALE_BOUNDS
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.structure import policy
from sparsegp.learning.structure.candidates import Candidate, Sample, transformed
from sparsegp.learning.structure.evaluate_candidates import (
    CandidateEvaluator,
    EvaluatedCandidate,
    Request,
)
from sparsegp.model.variance_component import intercept_scores
from sparsegp.tables.rows import Rows

__all__ = ["INTERCEPTS", "InterceptSearch", "recurring_columns", "with_intercepts"]

#: What the history calls them.
INTERCEPTS = "random intercepts"


def recurring_columns(X: Vector, coded: frozenset[int] = frozenset()) -> tuple[int, ...]:
    """Return the columns (n, D) of whole numbers that are neither few nor seldom repeated.

    Columns in ``coded`` hold categories already.

    >>> shop, day = np.arange(100) // 4, np.arange(100) % 5
    >>> recurring_columns(np.stack((shop, day, np.linspace(0.0, 1.0, 100)), axis=1))
    (0,)
    """
    found = []
    for column in range(X.shape[1]):
        x = X[:, column]
        if column in coded or np.any(x != np.round(x)):
            continue
        n_values = len(np.unique(x))
        if policy.MIN_RECURRING_VALUES <= n_values <= len(x) / policy.MIN_ROWS_A_VALUE:
            found.append(column)
    return tuple(found)


def with_intercepts(kernel: Kernel, columns: tuple[int, ...]) -> Kernel:
    """Add the random intercept of each column.

    >>> from sparsegp.kernels import RBF
    >>> with_intercepts(RBF(2.0), (3,)).right.left
    Constant(0.1)
    """
    apart = CATEGORICAL_LENGTH_SCALE_BOUNDS[0]  # different values are uncorrelated
    for column in columns:
        same = OnColumns(Categorical(apart, "fixed"), [column])
        kernel = kernel + Constant(policy.VARIANCE_OF_INTERCEPTS) * same
    return kernel


@dataclass(frozen=True)
class InterceptSearch:
    """Tries random intercepts on some rows.

    A kernel with a length scale below the distance of two values gives each value a function of its
    own, which a score test finds nothing to add to. Such a column is tried from ``start``.
    """

    evaluator: CandidateEvaluator
    sample: Sample
    start: Parameters  # of the chosen family, at first hyperparameters
    columns: tuple[int, ...]  # that recur

    def extend(self, trial: EvaluatedCandidate) -> tuple[tuple[int, ...], EvaluatedCandidate]:
        """Return the columns whose random intercepts pay, and a trial on the rows with them."""
        chosen: tuple[int, ...] = ()
        while len(chosen) < policy.MOST_INTERCEPTS:
            proposed = self._proposed(chosen, trial.candidate)
            if proposed is None:
                break
            column, candidate, evaluations = proposed
            detail = f"random intercept of column {column} on {len(self.sample.y)} rows"
            asked = Request(Phase.KERNEL, detail, candidate, self.sample, evaluations)
            [found] = self.evaluator.evaluate_all([asked])
            if found is None or found.score <= trial.score + policy.MIN_GAIN:
                break
            chosen, trial = (*chosen, column), found
        return chosen, trial

    def _proposed(
        self, chosen: tuple[int, ...], candidate: Candidate
    ) -> tuple[int, Candidate, int] | None:
        """Return the next column, where its search starts, and how long it is."""
        left = [column for column in self.columns if column not in chosen]
        if not left:
            return None
        rows, _ = transformed(candidate, self.sample)
        column = _most_significant(left, rows, candidate.parameters)
        if column is not None:
            parameters = candidate.parameters
            return column, _extended(candidate, parameters, (column,)), policy.KERNEL_SEARCH_ON_MORE
        for column in left:
            if _separates(candidate.parameters.kernel, rows.X, column):
                extended = _extended(candidate, self.start, (*chosen, column))
                return column, extended, policy.SHORT_SEARCH
        return None


def _most_significant(columns: list[int], rows: Rows, parameters: Parameters) -> int | None:
    levels = [np.unique(rows.X[:, column], return_inverse=True)[1].ravel() for column in columns]
    try:
        scores = intercept_scores(parameters.kernel, rows, parameters.noise_variance, levels)
    except SparseGPError:
        return None
    best = int(np.argmax(scores))
    return columns[best] if scores[best] >= policy.SIGNIFICANT_INTERCEPT else None


def _separates(kernel: Kernel, X: Vector, column: int) -> bool:
    """Tell whether rows that differ in the next value of a column alone are hardly correlated."""
    values, place = np.unique(X[:, column], return_inverse=True)
    some = np.flatnonzero(place.ravel() < len(values) - 1)[: policy.ROWS_TO_SEE_CORRELATION]
    here, there = X[some], X[some].copy()
    there[:, column] = values[place.ravel()[some] + 1]
    both = np.diagonal(kernel(here, there)) / kernel.diagonal(here)
    return float(np.median(both)) < policy.HARDLY_CORRELATED


def _extended(candidate: Candidate, parameters: Parameters, columns: tuple[int, ...]) -> Candidate:
    kernel = with_intercepts(parameters.kernel, columns)
    extended = replace(candidate, parameters=replace(parameters, kernel=kernel))
    return replace(extended, n_extra=candidate.n_extra + 1)
