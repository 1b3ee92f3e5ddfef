"""The search for transforms and kernel: candidates are tried on a subset, coarse to fine.

The steps are those that ``choose_transforms`` describes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import log

import numpy as np
import numpy.typing as npt

from sparsegp.kernels.base import Kernel, Vector
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.structure import policy
from sparsegp.learning.structure.candidates import Candidate, Sample, candidate_objective, likelier
from sparsegp.learning.structure.choose_columns import ColumnSearch, shares_scales
from sparsegp.learning.structure.choose_kernel import PLUS, KernelSearch, OpenKernel, likeliest
from sparsegp.learning.structure.evaluate_candidates import (
    CandidateEvaluator,
    EvaluatedCandidate,
    Request,
)
from sparsegp.learning.structure.random_intercepts import (
    INTERCEPTS,
    InterceptSearch,
    recurring_columns,
    with_intercepts,
)
from sparsegp.learning.structure.sample_sizes import sizes_within
from sparsegp.learning.structure.target_warps import likeliest_alone
from sparsegp.learning.structure.transform_options import monotone_kinds
from sparsegp.tables.stratified_order import stratified_order
from sparsegp.tables.transforms.columns import NONE
from sparsegp.tables.transforms.curves import CURVES, Curve
from sparsegp.tables.transforms.warps import inner_scaling

__all__ = ["Decision", "StructureSearch", "cost_of_shapes", "curves_of", "n_shapes"]

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Decision:
    """Kinds of columns and of the target; curves, one an output, if the target has any."""

    columns: tuple[str, ...]
    target: str
    curves: tuple[Curve, ...]
    start: Parameters
    warm_start: Parameters | None = None  # if the kernel was open
    template: Kernel | None = None  # the same; with the random intercepts that were added


def curves_of(kind: str, y: Vector) -> tuple[Curve, ...]:
    """Return the unshaped curves of a kind of target, one an output."""
    return () if kind == NONE else (CURVES[kind],) * y.shape[1]


def n_shapes(curves: Sequence[Curve]) -> int:
    """Return how many parameters the curves have."""
    return sum(len(curve.vector) for curve in curves)


def cost_of_shapes(k: int, n: float, n_all: float) -> float:
    """Return what k parameters have to gain on n rows that stand for N.

    The evidence of N rows is about N/n times that of n, so BIC's charge ½ k log N is n/N of it
    here; at least k (AIC), which is what k parameters of no use gain and lose by chance.

    >>> round(cost_of_shapes(4, 500, 500), 1), cost_of_shapes(4, 500, 10_000)
    (12.4, 4.0)
    """
    return max(0.5 * k * log(n_all) * n / n_all, float(k))


@dataclass(frozen=True)
class StructureSearch:
    """Tries candidates for one table."""

    X: Vector  # (n, D)
    y: Vector  # (n, p)
    weight: Vector | None
    start: Parameters
    sizes: tuple[int, int, int]
    context: FitContext
    fixed: bool = field(kw_only=True)
    by_neighbours: bool = field(default=False, kw_only=True)  # tables are compared by them
    intercepts: bool = field(default=False, kw_only=True)  # may be added to an open kernel

    def decide(
        self,
        given: Decision,
        free: tuple[int, ...],
        targets: Sequence[str],
        kernel: OpenKernel | None,
        *,
        all_open: bool,
    ) -> Decision:
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
        target = self._kind(kinds, sample)
        columns = given.columns
        search, trial = search.with_logarithms(few, columns, kinds[target])
        if all_open and shares_scales(self.start.kernel, self.X.shape[1]):
            common = search.in_common(few, trial)
            if common is not None:
                (columns, trial), free = common, ()
        if kernel is None:
            columns, trial = search.choose_by_evidence(few, columns, free, trial)
            found = _shaped(target, trial.candidate, search.sample(more, columns), evaluator)
            return Decision(columns, target, found.curves, self.start)
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
    ) -> Decision:
        """Choose the kernel, then the columns, then what is added to the kernel."""
        _, more, most = rows
        samples = [search.sample(size, columns, free) for size in rows]
        name, trial, additions = kernels.race(trial, *samples)
        if free and len(most) > len(more):
            # an addition has to gain on a candidate that is as good as it gets
            refine = bool(additions)
            if self.by_neighbours:
                columns, trial = search.choose_by_neighbours(
                    more, columns, free, trial, self.context, refine=refine
                )
            else:
                columns, trial = search.choose_by_prediction(
                    more, most, columns, free, trial, refine=refine
                )
        else:
            columns, trial = search.choose_by_evidence(more, columns, free, trial)
        sample = search.sample(more, columns)
        grown, trial = self._with_intercepts(kernels, name, sample, trial)
        name, found = grown.grow(name, trial, additions, sample)
        parts = [name] if grown is kernels else [name, INTERCEPTS]
        self.context.history.note(Phase.KERNEL, kernel=PLUS.join(parts))
        start = replace(self.start, kernel=grown.kernel.initial(name))
        template = grown.kernel.template
        return Decision(columns, target, found.curves, start, found.parameters, template)

    def _with_intercepts(
        self, kernels: KernelSearch, name: str, sample: Sample, trial: EvaluatedCandidate
    ) -> tuple[KernelSearch, EvaluatedCandidate]:
        """Add random intercepts of columns whose values recur to the template, where they pay."""
        template = kernels.kernel.template
        if not self.intercepts:
            return kernels, trial
        recurring = recurring_columns(self.X, template.coded_columns(self.X.shape[1]))
        start = replace(self.start, kernel=kernels.kernel.initial(name))
        search = InterceptSearch(kernels.evaluator, sample, start, recurring)
        chosen, trial = search.extend(trial)
        if not chosen:
            return kernels, trial
        self.context.history.note(Phase.KERNEL, INTERCEPTS, columns=list(chosen))
        kernel = replace(kernels.kernel, template=with_intercepts(template, chosen))
        return replace(kernels, kernel=kernel), trial

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

    def _kind(self, kinds: dict[str, EvaluatedCandidate], sample: Sample) -> str:
        """Return the best kind of target by a sample; where neighbours may follow, for all rows.

        What a warp costs beside the evidence of a few hundred rows is little beside that of all.
        """
        if not self.by_neighbours:
            return likeliest(kinds)
        n = sample.total
        n_all = n * len(self.X) / len(sample.y)

        def score(kind: str) -> float:
            trial = kinds[kind]
            k = n_shapes(trial.candidate.curves)
            return trial.score + 0.5 * k * log(n) - cost_of_shapes(k, n, n_all)

        return max(kinds, key=score)


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
    curves = curves_of(kind, sample.y)
    identity = replace(candidate, curves=curves)
    if not n_shapes(curves):
        return identity
    t = inner_scaling(sample.standard, curves[0]).apply(sample.y)  # (n, p)
    alone = tuple(likeliest_alone(c, t[:, i], sample.count) for i, c in enumerate(curves))
    return likelier(identity, replace(candidate, curves=alone), candidate_objective(sample))


def _shaped(
    target: str, found: Candidate, sample: Sample, evaluator: CandidateEvaluator
) -> Candidate:
    """Return the candidate with the target warp that more rows find likeliest."""
    if not n_shapes(found.curves):
        return found
    detail = f"shape of {target} on {len(sample.y)} rows"
    asked = Request(Phase.TRANSFORMS, detail, found, sample, policy.SHORT_SEARCH)
    [trial] = evaluator.evaluate_all([asked])
    return found if trial is None else trial.candidate
