"""A model and its rival, which was set up from recent rows, learn the same rows.

Decisions are made every ``ROWS_BETWEEN_DECISIONS`` rows, counted from the first row of the stream.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from sparsegp.arrays import Array
from sparsegp.exceptions import SparseGPError
from sparsegp.learning.streams import policy
from sparsegp.learning.streams.config import StreamSettings, Task
from sparsegp.learning.streams.model import StreamModel, set_up
from sparsegp.learning.streams.watch import Recent, Watch
from sparsegp.online.learn import Learned
from sparsegp.online.learn_and_forget import concatenated
from sparsegp.tables.rows import Rows

__all__ = ["Rivalry", "learn_beside_rival"]


@dataclass(frozen=True)
class Rivalry:
    """The rival, if there is one, and what decides about it."""

    recent: Recent
    watch: Watch = field(default_factory=Watch)
    rival: StreamModel | None = None

    @classmethod
    def none(cls, n_features: int, n_outputs: int) -> "Rivalry":
        """Return that of a stream before its first row."""
        return cls(Recent.none(n_features, n_outputs))

    def with_recent(self, X: Array, Y: Array, weight: Array) -> "Rivalry":
        """Return it with the rows of the warm-up as recent ones."""
        return replace(self, recent=self.recent.after(X, Y, weight))


def learn_beside_rival(
    model: StreamModel,
    rivalry: Rivalry,
    task: Task,
    settings: StreamSettings,
    X: Array,
    Y: Array,
    weight: Array | None,
) -> tuple[Learned, StreamModel, Rivalry]:
    """Learn rows by both, and return what was learned, the model to go on with, and its rival."""
    parts, done, every = [], 0, policy.ROWS_BETWEEN_DECISIONS
    while done < len(X):
        n = min(len(X) - done, every - model.posteriors.n_seen % every)
        rows = slice(done, done + n)
        own = None if weight is None else weight[rows]
        found = model.learn(X[rows], Y[rows], own, settings.rule)
        parts.append(found.learned)
        densities = model.log_densities(found)
        watch = rivalry.watch.after(densities)
        if rivalry.rival is not None:
            other = rivalry.rival.learn(X[rows], Y[rows], own, settings.rule)
            watch = watch.compared(densities, rivalry.rival.log_densities(other))
        recent = rivalry.recent.after(X[rows], Y[rows], own)
        rivalry = Rivalry(recent, watch, rivalry.rival)
        if model.posteriors.n_seen % every == 0:
            model, rivalry = _decided(model, rivalry, task, settings)
        done += n
    return concatenated(parts), model, rivalry


def _decided(
    model: StreamModel, rivalry: Rivalry, task: Task, settings: StreamSettings
) -> tuple[StreamModel, Rivalry]:
    """Let the better one go on, or set up a rival."""
    watch, rival, recent = rivalry.watch, rivalry.rival, rivalry.recent
    if rival is not None and watch.rival_wins:
        rival.posteriors.n_seen = model.posteriors.n_seen
        return rival, Rivalry(recent)
    if rival is not None and watch.rival_loses and not watch.misfit:
        return model, replace(rivalry, rival=None, watch=watch.without_rival())
    rows = _reason(model, rivalry, settings)
    if not rows:
        return model, rivalry
    rival = _new_rival(Rows(*recent.last(rows)), task, settings, model)
    watch = watch.without_rival() if rival is None else replace(watch, lead=0.0, trial=0)
    return model, replace(rivalry, rival=rival, watch=watch)


def _reason(model: StreamModel, rivalry: Rivalry, settings: StreamSettings) -> int:
    """Return how many of the last rows should set up a rival; 0 for none."""
    watch, recent = rivalry.watch, rivalry.recent
    if watch.misfit:
        return min(watch.below + policy.WATCHED_ROWS // 2, len(recent))
    if watch.pause or rivalry.rival is not None:
        return 0
    if model.ignored is not None and recent.moved(model.ignored) >= policy.MOVED_ROWS:
        return len(recent)
    few = settings.n_warmup < policy.RECENT_ROWS
    return len(recent) if few and model.posteriors.n_seen == policy.RECENT_ROWS else 0


def _new_rival(
    rows: Rows, task: Task, settings: StreamSettings, model: StreamModel
) -> StreamModel | None:
    """Return a model that was set up from recent rows and has learned them; None if it cannot."""
    try:
        rival = set_up(task, settings, rows, settings.forgetting, model.decided)
        rival.learn(rows.X, rows.y, rows.weight, settings.rule)
    except (SparseGPError, np.linalg.LinAlgError):
        return None
    return rival
