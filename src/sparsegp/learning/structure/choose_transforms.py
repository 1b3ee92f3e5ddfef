"""Transforms of columns and target, and the kernel, where they are left open.

Candidates (``candidates``) are tried (``evaluate_candidates``) on a subset of the rows, coarse to
fine:

1. For every kind of target one search, for hyperparameters, the warp of the target and a continuous
   warp of each column towards normal scores, starting from the optimum of half of these rows; and
   one more towards logarithms of positive columns with a wide range. Evidence less cost decides on
   the kind of target. Columns that share a length scale may have one scale for all instead
   (``choose_columns``).
2. If the kernel is open, its families, each with its own warps, on more and more rows
   (``choose_kernel``).
3. Tables are compared in which no column is warped, those that were warped strongly, or at all, or
   all columns, by their evidence less cost; with an open kernel and enough rows by how well they
   predict further rows.
4. On more rows the warp of the target is optimised once more, or what is added to the kernel.

Of a large table a sample of the rows is used, also for means, deviations and quantiles: read in
blocks it becomes the same model as in memory. Under a time budget, where few rows choose, these are
stratified by the target: a rare group of rows has its share of them.

Of an explicit kernel only the transforms are kept: the hyperparameters of the fit are found as
always. Those of a chosen kernel are a warm start.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from sparsegp.kernels.auto import fill, gaps
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.structure import policy
from sparsegp.learning.structure.candidates import Candidate, Sample, candidate_objective, likelier
from sparsegp.learning.structure.choose_columns import ColumnSearch, shares_scales
from sparsegp.learning.structure.choose_kernel import KernelSearch, OpenKernel, likeliest
from sparsegp.learning.structure.evaluate_candidates import (
    CandidateEvaluator,
    EvaluatedCandidate,
    Request,
)
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

__all__ = ["FittedTransforms", "is_plain", "learn_transforms", "rows_to_see"]

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class FittedTransforms:
    """Transforms of inputs and targets, and where the fit starts."""

    inputs: Scaling | Columns
    targets: Scaling | Warps
    columns: tuple[str, ...]  # the kind of transform of each
    target: str
    start: Parameters  # of a kernel without a placeholder
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
    """Tell whether nothing is left open and nothing is warped: only a scaling is learned."""
    kinds = (*options.columns, options.target)
    return all(kind in (NONE, STANDARD) for kind in kinds) and not gaps(kernel)


def rows_to_see(n_rows: int, rng: np.random.Generator) -> Indices | None:
    """Return the positions of a sample of the rows, in order; None: all of them."""
    if n_rows <= policy.MAX_ROWS_SEEN:
        return None
    return np.sort(rng.choice(n_rows, policy.MAX_ROWS_SEEN, replace=False, shuffle=False))


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
    sizes: tuple[int, int, int] = policy.SAMPLE_SIZES,
) -> FittedTransforms:
    """Learn the transforms of inputs (n, D) and targets (n, p), and an open kernel.

    Parameters
    ----------
    X, y, weight : ndarray
    options : TransformOptions
    start : Parameters
        Initial hyperparameters; the kernel may have a placeholder.
    context : FitContext
    positive : bool, optional
        Whether all targets are positive, if these rows are a sample.
    optimise : bool
        Without it hyperparameters stay, and all that is open becomes standardised; an explicit warp
        is shaped at these hyperparameters.
    plain : callable
        The plain kernel of a number of columns, with which an open kernel starts.
    sizes : tuple of int
        Few, more and most rows.
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
    decides = optimise and varies and len(X) >= policy.MIN_ROWS_TO_CHOOSE
    columns, free = open_columns(X, weight, options.columns, start.kernel, decides)
    targets = kinds_of_target(y, weight, options.target, decides, positive)
    decision = _Decision(columns, targets[0], _curves_of(targets[0], y), start)
    shapes = varies and len(X) >= policy.MIN_ROWS_TO_WARP and _n_shapes(decision.curves) > 0
    chooses_kernel = bool(open_kernel) and decides
    if free or len(targets) > 1 or shapes or chooses_kernel:
        own = context.share(policy.SHARE_OF_TIME)
        search = _Search(X, y, weight, start, sizes, own, fixed=not optimise)
        all_open = decides and set(options.columns) == {AUTO}
        kernel = OpenKernel(template, plain) if chooses_kernel else None
        decision = search.decide(decision, free, targets, kernel, all_open=all_open)
        context.history.note(
            Phase.TRANSFORMS, transform_X=list(decision.columns), transform_y=decision.target
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

    def decide(
        self,
        given: _Decision,
        free: tuple[int, ...],
        targets: Sequence[str],
        kernel: OpenKernel | None,
        *,
        all_open: bool,
    ) -> _Decision:
        """Return the likeliest of what is left open: free columns, kinds of target, a kernel."""
        order = self._order()
        moved = free if self.start.kernel.moves_inputs else ()
        sizes, evaluator = self._within_time(order, given.columns, free, moved)
        search = ColumnSearch(
            self.X, self.y, self.weight, evaluator, monotone_kinds(self.X, logarithms=False)
        )
        few, more, most = (np.sort(order[:size]) for size in sizes)
        sample = search.sample(few, given.columns, free)
        kinds = self._kinds(sample, moved, targets, evaluator)
        if not kinds:
            return given
        target = likeliest(kinds)
        columns = given.columns
        search, trial = search.with_logarithms(few, columns, kinds[target])
        if all_open and shares_scales(self.start.kernel, self.X.shape[1]):
            common = search.in_common(few, trial)
            if common is not None:
                (columns, trial), free = common, ()
        if kernel is None:
            columns, trial = search.choose_by_evidence(few, columns, free, trial)
            found = _shaped(target, trial.candidate, search.sample(more, columns), evaluator)
            return _Decision(columns, target, found.curves, self.start)
        return self._with_kernel(
            KernelSearch(kernel, evaluator), search, (few, more, most), columns, free, target, trial
        )

    def _with_kernel(
        self,
        kernels: KernelSearch,
        search: ColumnSearch,
        rows: tuple[Indices, Indices, Indices],
        columns: tuple[str, ...],
        free: tuple[int, ...],
        target: str,
        trial: EvaluatedCandidate,
    ) -> _Decision:
        """Choose the kernel, then the columns, then what is added to the kernel."""
        _, more, most = rows
        samples = [search.sample(size, columns, free) for size in rows]
        name, trial, additions = kernels.race(trial, *samples)
        if free and len(most) > len(more):
            # an addition has to gain on a candidate that is as good as it gets
            columns, trial = search.choose_by_prediction(
                more, most, columns, free, trial, refine=bool(additions)
            )
        else:
            columns, trial = search.choose_by_evidence(more, columns, free, trial)
        name, found = kernels.grow(name, trial, additions, search.sample(more, columns))
        self.context.history.note(Phase.KERNEL, kernel=name)
        start = replace(self.start, kernel=kernels.kernel.initial(name))
        return _Decision(columns, target, found.curves, start, found.parameters)

    def _order(self) -> Indices:
        """Return the rows in a random order; stratified by the target where few will choose."""
        if self.context.budget.limited:
            return stratified_order(self.y[:, 0], self.context.rng)
        return self.context.rng.permutation(len(self.X))

    def _within_time(
        self,
        order: Indices,
        columns: tuple[str, ...],
        free: tuple[int, ...],
        moved: tuple[int, ...],
    ) -> tuple[tuple[int, int, int], CandidateEvaluator]:
        """Return sample sizes and length of searches that the time budget allows."""
        evaluator = CandidateEvaluator(self.context)
        scores = monotone_kinds(self.X, logarithms=False)
        search = ColumnSearch(self.X, self.y, self.weight, evaluator, scores)

        def evaluation(n: int) -> Callable[[], object]:
            sample = search.sample(order[:n], columns, free)
            return partial(candidate_objective(sample), self._first(moved))

        sizes, effort = sizes_within(self.sizes, evaluation, self.context.budget)
        return sizes, replace(evaluator, effort=effort)

    def _first(self, moved: tuple[int, ...]) -> Candidate:
        """Return the candidate that searches start from, its columns half warped."""
        warps = (policy.HALF_WARPED,) * len(moved)
        return Candidate(self.start, (), moved, warps, fixed=self.fixed)

    def _kinds(
        self,
        sample: Sample,
        moved: tuple[int, ...],
        targets: Sequence[str],
        evaluator: CandidateEvaluator,
    ) -> dict[str, EvaluatedCandidate]:
        """Try every kind of target, each with the column warps that are best for it.

        The first one finds hyperparameters, on half of the rows if these are enough, from which
        all others start in parallel; the column warps start again for each.
        """
        candidate = self._first(moved)
        found: dict[str, EvaluatedCandidate | None] = {}
        if len(targets) > 1 and len(sample.y) >= policy.MIN_ROWS_TO_HALVE and not self.fixed:
            half = sample.take(np.arange(0, len(sample.y), 2))
            asked = _requests(targets[:1], candidate, half, ", half of the rows")
            [first] = evaluator.evaluate_all(asked)
        else:
            [first] = evaluator.evaluate_all(_requests(targets[:1], candidate, sample))
            found[targets[0]] = first
        if first is not None:
            candidate = replace(candidate, parameters=first.candidate.parameters)
        others = [kind for kind in targets if kind not in found]
        asked = _requests(others, candidate, sample)
        found |= zip(others, evaluator.evaluate_all(asked), strict=True)
        return {kind: trial for kind, trial in found.items() if trial is not None}


def _requests(
    kinds: Sequence[str], candidate: Candidate, sample: Sample, on_what: str = ""
) -> list[Request]:
    """Ask for a candidate with targets of these kinds."""
    return [
        Request(
            Phase.TRANSFORMS,
            f"target {kind}{on_what}",
            _with_curves(candidate, kind, sample),
            sample,
            policy.LONG_SEARCH,
        )
        for kind in kinds
    ]


def _with_curves(candidate: Candidate, kind: str, sample: Sample) -> Candidate:
    """Return the candidate with identity curves, or the likeliest alone if that is likelier."""
    curves = _curves_of(kind, sample.y)
    identity = replace(candidate, curves=curves)
    if not _n_shapes(curves):
        return identity
    t = inner_scaling(sample.standard, curves[0]).apply(sample.y)  # (n, p)
    alone = tuple(likeliest_alone(c, t[:, i], sample.count) for i, c in enumerate(curves))
    return likelier(identity, replace(candidate, curves=alone), candidate_objective(sample))


def _shaped(
    target: str, found: Candidate, sample: Sample, evaluator: CandidateEvaluator
) -> Candidate:
    """Return the candidate with the target warp that more rows find likeliest."""
    if not _n_shapes(found.curves):
        return found
    detail = f"shape of {target} on {len(sample.y)} rows"
    asked = Request(Phase.TRANSFORMS, detail, found, sample, policy.SHORT_SEARCH)
    [trial] = evaluator.evaluate_all([asked])
    return found if trial is None else trial.candidate
