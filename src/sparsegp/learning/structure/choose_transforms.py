"""What becomes of columns and targets before a fit, and which kernel, where that is left open.

Candidates (``candidates``) are tried (``trials``) on a subset of the rows, coarse to fine:

1. For every kind of target one search, for hyperparameters, the curve of the target and how far
   each column is bent towards normal scores, from where half of these rows lead to; and one more
   towards logarithms of columns that are positive and go far. Evidence less cost decides on the
   kinds.
   Columns that share a length scale may have one scale for all instead (``choose_columns``).
2. If the kernel is open, its families, each with its own curve and bends, on more and more rows
   (``choose_kernel``).
3. Tables are compared in which no column is bent, those are that were bent far, or at all, or all
   columns, by their evidence less cost; with an open kernel and rows enough by how well they
   foresee further rows.
4. On more rows the curve is searched for once more, or with it what is added to the kernel.

Of a large table a sample of the rows is looked at, also for means, deviations and quantiles: read
in blocks it becomes the same model as in memory. Where time is short, and few of the rows choose,
these are spread over the target: a rare group of rows has its share of them.

Of an explicit kernel only the transforms are kept: the hyperparameters of the fit are found as
always. Those of a chosen kernel go on from where its choice ended.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from sparsegp.kernels.auto import fill, gaps
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.structure.candidate_search import EvaluatedCandidate, Request, evaluate_all
from sparsegp.learning.structure.candidates import Candidate, Sample, candidate_objective, likelier
from sparsegp.learning.structure.choose_columns import HALF_WAY, ColumnSearch, shares_scales
from sparsegp.learning.structure.choose_kernel import KernelSearch, likeliest
from sparsegp.learning.structure.kernel_families import plain_kernel
from sparsegp.learning.structure.sample_sizes import sizes_within
from sparsegp.learning.structure.target_warps import likeliest_alone
from sparsegp.learning.structure.transform_options import (
    AUTO,
    TransformOptions,
    kinds_of_target,
    monotone_kinds,
    open_columns,
)
from sparsegp.tables.stratified_order import stratified_order
from sparsegp.tables.transforms.columns import NONE, STANDARD, Columns, fit_columns
from sparsegp.tables.transforms.curves import CURVES, Curve
from sparsegp.tables.transforms.scaling import Scaling, fit_scaling
from sparsegp.tables.transforms.warps import Warps, fit_warps, inner_scaling

__all__ = ["MOST_SEEN", "FittedTransforms", "is_plain", "learn_transforms", "rows_to_see"]

#: Rows of a table that are looked at; more are drawn from at random.
MOST_SEEN = 20_000

Indices = npt.NDArray[np.intp]

#: Rows that decide on columns and on the kind of target, rows that settle its curve and the kernel,
#: and rows for kernels that are still close then.
ROWS = (500, 1000, 2000)
# Evaluations of the evidence: from the given hyperparameters, and from those of another candidate.
LONG_SEARCH, SHORT_SEARCH = 60, 20
# Fewer rows decide on nothing, and fewer still do not shape the curve of a given kind. Of so many,
# half say where to begin.
FEWEST_TO_CHOOSE, FEWEST_TO_SHAPE, ENOUGH_TO_HALVE = 100, 20, 400
# Of the time that a fit has, if it has a limit. In 3 s a choice brings more than basis vectors do:
# with 0.35 errors were 3 to 6 % larger (house8l, calhouse), with 0.2 up to 10 %.
SHARE_OF_TIME = 0.55


@dataclass(frozen=True)
class FittedTransforms:
    """Transforms of inputs and targets, where a fit begins, and how all that was found."""

    inputs: Scaling | Columns
    targets: Scaling | Warps
    columns: tuple[str, ...]  # what became of each
    target: str
    start: Parameters  # of a kernel without a gap
    warm_start: Parameters | None


@dataclass(frozen=True)
class _Decision:
    """Kinds of columns and of the target; curves, one an output, if the target has any."""

    columns: tuple[str, ...]
    target: str
    curves: tuple[Curve, ...]
    start: Parameters
    warm_start: Parameters | None = None  # if the kernel was open


def is_plain(options: TransformOptions, kernel: Kernel) -> bool:
    """Tell whether nothing is left open and nothing is bent: a scaling is all there is to learn."""
    kinds = (*options.columns, options.target)
    return all(kind in (NONE, STANDARD) for kind in kinds) and not gaps(kernel)


def rows_to_see(n_rows: int, rng: np.random.Generator) -> Indices | None:
    """Return the numbers of the rows to look at, in order; None: all of them."""
    if n_rows <= MOST_SEEN:
        return None
    return np.sort(rng.choice(n_rows, MOST_SEEN, replace=False, shuffle=False))


def learn_transforms(
    X: Vector,
    y: Vector,
    weight: Vector | None,
    options: TransformOptions,
    start: Parameters,
    context: FitContext,
    *,
    positive: bool | None = None,
    optimise: bool = True,
    plain: Callable[[int], Kernel] = plain_kernel,
    sizes: tuple[int, int, int] = ROWS,
) -> FittedTransforms:
    """Learn the transforms of inputs (n, D) and targets (n, p); θ would begin at ``start``.

    Without ``optimise`` the hyperparameters are those of standardised columns and targets, and so
    is all that is left open; of an explicit curve the shape is learned at these hyperparameters.
    An open kernel begins with the ``plain`` one of so many columns. ``sizes`` are few, more and
    most rows. ``positive`` tells of all targets if these rows are but some of them.
    """
    template = start.kernel
    positive = bool(np.min(y) > 0.0) if positive is None else positive
    seen = None if is_plain(options, template) else rows_to_see(len(X), context.rng)
    if seen is not None:
        X, y, weight = X[seen], y[seen], None if weight is None else weight[seen]
    open_kernel = gaps(template)
    if open_kernel:
        simplest = plain(open_kernel[0].n_columns or X.shape[1])
        start = replace(start, kernel=fill(template, simplest))
    varies = bool(np.any(np.ptp(y, axis=0) > 0.0))
    decides = optimise and varies and len(X) >= FEWEST_TO_CHOOSE
    columns, free = open_columns(X, weight, options.columns, start.kernel, decides)
    targets = kinds_of_target(y, weight, options.target, decides, positive)
    decision = _Decision(columns, targets[0], _curves_of(targets[0], y), start)
    shapes = varies and len(X) >= FEWEST_TO_SHAPE and _n_shapes(decision.curves) > 0
    chooses_kernel = bool(open_kernel) and decides
    if free or len(targets) > 1 or shapes or chooses_kernel:
        own = context.share(SHARE_OF_TIME)
        search = _Search(X, y, weight, start, sizes, own, fixed=not optimise)
        all_open = decides and set(options.columns) == {AUTO}
        kernels = KernelSearch(template, search.evaluate_all, plain) if chooses_kernel else None
        decision = search.decide(decision, free, targets, kernels, all_open=all_open)
        context.history.note(
            "transforms", transform_X=list(decision.columns), transform_y=decision.target
        )
    return FittedTransforms(
        fit_columns(X, weight, decision.columns),
        _fit_target(y, weight, decision),
        decision.columns,
        decision.target,
        decision.start,
        decision.warm_start,
    )


def _fit_target(y: Vector, weight: Vector | None, decision: _Decision) -> Scaling | Warps:
    if decision.target in (NONE, STANDARD):
        return fit_scaling(y, weight, decision.target)
    return fit_warps(y, weight, decision.curves)


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
    sizes: tuple[int, int, int]
    context: FitContext
    fixed: bool = field(kw_only=True)
    effort: float = 1.0  # share of the evaluations of a search that there is time for

    def decide(
        self,
        given: _Decision,
        free: tuple[int, ...],
        targets: Sequence[str],
        kernels: KernelSearch | None,
        *,
        all_open: bool,
    ) -> _Decision:
        """Return the likeliest of what is left open: free columns, kinds of target, a kernel."""
        order = self._order()
        moved = free if self.start.kernel.moves_inputs else ()
        first = Candidate(self.start, (), moved, (HALF_WAY,) * len(moved), fixed=self.fixed)

        def evaluation(n: int) -> Callable[[], object]:
            sample = self._columns().sample(order[:n], given.columns, free)
            return partial(candidate_objective(sample), first)

        sizes, effort = sizes_within(self.sizes, evaluation, self.context.budget)
        in_time = replace(self, sizes=sizes, effort=effort)
        if kernels is not None:
            kernels = replace(kernels, evaluate_all=in_time.evaluate_all)
        return in_time._decide(order, given, free, moved, targets, kernels, all_open)

    def _order(self) -> Indices:
        """Return the rows in a random order; where few will choose, these are as all are."""
        if self.context.budget.limited:
            return stratified_order(self.y[:, 0], self.context.rng)
        return self.context.rng.permutation(len(self.X))

    def _columns(self) -> ColumnSearch:
        scores = monotone_kinds(self.X, logarithms=False)
        return ColumnSearch(self.X, self.y, self.weight, self.evaluate_all, scores)

    def _decide(
        self,
        order: Indices,
        given: _Decision,
        free: tuple[int, ...],
        moved: tuple[int, ...],
        targets: Sequence[str],
        kernels: KernelSearch | None,
        all_open: bool,
    ) -> _Decision:
        """Decide by rows in this order."""
        search = self._columns()
        few, more, most = (np.sort(order[:size]) for size in self.sizes)
        kinds = self._kinds(search.sample(few, given.columns, free), moved, targets)
        if not kinds:
            return given
        target = likeliest(kinds)
        columns = given.columns
        search, trial = search.with_logarithms(few, columns, kinds[target])
        if all_open and shares_scales(self.start.kernel, self.X.shape[1]):
            common = search.in_common(few, trial)
            if common is not None:
                (columns, trial), free = common, ()
        if kernels is None:
            columns, trial = search.settled(few, columns, free, trial)
            found = self._shaped(target, trial.candidate, search.sample(more, columns))
            return _Decision(columns, target, found.curves, self.start)
        samples = [search.sample(rows, columns, free) for rows in (few, more, most)]
        kernel, trial, additions = kernels.race(trial, *samples)
        if free and len(most) > len(more):
            # what is added has to gain on something that is as good as it gets
            columns, trial = search.choose_by_prediction(
                more, most, columns, free, trial, settle=bool(additions)
            )
        else:
            columns, trial = search.settled(more, columns, free, trial)
        kernel, found = kernels.grow(kernel, trial, additions, search.sample(more, columns))
        self.context.history.note("kernel", kernel=kernel)
        start = replace(self.start, kernel=kernels.guess(kernel))
        return _Decision(columns, target, found.curves, start, found.parameters)

    def _kinds(
        self, sample: Sample, moved: tuple[int, ...], targets: Sequence[str]
    ) -> dict[str, EvaluatedCandidate]:
        """Try every kind of target, each with the columns bent as far as is best for it.

        The first one finds hyperparameters, on half of the rows if these are enough, from which
        all others go on side by side; how far columns are bent each is free to choose anew.
        """
        candidate = Candidate(self.start, (), moved, (HALF_WAY,) * len(moved), fixed=self.fixed)
        found: dict[str, EvaluatedCandidate | None] = {}
        if len(targets) > 1 and len(sample.y) >= ENOUGH_TO_HALVE and not self.fixed:
            half = sample.take(np.arange(0, len(sample.y), 2))
            [first] = self._of_kinds(targets[:1], candidate, half, ", half of the rows")
        else:
            [first] = self._of_kinds(targets[:1], candidate, sample)
            found[targets[0]] = first
        if first is not None:
            candidate = replace(candidate, parameters=first.candidate.parameters)
        others = [kind for kind in targets if kind not in found]
        found |= zip(others, self._of_kinds(others, candidate, sample), strict=True)
        return {kind: trial for kind, trial in found.items() if trial is not None}

    def _of_kinds(
        self, kinds: Sequence[str], candidate: Candidate, sample: Sample, on_what: str = ""
    ) -> list[EvaluatedCandidate | None]:
        """Try a candidate with targets of these kinds."""
        asked = [
            Request(
                f"transforms: target {kind}{on_what}",
                self._with_curves(candidate, kind, sample),
                sample,
                LONG_SEARCH,
            )
            for kind in kinds
        ]
        return self.evaluate_all(asked)

    def _with_curves(self, candidate: Candidate, kind: str, sample: Sample) -> Candidate:
        """Return the candidate with straight curves, or the likeliest ones if that is likelier."""
        curves = _curves_of(kind, sample.y)
        straight = replace(candidate, curves=curves)
        if not _n_shapes(curves):
            return straight
        t = inner_scaling(sample.standard, curves[0]).apply(sample.y)  # (n, p)
        alone = tuple(likeliest_alone(c, t[:, i], sample.count) for i, c in enumerate(curves))
        return likelier(straight, replace(candidate, curves=alone), candidate_objective(sample))

    def _shaped(self, target: str, found: Candidate, sample: Sample) -> Candidate:
        """Return the candidate with the curve that more rows find likeliest."""
        if not _n_shapes(found.curves):
            return found
        name = f"transforms: shape of {target} on {len(sample.y)} rows"
        [trial] = self.evaluate_all([Request(name, found, sample, SHORT_SEARCH)])
        return found if trial is None else trial.candidate

    def evaluate_all(self, requests: Sequence[Request]) -> list[EvaluatedCandidate | None]:
        """Try candidates."""
        asked = [request.with_effort(self.effort) for request in requests]
        return evaluate_all(asked, self.context)
