"""Reports of a fit: printed lines, a user's callback, warnings, and a page about the model."""

import os
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

from sparsegp.arrays import namespace
from sparsegp.estimators.policy import NOTEWORTHY_JITTER
from sparsegp.exceptions import FitWarning
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.history.progress import Listener, Progress, silent
from sparsegp.model.features import Basis
from sparsegp.tables.memory import Memory, ModelMemory
from sparsegp.tables.table import Table

__all__ = ["ReportMixin", "listener_for", "tell_cuts", "tell_memory", "warn_of_jitter"]


class ReportMixin:
    """An estimator that can be described by an HTML page; abstract."""

    def report(
        self,
        X: Any,
        y: Any,
        path: str | os.PathLike[str],
        *,
        title: str | None = None,
        target: str | None = None,
    ) -> None:
        """Write an HTML page about the fitted model: how good it is, and what it found.

        The page is one file that fetches nothing. It contains some of the rows, and basis vectors,
        which are training rows: mind that before you share it. It needs the extra ``report``.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
            Rows to evaluate the model on, which should not be training rows.
        y : array-like (n_samples,)
            Their targets.
        path : path-like
            The file to write, for instance "page.html".
        title : str, default=None
            Heading of the page.
        target : str, default=None
            Name of the target; None takes that of ``y``, if it is a named column.
        """
        try:
            # by name: the page is made by a package above this one, which needs matplotlib
            write = import_module("sparsegp.report").write_report
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f"the report needs {error.name}: pip install 'sparsegp[report]'", name=error.name
            ) from error
        write(self, X, y, path, title=title, target=target)


def listener_for(verbose: int, callback: Callable[[Progress], None] | None) -> Listener:
    """Return a listener that prints progress and calls the user's callback."""
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
    """Return what the time budget cut short; printed in one line, if there is anything."""
    if verbose and budget.cuts:
        print(f"[sparsegp] time limit of {budget.limit:g} s: {'; '.join(budget.cuts)}")  # noqa: T201
    return list(budget.cuts)


def tell_memory(table: Table, memory: Memory, model: ModelMemory, verbose: int) -> None:
    """Print how a table out of core is read."""
    if verbose and table.how_read:
        print(  # noqa: T201
            f"[sparsegp] memory: {memory.limit / 1e9:.3g} GB, of which the model needs "
            f"{model.bytes / 1e9:.3g}; {table.n_rows:,} rows are read {table.how_read}"
        )


def warn_of_jitter(basis: Basis) -> None:
    """Warn if the basis could only be factorised with a jitter that may change predictions."""
    xp = namespace(basis.Z)
    typical = float(xp.mean(basis.kernel.diagonal(basis.Z)))
    if basis.jitter > NOTEWORTHY_JITTER * typical > 0.0:
        warnings.warn(
            f"the basis vectors are nearly dependent: a jitter of {basis.jitter:.1e} was added to "
            "the diagonal of their kernel matrix. Lower max_basis, or use a less smooth kernel",
            FitWarning,
            stacklevel=3,
        )
