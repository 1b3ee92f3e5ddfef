"""The transforms of the columns of a table, where they are left open.

A column may be standardised or warped, to its normal scores or, if it is positive with a wide
range, to its logarithm. A search over continuous warps tells which columns would gain; then tables
with some columns warped are compared, by evidence less cost, or by how well they predict further
rows. Columns that share a length scale may also share one scale, as pixels do: a kernel with a
length scale for each column makes no difference between the two.
"""

from dataclasses import dataclass, replace

import numpy as np

from sparsegp.arrays import Array
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.structure import policy
from sparsegp.learning.structure.candidates import Sample
from sparsegp.learning.structure.compare_versions import likeliest_version
from sparsegp.learning.structure.evaluate_candidates import (
    CandidateEvaluator,
    EvaluatedCandidate,
    Request,
)
from sparsegp.learning.structure.transform_options import monotone_kinds
from sparsegp.tables.transforms.columns import COMMON, STANDARD, fit_columns
from sparsegp.tables.transforms.scaling import fit_scaling

__all__ = ["ColumnSearch", "shares_scales"]

Kinds = tuple[str, ...]
Warped = tuple[int, ...]  # the columns that are


def shares_scales(kernel: Kernel, n_columns: int) -> bool:
    """Tell whether columns share a length scale: there are too few parameters for one a column.

    >>> from sparsegp.kernels import RBF
    >>> shares_scales(2.0 * RBF(1.0), 5), shares_scales(2.0 * RBF((1.0,) * 5), 5)
    (True, False)
    """
    return 1 < n_columns >= len(kernel.theta)


@dataclass(frozen=True)
class ColumnSearch:
    """Tries transforms of columns for one table."""

    X: Vector  # (n, D)
    y: Vector  # (n, p)
    weight: Vector | None
    evaluator: CandidateEvaluator
    warps: Kinds  # the transform of each column if it is warped

    def _with_warped(self, columns: Kinds, warped: Warped) -> Kinds:
        """Return the transforms of columns with some of them warped."""
        return tuple(self.warps[i] if i in warped else kind for i, kind in enumerate(columns))

    def sample(self, rows: Array, columns: Kinds, free: tuple[int, ...] = ()) -> Sample:
        """Return rows with these transforms of columns, and with the free ones warped."""
        kinds = (columns, self._with_warped(columns, free))
        tables = [fit_columns(self.X, self.weight, k).apply(self.X[rows]) for k in kinds]
        weight = None if self.weight is None else self.weight[rows]
        standard = fit_scaling(self.y, self.weight, STANDARD)
        return Sample(tables[0], tables[1], self.y[rows], standard, weight)

    def with_logarithms(
        self, rows: Array, columns: Kinds, trial: EvaluatedCandidate
    ) -> tuple["ColumnSearch", EvaluatedCandidate]:
        """Return the search that warps to logarithms, where ranges are wide, if that pays."""
        moved = trial.candidate.columns
        warps = monotone_kinds(self.X, logarithms=True)
        if all(warps[column] == self.warps[column] for column in moved):
            return self, trial
        other = replace(self, warps=warps)
        half_way = replace(trial.candidate, column_warps=(policy.HALF_WARPED,) * len(moved))
        sample = other.sample(rows, columns, moved)
        asked = Request(
            Phase.TRANSFORMS, "logarithms of columns", half_way, sample, policy.LONG_SEARCH
        )
        [found] = self.evaluator.evaluate_all([asked])
        if found is None or found.score <= trial.score + policy.MIN_GAIN:
            return self, trial
        return other, found

    def in_common(
        self, rows: Array, trial: EvaluatedCandidate
    ) -> tuple[Kinds, EvaluatedCandidate] | None:
        """Return one scale for all columns and a trial with it; None if it does not pay."""
        columns = (COMMON,) * self.X.shape[1]
        _, unwarped = _unwarped(trial)
        asked = Request(
            Phase.TRANSFORMS,
            "one scale",
            unwarped.candidate,
            self.sample(rows, columns),
            policy.LONG_SEARCH,
        )
        [found] = self.evaluator.evaluate_all([asked])
        pays = found is not None and found.score > trial.score + policy.MIN_GAIN
        return (columns, found) if found is not None and pays else None

    def choose_by_evidence(
        self, rows: Array, columns: Kinds, free: tuple[int, ...], trial: EvaluatedCandidate
    ) -> tuple[Kinds, EvaluatedCandidate]:
        """Return the likeliest transforms: none warped, those warped strongly, at all, or all."""
        moved = trial.candidate.columns
        slightly, _ = _unwarped(trial, policy.SLIGHTLY_WARPED)
        strongly, trial = _unwarped(trial)
        if not free:
            return columns, trial
        tables = dict.fromkeys(((), strongly, slightly, free) if moved else ((), free), trial)
        tried = self._tried(tables, "", columns, rows, policy.SHORT_SEARCH)
        if not tried:  # none can be evaluated, or there is no time
            return columns, trial
        cost = policy.COST_OF_WARPED_COLUMN
        best = max(tried, key=lambda warped: tried[warped].score - cost * len(warped))
        return self._with_warped(columns, best), tried[best]

    def choose_by_prediction(
        self,
        more: Array,
        most: Array,
        columns: Kinds,
        free: tuple[int, ...],
        trial: EvaluatedCandidate,
        *,
        refine: bool,
    ) -> tuple[Kinds, EvaluatedCandidate]:
        """Return the transforms that predict further rows best, and a trial on more rows.

        The evidence of most rows less that of more rows is the predictive density of the rows
        between them. It tells what pays with many rows: where these are dense enough, normal scores
        help that few rows find useless. A few outlying rows can dominate it, so tables that most
        rows find far less likely are left out. Tables are compared at the hyperparameters that the
        search over warps has found; ``refine`` searches a little from the best.
        """
        strongly, trial = _unwarped(trial)
        tables = dict.fromkeys(((), strongly, free), trial)
        once = policy.EVALUATE_ONCE
        first = self._tried(tables, ", more rows", columns, more, once)
        if not first:  # none can be evaluated, or there is no time
            return columns, trial
        close = _close(first, policy.HOPELESS_MARGIN_PER_ROW * len(more))
        last = self._tried(close, ", most rows", columns, most, once) if len(close) > 1 else {}
        left = _close(last, policy.COLUMNS_MARGIN_PER_ROW * len(most)) or close

        def gain(warped: Warped) -> float:
            further = first[warped].score
            if last:
                further = last[warped].evidence - first[warped].evidence
            return further - policy.COST_OF_WARPED_COLUMN * len(warped)

        best = max(left, key=gain)
        chosen = {best: trial} if refine else {}
        found = self._tried(chosen, ", refined", columns, more, policy.SEARCH_ON_MORE_ROWS)
        return self._with_warped(columns, best), found.get(best, first[best])

    def choose_by_neighbours(
        self,
        more: Array,
        columns: Kinds,
        free: tuple[int, ...],
        trial: EvaluatedCandidate,
        context: FitContext,
        *,
        refine: bool,
    ) -> tuple[Kinds, EvaluatedCandidate]:
        """Return the transforms of the highest density of rows given their neighbours.

        That compares at the resolution of the whole table, where ``choose_by_prediction`` sees a
        subset. The trial on more rows starts at the hyperparameters that the climb has found.
        """
        strongly, trial = _unwarped(trial)
        tables = {warped: self._with_warped(columns, warped) for warped in ((), strongly, free)}
        every, named = np.arange(len(self.X)), {_name(warped): warped for warped in tables}
        versions = {
            name: (trial.candidate, self.sample(every, tables[warped]))
            for name, warped in named.items()
        }
        name, parameters = likeliest_version(versions, context)
        best = named[name]
        trial = replace(trial, candidate=replace(trial.candidate, parameters=parameters))
        evaluations = policy.SEARCH_ON_MORE_ROWS if refine else policy.EVALUATE_ONCE
        found = self._tried({best: trial}, ", more rows", columns, more, evaluations)
        return tables[best], found.get(best, trial)

    def _tried(
        self,
        tables: dict[Warped, EvaluatedCandidate],
        on_what: str,
        columns: Kinds,
        rows: Array,
        evaluations: int,
    ) -> dict[Warped, EvaluatedCandidate]:
        """Try tables that differ in which columns are warped, each from where a trial has ended.

        Return those that can be evaluated.
        """
        asked = [
            Request(
                Phase.TRANSFORMS,
                f"{_name(warped)}{on_what}",
                trial.candidate,
                self.sample(rows, self._with_warped(columns, warped)),
                evaluations,
            )
            for warped, trial in tables.items()
        ]
        both = zip(tables, self.evaluator.evaluate_all(asked), strict=True)
        return {warped: trial for warped, trial in both if trial is not None}


def _name(warped: Warped) -> str:
    return f"{len(warped)} columns warped"


def _close(
    tables: dict[Warped, EvaluatedCandidate], allowance: float
) -> dict[Warped, EvaluatedCandidate]:
    """Return those whose score is no further behind than the allowance."""
    least = max((trial.score for trial in tables.values()), default=0.0) - allowance
    return {warped: trial for warped, trial in tables.items() if trial.score >= least}


def _unwarped(
    trial: EvaluatedCandidate, least: float = policy.HALF_WARPED
) -> tuple[Warped, EvaluatedCandidate]:
    """Return the columns that are warped further, and the trial with no column to warp."""
    found = trial.candidate
    moved = zip(found.columns, found.column_warps, strict=True)
    strongly = tuple(column for column, warp in moved if warp > least)
    plain = replace(found, columns=(), column_warps=(), held=False)
    return strongly, replace(trial, candidate=plain)
