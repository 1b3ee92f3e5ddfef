"""How a fit speaks: printed lines, a user's callback, warnings."""

import warnings
from collections.abc import Callable

from sparsegp.arrays import namespace
from sparsegp.exceptions import FitWarning
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.history.progress import Listener, Progress, silent
from sparsegp.model.features import Basis

__all__ = ["listener_for", "tell_cuts", "warn_of_jitter"]

# Below this, relative to the diagonal, jitter is lost in the rounding of the data.
NOTEWORTHY_JITTER = 1e-6


def listener_for(verbose: int, callback: Callable[[Progress], None] | None) -> Listener:
    """Return who is told about the progress of a fit."""
    if not verbose:
        return callback or silent
    printed: set[str] = set()

    def listen(progress: Progress) -> None:
        if verbose > 1 or progress.phase not in printed:
            printed.add(progress.phase)
            total = "" if progress.total is None else f"/{progress.total}"
            print(f"[sparsegp] {progress.phase}: {progress.step}{total}, {progress.value:.6g}")  # noqa: T201
        if callback is not None:
            callback(progress)

    return listen


def tell_cuts(budget: TimeBudget, verbose: int) -> list[str]:
    """Return what a limit of time cut short; printed in one line, if there is anything."""
    if verbose and budget.cuts:
        print(f"[sparsegp] time limit of {budget.limit:g} s: {'; '.join(budget.cuts)}")  # noqa: T201
    return list(budget.cuts)


def warn_of_jitter(basis: Basis) -> None:
    """Warn if the basis could only be factorised with a jitter that may change predictions."""
    xp = namespace(basis.Z)
    typical = float(xp.mean(basis.kernel.diagonal(basis.Z)))
    if basis.jitter > NOTEWORTHY_JITTER * typical > 0.0:
        warnings.warn(
            f"the basis vectors are almost dependent: {basis.jitter:.1e} was added to the "
            "diagonal of their kernel matrix. Lower max_basis, or use a less smooth kernel",
            FitWarning,
            stacklevel=3,
        )
