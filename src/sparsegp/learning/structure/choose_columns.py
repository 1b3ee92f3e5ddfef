"""What becomes of the columns of a table, where that is left open.

A column may stay standardised or be bent, to its normal scores or, if it is positive and goes far,
to its logarithm. A search over bends tells which would gain; then tables are compared that are bent
or not, by evidence less cost, or by how well they foresee further rows. Columns that share a length
scale may have one scale in common as well, as it is for pixels: a kernel with a scale for each
column would not care.
"""

from dataclasses import dataclass, replace

from sparsegp.arrays import Array
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.learning.structure.candidate_search import EvaluatedCandidate, Request, TryAll
from sparsegp.learning.structure.candidates import COST_OF_BENDING, Sample
from sparsegp.learning.structure.choose_kernel import WORTH
from sparsegp.learning.structure.transform_options import monotone_kinds
from sparsegp.tables.transforms.columns import COMMON, STANDARD, fit_columns
from sparsegp.tables.transforms.scaling import fit_scaling

__all__ = ["HALF_WAY", "ColumnSearch", "shares_scales"]

# How far a column is bent that is bent far, and how far if at all.
HALF_WAY, SLIGHTLY = 0.5, 0.1
# Evaluations of the evidence: for one scale for all columns, from the parameters of another table,
# and from these on more rows; the last foresee further ones, and learn nothing from them.
LONG_SEARCH, SHORT_SEARCH, SEARCH_ON_MORE, ONCE = 60, 20, 8, 1
# In units of the log evidence, a row: how far behind a table is left out, by most rows, and by more
# rows already. Of 39 choices of 13 tables a search for each table would have changed six, four of
# them close.
FAR_LESS_LIKELY, HOPELESS = 0.025, 0.25

Kinds = tuple[str, ...]
Mapped = tuple[int, ...]  # the columns that are


def shares_scales(kernel: Kernel, n_columns: int) -> bool:
    """Tell whether columns share a length scale: there are fewer parameters than would be needed.

    >>> from sparsegp.kernels import RBF
    >>> shares_scales(2.0 * RBF(1.0), 5), shares_scales(2.0 * RBF((1.0,) * 5), 5)
    (True, False)
    """
    return 1 < n_columns >= len(kernel.theta)


@dataclass(frozen=True)
class ColumnSearch:
    """Tries kinds of columns for one table."""

    X: Vector  # (n, D)
    y: Vector  # (n, p)
    weight: Vector | None
    evaluate_all: TryAll
    bent: Kinds  # what each column becomes if it is bent

    def _with_bent(self, columns: Kinds, bent: tuple[int, ...]) -> Kinds:
        """Return the kinds of columns with some of them bent."""
        return tuple(self.bent[i] if i in bent else kind for i, kind in enumerate(columns))

    def sample(self, rows: Array, columns: Kinds, free: tuple[int, ...] = ()) -> Sample:
        """Return rows as they are with these kinds of columns, and with the free ones bent."""
        kinds = (columns, self._with_bent(columns, free))
        tables = [fit_columns(self.X, self.weight, k).apply(self.X[rows]) for k in kinds]
        weight = None if self.weight is None else self.weight[rows]
        standard = fit_scaling(self.y, self.weight, STANDARD)
        return Sample(tables[0], tables[1], self.y[rows], standard, weight)

    def with_logarithms(
        self, rows: Array, columns: Kinds, trial: EvaluatedCandidate
    ) -> tuple["ColumnSearch", EvaluatedCandidate]:
        """Return the search that bends to logarithms, where columns go far, if that is worth it."""
        moved = trial.candidate.columns
        bent = monotone_kinds(self.X, logarithms=True)
        if all(bent[column] == self.bent[column] for column in moved):
            return self, trial
        other = replace(self, bent=bent)
        half_way = replace(trial.candidate, bends=(HALF_WAY,) * len(moved))
        sample = other.sample(rows, columns, moved)
        name = "transforms: logarithms of columns"
        [found] = self.evaluate_all([Request(name, half_way, sample, LONG_SEARCH)])
        if found is None or found.score <= trial.score + WORTH:
            return self, trial
        return other, found

    def in_common(
        self, rows: Array, trial: EvaluatedCandidate
    ) -> tuple[Kinds, EvaluatedCandidate] | None:
        """Return one scale for all columns and a trial with it; None if it is not worth it."""
        columns = (COMMON,) * self.X.shape[1]
        _, straight = _straightened(trial)
        asked = Request(
            "transforms: one scale", straight.candidate, self.sample(rows, columns), LONG_SEARCH
        )
        [found] = self.evaluate_all([asked])
        return None if found is None or found.score <= trial.score + WORTH else (columns, found)

    def settled(
        self, rows: Array, columns: Kinds, free: tuple[int, ...], trial: EvaluatedCandidate
    ) -> tuple[Kinds, EvaluatedCandidate]:
        """Return the likeliest kinds of columns: none bent, those bent far, or at all, or all."""
        moved = trial.candidate.columns
        slightly, _ = _straightened(trial, SLIGHTLY)
        far, trial = _straightened(trial)
        if not free:
            return columns, trial
        tables = dict.fromkeys(((), far, slightly, free) if moved else ((), free), trial)
        tried = self._tried(tables, "", columns, rows, SHORT_SEARCH)
        if not tried:  # none can be evaluated, or there is no time
            return columns, trial
        best = max(tried, key=lambda bent: tried[bent].score - COST_OF_BENDING * len(bent))
        return self._with_bent(columns, best), tried[best]

    def choose_by_prediction(
        self,
        more: Array,
        most: Array,
        columns: Kinds,
        free: tuple[int, ...],
        trial: EvaluatedCandidate,
        *,
        settle: bool,
    ) -> tuple[Kinds, EvaluatedCandidate]:
        """Return the kinds of columns that foresee further rows best, and a trial on more rows.

        What the evidence of most rows has beyond that of more is the density of the rows between
        them, given the others. It says how a table goes on: where rows are dense enough, normal
        scores pay that few rows see no use in. A few rows that are far off can outweigh all others
        in it, so that tables are left out that most rows, taken together, find far less likely.
        Tables are compared as they are, with the hyperparameters that the search over bends has
        found. To ``settle`` is to search for the best a little; the search of the fit does without.
        """
        far, trial = _straightened(trial)
        tables = dict.fromkeys(((), far, free), trial)
        first = self._tried(tables, ", more rows", columns, more, ONCE)
        if not first:  # none can be evaluated, or there is no time
            return columns, trial
        hopeful = _hopeful(first, HOPELESS * len(more))
        last = self._tried(hopeful, ", most rows", columns, most, ONCE) if len(hopeful) > 1 else {}
        left = _hopeful(last, FAR_LESS_LIKELY * len(most)) or hopeful

        def gain(bent: Mapped) -> float:
            further = last[bent].evidence - first[bent].evidence if last else first[bent].score
            return further - COST_OF_BENDING * len(bent)

        best = max(left, key=gain)
        chosen = {best: trial} if settle else {}
        settled = self._tried(chosen, ", settled", columns, more, SEARCH_ON_MORE)
        return self._with_bent(columns, best), settled.get(best, first[best])

    def _tried(
        self,
        tables: dict[Mapped, EvaluatedCandidate],
        on_what: str,
        columns: Kinds,
        rows: Array,
        evaluations: int,
    ) -> dict[Mapped, EvaluatedCandidate]:
        """Try tables that differ in which columns are bent, each from where a trial has ended.

        Returns those that can be evaluated.
        """
        asked = [
            Request(
                f"transforms: {len(bent)} columns bent{on_what}",
                trial.candidate,
                self.sample(rows, self._with_bent(columns, bent)),
                evaluations,
            )
            for bent, trial in tables.items()
        ]
        both = zip(tables, self.evaluate_all(asked), strict=True)
        return {bent: trial for bent, trial in both if trial is not None}


def _hopeful(
    tables: dict[Mapped, EvaluatedCandidate], allowance: float
) -> dict[Mapped, EvaluatedCandidate]:
    """Return those whose score is no further behind than that."""
    least = max((trial.score for trial in tables.values()), default=0.0) - allowance
    return {bent: trial for bent, trial in tables.items() if trial.score >= least}


def _straightened(
    trial: EvaluatedCandidate, least: float = HALF_WAY
) -> tuple[tuple[int, ...], EvaluatedCandidate]:
    """Return the columns that are bent further, and the trial with none that may be bent."""
    found = trial.candidate
    moved = zip(found.columns, found.bends, strict=True)
    far = tuple(column for column, bend in moved if bend > least)
    return far, replace(trial, candidate=replace(found, columns=(), bends=(), held=False))
