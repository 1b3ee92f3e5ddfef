"""Which kernel: families and what is added to them, by the evidence of nested subsets.

1. On a few hundred rows every family (``kernel_families``) takes the place of the RBF, with its
   length scales and warped columns, and is optimised briefly, target warps with it. A search that
   will not come close stops half way.
2. Few rows hardly distinguish a rough function from noise, and differences grow with the rows. So
   families that are close are evaluated on most rows as they are. The best two are optimised on
   more rows, and evaluated again. The likeliest is chosen.
3. A linear term, or a second part of shorter range, is added where that pays: if the evidence
   gains ½ log n for each new parameter (BIC) and a margin. What is not expected to pay on few rows
   is not tried on more. The best is kept, then another one is tried, and so on.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import inf
from types import MappingProxyType
from typing import Any

from sparsegp.kernels.auto import (
    fill_placeholder,
    placeholder_part,
    placeholders,
    with_placeholder_part,
)
from sparsegp.kernels.base import Kernel
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.structure import policy
from sparsegp.learning.structure.candidates import Candidate, Sample, candidate_objective, likelier
from sparsegp.learning.structure.evaluate_candidates import (
    CandidateEvaluator,
    EvaluatedCandidate,
    Request,
)
from sparsegp.learning.structure.kernel_families import (
    ADDITIONS,
    FAMILIES,
    PLAIN,
    SHORT_RANGE,
    plain_kernel,
)
from sparsegp.learning.structure.short_range import short_range_in_noise

__all__ = ["PLUS", "KernelSearch", "OpenKernel", "likeliest"]

PLUS = " + "


def likeliest(trials: dict[str, EvaluatedCandidate]) -> str:
    """Return the name of the best trial, the first of equal ones."""
    return max(trials, key=lambda name: trials[name].score)


@dataclass(frozen=True)
class OpenKernel:
    """A kernel with a placeholder, and the plain kernel that would fill it."""

    template: Kernel
    plain: Callable[[int], Kernel] = plain_kernel  # by the number of columns

    def initial(self, name: str) -> Kernel:
        """Return a kernel by name at its initial parameters, e.g. "RBF + Linear"."""
        family, *additions = name.split(PLUS)
        part: Kernel = FAMILIES[family](self.plain(placeholders(self.template)[0].n_columns or 1))
        for addition in additions:
            part = ADDITIONS[addition](part)
        return fill_placeholder(self.template, part)


@dataclass(frozen=True)
class Promise:
    """What few rows found of an addition that is expected to pay on more."""

    part: Kernel  # that was added to the others
    noise_variance: float


@dataclass(frozen=True)
class KernelSearch:
    """The choice of what fills the placeholder of a template."""

    kernel: OpenKernel
    evaluator: CandidateEvaluator

    def race(
        self, plain: EvaluatedCandidate, few: Sample, more: Sample, most: Sample
    ) -> tuple[str, EvaluatedCandidate, dict[str, Promise]]:
        """Return the winning family, and the additions that promise to pay, on few rows.

        The plain family was tried on few rows already. The winner comes with its trial on more
        rows.
        """
        as_warped = replace(plain.candidate, held=True)
        others = {
            name: self._changed(as_warped, family)
            for name, family in FAMILIES.items()
            if name != PLAIN
        }
        margin = policy.FAMILY_MARGIN_PER_ROW * few.total
        targets = dict.fromkeys(others, plain.score - margin)
        trials = {PLAIN: plain} | self._tried(others, few, policy.KERNEL_SEARCH_ON_FEW, targets)
        best = likeliest(trials)
        promised = self._promising(best, trials[best], few, more)
        further = {
            name: replace(trials[name].candidate, held=True)
            for name in self._ahead(trials, few, most)
        }
        ahead = self._tried(further, more, policy.KERNEL_SEARCH_ON_MORE)
        if not ahead:  # none can be evaluated, or there is no time
            return best, trials[best], promised
        best = self._by_evidence(ahead, more, most)[0]
        return best, ahead[best], promised

    def grow(
        self, name: str, found: EvaluatedCandidate, promised: Mapping[str, Promise], more: Sample
    ) -> tuple[str, Candidate]:
        """Add what pays, the best first."""
        left = list(promised)
        while left:
            starts = {
                addition: self._start(addition, found, promised[addition], more)
                for addition in left
            }
            grown = self._grown(name, starts, more, policy.KERNEL_SEARCH_ON_MORE)
            if not grown or grown[likeliest(grown)].score <= found.score + policy.MIN_GAIN:
                break
            name = likeliest(grown)
            found = grown[name]
            left = [addition for addition in left if addition not in name.split(PLUS)]
        return name, found.candidate

    def _ahead(self, trials: dict[str, EvaluatedCandidate], few: Sample, most: Sample) -> list[str]:
        """Return the families that are tried on more rows, the likeliest first."""
        least = trials[likeliest(trials)].score - policy.FAMILY_MARGIN_PER_ROW * few.total
        close = {name: trial for name, trial in trials.items() if trial.score >= least}
        if len(close) <= policy.MAX_FAMILIES_AHEAD:
            return list(close)
        return self._by_evidence(close, few, most)[: policy.MAX_FAMILIES_AHEAD]

    def _by_evidence(
        self, trials: dict[str, EvaluatedCandidate], seen: Sample, most: Sample
    ) -> list[str]:
        """Return the names in the order of their scores on most rows."""
        on_most: dict[str, EvaluatedCandidate] = {}
        if len(trials) > 1 and len(most.y) > len(seen.y):
            as_they_are = {name: trial.candidate for name, trial in trials.items()}
            on_most = self._tried(as_they_are, most, policy.EVALUATE_ONCE)
        scores = {name: trial.score for name, trial in (on_most or trials).items()}
        return sorted(scores, key=lambda name: -scores[name])

    def _promising(
        self, name: str, found: EvaluatedCandidate, few: Sample, more: Sample
    ) -> dict[str, Promise]:
        """Return the additions that are expected to pay on more rows, as few rows found them.

        Evidences are expected to grow with the rows, costs with their logarithm.
        """
        growth = more.total / few.total

        def expected(trial: EvaluatedCandidate) -> float:
            return growth * trial.evidence - trial.candidate.cost(more.total)

        least = expected(found) + policy.MIN_GAIN

        def target(candidate: Candidate) -> float:  # the score on few rows that promises it
            return (least + candidate.cost(more.total)) / growth - candidate.cost(few.total)

        as_warped = replace(found.candidate, held=True)
        starts = {name: self._changed(as_warped, add) for name, add in ADDITIONS.items()}
        hidden = short_range_in_noise(as_warped, few, self._changed)
        if hidden is not None:
            starts[SHORT_RANGE] = hidden
        grown = self._grown(name, starts, few, policy.KERNEL_SEARCH_ON_FEW, target)
        return {
            n.split(PLUS)[-1]: self._promise(trial.candidate)
            for n, trial in grown.items()
            if expected(trial) > least
        }

    def _promise(self, grown: Candidate) -> Promise:
        part: Any = placeholder_part(self.kernel.template, grown.parameters.kernel)
        return Promise(part.right, grown.parameters.noise_variance)

    def _grown(
        self,
        name: str,
        starts: Mapping[str, Candidate],
        rows: Sample,
        evaluations: int,
        target: Callable[[Candidate], float] = lambda candidate: -inf,
    ) -> dict[str, EvaluatedCandidate]:
        """Try additions to a kernel, one each, from these starts."""
        grown = {f"{name}{PLUS}{addition}": start for addition, start in starts.items()}
        return self._tried(grown, rows, evaluations, {n: target(c) for n, c in grown.items()})

    def _start(
        self, addition: str, found: EvaluatedCandidate, promise: Promise, rows: Sample
    ) -> Candidate:
        """Return where an addition starts on more rows: as usual, or as few rows found it."""
        as_warped = replace(found.candidate, held=True)
        usual = self._changed(as_warped, ADDITIONS[addition])
        carried = self._changed(as_warped, lambda kernel: kernel + promise.part)
        noise = replace(carried.parameters, noise_variance=promise.noise_variance)
        return likelier(usual, replace(carried, parameters=noise), candidate_objective(rows))

    def _changed(self, candidate: Candidate, change: Callable[[Kernel], Kernel]) -> Candidate:
        """Return the candidate with another part in the placeholder; extra parameters count."""
        kernel, template = candidate.parameters.kernel, self.kernel.template
        part = change(placeholder_part(template, kernel))
        other = with_placeholder_part(template, kernel, part)
        extra = candidate.n_extra + len(other.theta) - len(kernel.theta)
        return replace(
            candidate, parameters=replace(candidate.parameters, kernel=other), n_extra=extra
        )

    def _tried(
        self,
        candidates: dict[str, Candidate],
        rows: Sample,
        evaluations: int,
        targets: Mapping[str, float] = MappingProxyType({}),
    ) -> dict[str, EvaluatedCandidate]:
        """Return the trials of those that can be evaluated; ``targets`` are scores to reach."""
        found = self.evaluator.evaluate_all(
            [
                Request(
                    Phase.KERNEL,
                    f"{name} on {len(rows.y)} rows",
                    candidate,
                    rows,
                    evaluations,
                    targets.get(name, -inf),
                )
                for name, candidate in candidates.items()
            ]
        )
        both = zip(candidates, found, strict=True)
        return {name: trial for name, trial in both if trial is not None}
