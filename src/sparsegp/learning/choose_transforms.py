"""What becomes of columns and targets before a fit, where the user leaves it open.

Candidates (``candidates``) are tried on a subset of the rows, coarse to fine:

1. For every kind of target one search, for hyperparameters, the curve of the target and how far
   each column is bent towards normal scores. Evidence less cost decides on the kind.
2. Columns bent more than half way get normal scores, the others are standardised, if that table
   has more evidence than one with all columns standardised.
3. On more rows the curve is searched for once more.

Only the transforms are kept: the hyperparameters of the fit are found as always.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sparsegp.arrays import Array
from sparsegp.data.columns import (
    NONE,
    QUANTILE,
    STANDARD,
    Character,
    Columns,
    character_of,
    fit_columns,
)
from sparsegp.data.curves import CURVES, Curve
from sparsegp.data.scaling import Scaling, fit_scaling
from sparsegp.data.warps import Warps, fit_warps, inner_scaling
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.learning.candidates import (
    COST_OF_BENDING,
    Candidate,
    Sample,
    Trial,
    candidate_objective,
    likelier,
    likeliest_alone,
    try_out,
)
from sparsegp.learning.diary import Diary
from sparsegp.learning.parameters import Parameters
from sparsegp.learning.progress import Listener, silent

__all__ = ["AUTO", "Prepared", "Wanted", "prepare"]

AUTO = "auto"

#: Rows that decide on columns and on the kind of target, and rows that settle its curve.
ROWS_TO_CHOOSE, ROWS_TO_SETTLE = 500, 1000
# Evaluations of the evidence: from the given hyperparameters, and from those of another candidate.
LONG_SEARCH, SHORT_SEARCH = 60, 20
# Fewer rows decide on nothing, and fewer still do not shape the curve of a given kind.
FEWEST_TO_CHOOSE, FEWEST_TO_SHAPE = 100, 20
HALF_WAY = 0.5


@dataclass(frozen=True)
class Wanted:
    """What the user wants to become of each column and of the target; "auto" leaves it open."""

    columns: tuple[str, ...]
    target: str


@dataclass(frozen=True)
class Prepared:
    """Transforms of inputs and targets, and how they were found."""

    inputs: Scaling | Columns
    targets: Scaling | Warps
    columns: tuple[str, ...]  # what became of each
    target: str
    history: list[dict[str, Any]]


@dataclass(frozen=True)
class _Decision:
    """Kinds of columns and of the target; curves, one an output, if the target has any."""

    columns: tuple[str, ...]
    target: str
    curves: tuple[Curve, ...]


def prepare(
    X: Vector,
    y: Vector,
    weight: Vector | None,
    wanted: Wanted,
    start: Parameters,
    rng: np.random.Generator,
    *,
    optimise: bool = True,
    listener: Listener = silent,
) -> Prepared:
    """Learn the transforms of inputs (n, D) and targets (n, p); θ would begin at ``start``.

    Without ``optimise`` the hyperparameters are those of standardised columns and targets, and so
    is all that is left open; of an explicit curve the shape is learned at these hyperparameters.
    """
    diary = Diary()
    varies = bool(np.any(np.ptp(y, axis=0) > 0.0))
    decides = optimise and varies and len(X) >= FEWEST_TO_CHOOSE
    columns, free = _columns(X, weight, wanted.columns, start.kernel, decides)
    targets = _kinds_of_target(y, decides) if wanted.target == AUTO else (wanted.target,)
    decision = _Decision(columns, targets[0], _curves_of(targets[0], y))
    shapes = varies and len(X) >= FEWEST_TO_SHAPE and _n_shapes(decision.curves) > 0
    if free or len(targets) > 1 or shapes:
        search = _Search(X, y, weight, start, rng, diary, listener, fixed=not optimise)
        decision = search.decide(decision, free, targets)
        diary.note("transforms", transform_X=list(decision.columns), transform_y=decision.target)
    inputs = fit_columns(X, weight, decision.columns)
    if decision.target in (NONE, STANDARD):
        outputs: Scaling | Warps = fit_scaling(y, weight, decision.target)
    else:
        outputs = fit_warps(y, weight, decision.curves)
    return Prepared(inputs, outputs, decision.columns, decision.target, diary.entries)


def _columns(
    X: Vector, weight: Vector | None, wanted: Sequence[str], kernel: Kernel, decides: bool
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return what becomes of each column for now, and which columns are left open.

    Normal scores say nothing of few values, and codes of categories must stay what they are.
    """
    coded = kernel.coded_columns(X.shape[1])
    kinds, free = [], []
    for column, kind in enumerate(wanted):
        if kind == AUTO and (column in coded or not decides):
            kinds.append(STANDARD)
        elif kind in (AUTO, QUANTILE):
            character = character_of(X[:, column], weight)
            if character is Character.CONTINUOUS and kind == AUTO:
                free.append(column)
            scored = character is Character.RARE
            scored |= character is Character.CONTINUOUS and kind == QUANTILE
            kinds.append(QUANTILE if scored else STANDARD)
        else:
            kinds.append(kind)
    return tuple(kinds), tuple(free)


def _kinds_of_target(y: Vector, decides: bool) -> tuple[str, ...]:
    """Return the kinds of target to be tried, the plain one first."""
    if not decides:
        return (STANDARD,)
    return (STANDARD, "sinh-arcsinh", "log") if np.min(y) > 0.0 else (STANDARD, "sinh-arcsinh")


def _curves_of(kind: str, y: Vector) -> tuple[Curve, ...]:
    return () if kind == NONE else (CURVES[kind],) * y.shape[1]


def _n_shapes(curves: Sequence[Curve]) -> int:
    return sum(len(curve.vector) for curve in curves)


@dataclass(frozen=True)
class _Search:
    """Tries candidates for one table."""

    X: Vector  # (n, D)
    y: Vector  # (n, p)
    weight: Vector | None
    start: Parameters
    rng: np.random.Generator
    diary: Diary
    listener: Listener
    fixed: bool = field(kw_only=True)

    def decide(self, given: _Decision, free: tuple[int, ...], targets: Sequence[str]) -> _Decision:
        """Return the likeliest of what is left open: free columns and kinds of target."""
        order = self.rng.permutation(len(self.X))
        few, more = np.sort(order[:ROWS_TO_CHOOSE]), np.sort(order[:ROWS_TO_SETTLE])
        moved = free if self.start.kernel.moves_inputs else ()
        kinds = self._kinds(self._sample(few, given.columns, free), moved, targets)
        if not kinds:
            return given
        target, trial = max(kinds.items(), key=lambda kind: kind[1].score)
        found, bends = trial.candidate, trial.candidate.bends
        far = tuple(c for c, bend in zip(moved, bends, strict=True) if bend > HALF_WAY)
        found = replace(found, columns=(), bends=())
        bent, found = self._bent(few, given.columns, far if moved else free, found)
        columns = _with_scores(given.columns, bent)
        if _n_shapes(found.curves):
            name = f"transforms: shape of {target} on {len(more)} rows"
            settled = self._try(name, found, self._sample(more, columns), SHORT_SEARCH)
            found = found if settled is None else settled.candidate
        return _Decision(columns, target, found.curves)

    def _kinds(
        self, sample: Sample, moved: tuple[int, ...], targets: Sequence[str]
    ) -> dict[str, Trial]:
        """Try every kind of target, each with the columns bent as far as is best for it."""
        found: dict[str, Trial] = {}
        parameters, bends = self.start, (HALF_WAY,) * len(moved)  # each is free to choose anew
        for kind in targets:
            candidate = Candidate(parameters, (), moved, bends, fixed=self.fixed)
            candidate = self._with_curves(candidate, kind, sample)
            trial = self._try(f"transforms: target {kind}", candidate, sample, LONG_SEARCH)
            if trial is not None:
                found[kind] = trial
                parameters = trial.candidate.parameters
        return found

    def _with_curves(self, candidate: Candidate, kind: str, sample: Sample) -> Candidate:
        """Return the candidate with straight curves, or the likeliest ones if that is likelier."""
        curves = _curves_of(kind, sample.y)
        straight = replace(candidate, curves=curves)
        if not _n_shapes(curves):
            return straight
        t = inner_scaling(sample.standard, curves[0]).apply(sample.y)  # (n, p)
        alone = tuple(likeliest_alone(c, t[:, i], sample.count) for i, c in enumerate(curves))
        return likelier(straight, replace(candidate, curves=alone), candidate_objective(sample))

    def _bent(
        self, few: Array, columns: tuple[str, ...], bent: tuple[int, ...], found: Candidate
    ) -> tuple[tuple[int, ...], Candidate]:
        """Return these columns if normal scores are better for them, else none."""
        if not bent:
            return (), found
        scored = self._sample(few, _with_scores(columns, bent))
        yes = self._try(f"transforms: {len(bent)} columns bent", found, scored, SHORT_SEARCH)
        plain = self._sample(few, columns)
        no = self._try("transforms: no column bent", found, plain, SHORT_SEARCH)
        if yes is None or (no is not None and yes.score - COST_OF_BENDING * len(bent) <= no.score):
            return (), found if no is None else no.candidate
        return bent, yes.candidate

    def _sample(self, rows: Array, columns: tuple[str, ...], free: tuple[int, ...] = ()) -> Sample:
        """Return rows as they are with these kinds of columns, and with the free ones bent."""
        kinds = (columns, _with_scores(columns, free))
        tables = [fit_columns(self.X, self.weight, k).apply(self.X[rows]) for k in kinds]
        weight = None if self.weight is None else self.weight[rows]
        standard = fit_scaling(self.y, self.weight, STANDARD)
        return Sample(tables[0], tables[1], self.y[rows], standard, weight)

    def _try(
        self, name: str, candidate: Candidate, sample: Sample, evaluations: int
    ) -> Trial | None:
        return try_out(name, candidate, sample, evaluations, self.diary, self.listener)


def _with_scores(columns: Sequence[str], bent: Sequence[int]) -> tuple[str, ...]:
    """Return the kinds of columns with some of them bent."""
    return tuple(QUANTILE if i in bent else kind for i, kind in enumerate(columns))
