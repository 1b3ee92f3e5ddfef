"""Whether labels stay numbers, with nearly all rows in the basis, or every row has a site.

Sites are the better model of a label, and cost so much that their basis is small. A regression on
labels has every row of a small table in its basis, and all classes share one posterior. Where
classes hardly overlap and the border between them is intricate the second predicts better (ten
digits: half of the errors), where they overlap the first does. Held-out rows decide, predicted by
both models of some of the other rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sparsegp.arrays import to_numpy
from sparsegp.arrays.placement import beside
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.learning.classes import policy
from sparsegp.learning.classes.class_fit import ClassFit, ClassSettings
from sparsegp.learning.classes.label_regression import LEAST_SQUARES
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.noise.choose_noise import mean_and_error
from sparsegp.model.classes import class_probabilities, label_log_probabilities
from sparsegp.model.posterior import means_and_variances
from sparsegp.tables.memory import Memory
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = ["Beginning", "chosen_inference", "compares_inferences"]


@dataclass(frozen=True)
class Beginning:
    """Where a fit of labels starts, and how it goes on."""

    kernel: Kernel
    warm_start: Parameters | None
    settings: ClassSettings
    family: str | None = None  # of the kernel, as the history names it

    def as_numbers(self, n_rows: int) -> "Beginning":
        """Return the beginning of a regression on labels, with nearly all rows in its basis."""
        m = min(n_rows, policy.MOST_BASIS_OF_NUMBERS)
        active = replace(self.settings.active, max_basis=m)
        settings = replace(self.settings, active=active, inference=LEAST_SQUARES, grows=False)
        return replace(self, settings=settings)


def compares_inferences(
    settings: ClassSettings, n_rows: int, memory: Memory, context: FitContext
) -> bool:
    """Tell whether the inference is open, and rows, memory and time allow a comparison."""
    m = min(n_rows, policy.MOST_BASIS_OF_NUMBERS)
    if not settings.may_be_numbers or policy.BYTES_OF_NUMBERS * m**2 > memory.limit:
        return False
    if not policy.MIN_ROWS_TO_COMPARE <= n_rows <= policy.MOST_ROWS_TO_COMPARE:
        return False
    return not context.budget.limited or context.budget.has(policy.SECONDS_TO_COMPARE)


def chosen_inference(
    rows: AnyRows,
    sites: Beginning,
    numbers: Sequence[Beginning],
    fit: Callable[[Rows, Beginning, FitContext], ClassFit],
    context: FitContext,
) -> Beginning:
    """Return the beginning whose model predicts held-out labels better; sites if that is open.

    ``numbers`` are beginnings of regressions on labels, which differ in their kernel; of these the
    best one is compared with sites.
    """
    own = context.share(policy.SHARE_OF_COMPARISON).spawn().apart()
    order = own.rng.permutation(len(rows))
    held_out, others = np.split(order, [min(len(rows) // 4, policy.HELD_OUT_TO_COMPARE)])
    seen = rows.take(np.sort(others[: policy.ROWS_TO_COMPARE]))
    tested = rows.take(np.sort(held_out))
    beginnings, scores = [sites, *(each.as_numbers(len(seen)) for each in numbers)], []
    for i, beginning in enumerate(beginnings):
        label = Phase.INFERENCE.label("labels as numbers" if i else "sites")
        context.listener(Progress(label, 1 + i, len(beginnings), np.nan))
        share = own.share(1.0 / (len(beginnings) - i))
        scores.append(_Score.of(fit(seen, beginning, share.quiet()), tested))
    if own.budget.cuts:
        context.budget.cut(Phase.INFERENCE, "the models that were compared were cut short")
    first, *rivals = scores
    best = max(range(len(rivals)), key=lambda i: rivals[i].mean)
    whole = len(rows) <= policy.MOST_BASIS_OF_NUMBERS
    better = rivals[best].is_better_than(first, narrowly=whole)
    compared = {score.inference: score for score in (first, rivals[best])}
    context.history.note(
        Phase.INFERENCE,
        chosen=(rivals[best] if better else first).inference,
        n_rows=len(tested),
        log_probability={name: score.mean for name, score in compared.items()},
        errors={name: score.errors for name, score in compared.items()},
    )
    if not better:
        return sites
    if numbers[best].family is not None:
        context.history.note(Phase.KERNEL, kernel=numbers[best].family)
    return numbers[best].as_numbers(len(rows))


@dataclass(frozen=True)
class _Score:
    """How a model predicts held-out labels."""

    inference: str | None
    log_p: Vector  # log probability of each label: (n,)
    errors: float  # share of wrong labels
    count: Vector  # weight of each label: (n,)

    @classmethod
    def of(cls, fit: ClassFit, rows: Rows) -> "_Score":
        """Score a model by rows."""
        probits, count = fit.parameters.probits, rows.weight
        count = np.ones(len(rows)) if count is None else to_numpy(count)
        X, y = beside(rows.X, like=fit.posteriors[0].Z), to_numpy(rows.y)
        means, variances = map(to_numpy, means_and_variances(fit.posteriors, X))  # (n, C)
        log_p = label_log_probabilities(probits, y, means, variances)
        p = class_probabilities(probits, means, variances)
        own = (y[:, 0] > 0.0).astype(int) if y.shape[1] == 1 else np.argmax(y, axis=1)
        errors = float(np.average(np.argmax(p, axis=1) != own, weights=count))
        return cls(fit.inference, log_p, errors, count)

    @property
    def mean(self) -> float:
        """The mean log probability."""
        return float(np.average(self.log_p, weights=self.count))

    def is_better_than(self, other: "_Score", *, narrowly: bool) -> bool:
        """Tell whether log probabilities are clearly higher; narrowly: higher with fewer errors."""
        gain, error = mean_and_error(self.log_p - other.log_p, self.count)
        clearly = gain > policy.MIN_GAIN_OF_NUMBERS + error
        return clearly or (narrowly and gain > 0.0 and self.errors < other.errors)
