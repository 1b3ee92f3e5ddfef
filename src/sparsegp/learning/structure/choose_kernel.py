"""Which kernel: families and what is added to them, by the evidence of nested subsets.

1. On a few hundred rows every family (``kernel_families``) takes the place of the RBF, with its
   length scales and bent columns, and is searched for a little, curves of targets with it. What
   will not come near is given up half way.
2. Few rows hardly tell a rough function from noise, and differences grow with the rows. So families
   that are not far behind are judged by most rows as they are. The best two of them go on to more
   rows, and are judged again. The likeliest wins.
3. A linear term, or a second part of shorter range, is added where that pays: if the
   evidence gains ½ log n for each new parameter (BIC) and something more. What does not promise
   to pay on few rows is not tried on more. The best is kept, then another one, and so on.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import inf
from types import MappingProxyType

from sparsegp.kernels.auto import fill_placeholder, placeholder_part, placeholders
from sparsegp.kernels.base import Kernel
from sparsegp.learning.structure.candidate_search import EvaluatedCandidate, Request, TryAll
from sparsegp.learning.structure.candidates import Candidate, Sample
from sparsegp.learning.structure.kernel_families import ADDITIONS, FAMILIES, PLAIN, plain_kernel

__all__ = ["WORTH", "KernelSearch", "likeliest"]

PLUS = " + "
# Evaluations of the evidence for a kernel on few and on more rows; most rows only judge.
SEARCH_ON_FEW, SEARCH_ON_MORE, ONCE = 20, 10, 1
# A family stays in the race while its log evidence a row is no further behind; no more than so
# many go on.
NOT_FAR, MOST_AHEAD = 0.02, 2
#: What an addition has to gain beyond its cost: odds of twenty to one.
WORTH = 3.0


def likeliest(trials: dict[str, EvaluatedCandidate]) -> str:
    """Return the name of the best trial, the first of equal ones."""
    return max(trials, key=lambda name: trials[name].score)


@dataclass(frozen=True)
class KernelSearch:
    """The choice of what fills the gap of a template."""

    template: Kernel
    evaluate_all: TryAll
    plain: Callable[[int], Kernel] = plain_kernel  # where a fit would begin, by the columns

    def guess(self, name: str) -> Kernel:
        """Return a kernel by name as a fit would begin with it, e.g. "RBF + Linear"."""
        family, *additions = name.split(PLUS)
        part: Kernel = FAMILIES[family](self.plain(placeholders(self.template)[0].n_columns or 1))
        for addition in additions:
            part = ADDITIONS[addition](part)
        return fill_placeholder(self.template, part)

    def race(
        self, plain: EvaluatedCandidate, few: Sample, more: Sample, most: Sample
    ) -> tuple[str, EvaluatedCandidate, list[str]]:
        """Return the winning family, and the additions that promise to pay.

        The plain family was tried on few rows already. Of the winner there is the trial on more
        rows.
        """
        as_bent = replace(plain.candidate, held=True)
        others = {
            name: self._changed(as_bent, family)
            for name, family in FAMILIES.items()
            if name != PLAIN
        }
        wanted = dict.fromkeys(others, plain.score - NOT_FAR * few.total)
        trials = {PLAIN: plain} | self._tried(others, few, SEARCH_ON_FEW, wanted)
        best = likeliest(trials)
        promised = self._promising(best, trials[best], few, more)
        going_on = {
            name: replace(trials[name].candidate, held=True)
            for name in self._ahead(trials, few, most)
        }
        ahead = self._tried(going_on, more, SEARCH_ON_MORE)
        if not ahead:  # none can be evaluated, or there is no time
            return best, trials[best], promised
        best = self._by_evidence(ahead, more, most)[0]
        return best, ahead[best], promised

    def grow(
        self, name: str, found: EvaluatedCandidate, additions: list[str], more: Sample
    ) -> tuple[str, Candidate]:
        """Add what pays, the best first."""
        left = additions
        while left:
            grown = self._grown(name, found, left, more, SEARCH_ON_MORE)
            if not grown or grown[likeliest(grown)].score <= found.score + WORTH:
                break
            name = likeliest(grown)
            found = grown[name]
            left = [addition for addition in left if addition not in name.split(PLUS)]
        return name, found.candidate

    def _ahead(self, trials: dict[str, EvaluatedCandidate], few: Sample, most: Sample) -> list[str]:
        """Return the families that go on to more rows, the likeliest first."""
        least = trials[likeliest(trials)].score - NOT_FAR * few.total
        close = {name: trial for name, trial in trials.items() if trial.score >= least}
        if len(close) <= MOST_AHEAD:
            return list(close)
        return self._by_evidence(close, few, most)[:MOST_AHEAD]

    def _by_evidence(
        self, trials: dict[str, EvaluatedCandidate], seen: Sample, most: Sample
    ) -> list[str]:
        """Return the names in the order of what most rows say of the trials as they are."""
        judged: dict[str, EvaluatedCandidate] = {}
        if len(trials) > 1 and len(most.y) > len(seen.y):
            as_they_are = {name: trial.candidate for name, trial in trials.items()}
            judged = self._tried(as_they_are, most, ONCE)
        scores = {name: trial.score for name, trial in (judged or trials).items()}
        return sorted(scores, key=lambda name: -scores[name])

    def _promising(
        self, name: str, found: EvaluatedCandidate, few: Sample, more: Sample
    ) -> list[str]:
        """Return the additions that are expected to pay on more rows.

        Evidences are expected to grow with the rows, costs with their logarithm.
        """
        growth = more.total / few.total

        def expected(trial: EvaluatedCandidate) -> float:
            return growth * trial.evidence - trial.candidate.cost(more.total)

        least = expected(found) + WORTH

        def wanted(candidate: Candidate) -> float:  # the score on few rows that would be expected
            return (least + candidate.cost(more.total)) / growth - candidate.cost(few.total)

        grown = self._grown(name, found, list(ADDITIONS), few, SEARCH_ON_FEW, wanted)
        return [n.split(PLUS)[-1] for n, trial in grown.items() if expected(trial) > least]

    def _grown(
        self,
        name: str,
        found: EvaluatedCandidate,
        additions: list[str],
        rows: Sample,
        budget: int,
        wanted: Callable[[Candidate], float] = lambda candidate: -inf,
    ) -> dict[str, EvaluatedCandidate]:
        """Try additions to a kernel, one each."""
        as_bent = replace(found.candidate, held=True)
        grown = {
            f"{name}{PLUS}{addition}": self._changed(as_bent, ADDITIONS[addition])
            for addition in additions
        }
        return self._tried(grown, rows, budget, {n: wanted(c) for n, c in grown.items()})

    def _changed(self, candidate: Candidate, change: Callable[[Kernel], Kernel]) -> Candidate:
        """Return the candidate with another part in the gap; what it has more is counted."""
        kernel = candidate.parameters.kernel
        other = fill_placeholder(self.template, change(placeholder_part(self.template, kernel)))
        extra = candidate.n_extra + len(other.theta) - len(kernel.theta)
        return replace(
            candidate, parameters=replace(candidate.parameters, kernel=other), n_extra=extra
        )

    def _tried(
        self,
        candidates: dict[str, Candidate],
        rows: Sample,
        budget: int,
        wanted: Mapping[str, float] = MappingProxyType({}),
    ) -> dict[str, EvaluatedCandidate]:
        """Return the trials of those that can be evaluated; ``wanted`` are scores, where any."""
        found = self.evaluate_all(
            [
                Request(
                    f"kernel: {name} on {len(rows.y)} rows",
                    candidate,
                    rows,
                    budget,
                    wanted.get(name, -inf),
                )
                for name, candidate in candidates.items()
            ]
        )
        both = zip(candidates, found, strict=True)
        return {name: trial for name, trial in both if trial is not None}
