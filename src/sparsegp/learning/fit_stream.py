"""A model that learns from a stream: a warm-up, then one pass over the rows as they arrive.

1. Warm-up: scaling and hyperparameters come from the first ``n_warmup`` rows (``streams.tasks``)
   and are then frozen. Until these have arrived, rows are kept, and the model is set up again
   whenever their number has grown fourfold (``streams.warmup``). After that no row is kept.
2. Each further row updates the posterior on-line (``online.learn``).
3. On request the same rows are learned again in sweeps, basis vectors are deleted, the past is
   forgotten, or the kernel is learned again from the basis (``streams.relearn``).

The model depends on the rows and their order only, not on how they were cut into calls; ``fit``
alone knows that it has all of them. During the warm-up a row is seen by one model for each setup.

A call that fails half way, say in a user's own likelihood, changes nothing: the state is copied
first, O(K·m²), which is less than one of its rows costs. A single row needs no copy: it is
processed before anything is changed.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from dataclasses import replace

import numpy as np

from sparsegp.arrays import Array, one_blas_thread
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.history.progress import Listener, Progress, silent
from sparsegp.learning.streams.config import StreamConfig, StreamSettings, Task
from sparsegp.learning.streams.relearn import relearn_kernel
from sparsegp.learning.streams.warmup import (
    FORGET,
    PRUNE,
    Change,
    concatenated,
    remembered,
    segments,
    setup_size,
)
from sparsegp.model.posterior import covariance_root
from sparsegp.online.learn import Learned, Rule, learn, shrink
from sparsegp.online.recursion import Online, new_state
from sparsegp.online.running_scale import RunningScale
from sparsegp.online.site_refinement import project_sites, refine_sites
from sparsegp.tables.rows import Rows, block_size
from sparsegp.tables.transforms.columns import Columns
from sparsegp.tables.transforms.scaling import Scaling

__all__ = ["Stream"]


class Stream:
    """A posterior with its scaling, and the first rows as long as they are needed."""

    state: Online
    decided: StreamConfig
    scaling_x: Scaling | Columns
    columns: tuple[str, ...]  # the kind of transform of each
    scale: RunningScale | None  # on predictive variances; None leaves them alone

    def __init__(self, task: Task, settings: StreamSettings, n_features: int, n_outputs: int):
        self.task, self.settings = task, settings
        self.shape = (n_features, n_outputs)
        self._first: tuple[Array, Array] | None = (
            np.empty((0, n_features)),
            np.empty((0, n_outputs)),
        )
        self._first_weight = np.empty(0)
        self._milestone = 0  # rows of the last setup
        self._changes: list[Change] = []

    def take(
        self,
        X: Array,
        Y: Array,
        weight: Array | None = None,
        *,
        rule: Rule | None = None,
        whole: bool = False,
        listener: Listener = silent,
    ) -> Learned | None:
        """Learn rows in their order; None if the kept rows had to be learned again with them.

        A ``rule`` replaces the one so far. ``whole`` tells that no more rows are expected for now:
        the model is set up from them at once.
        """
        changes = rule is not None and rule != self.settings.rule
        careful = changes or self._first is not None or len(X) > 1
        with self._restored_on_error() if careful else nullcontext():
            if rule is not None and changes:
                self._follow(rule)
            if self._first is None:
                learned, again = self._learn(X, Y, weight), False
            else:
                learned, again = self._warm_up(X, Y, weight, whole)
        new = learned.log_z[-len(X) :]
        listener(Progress(Phase.ROWS.label(), self.state.n_seen, None, -float(np.mean(new))))
        return None if again else learned

    def _warm_up(
        self, X: Array, Y: Array, weight: Array | None, whole: bool
    ) -> tuple[Learned, bool]:
        """Learn rows and keep them; tell whether those before were learned again."""
        assert self._first is not None
        kept_X, kept_Y = (np.concatenate(pair) for pair in zip(self._first, (X, Y), strict=True))
        new_weight = np.ones(len(X)) if weight is None else weight
        kept_weight = np.concatenate((self._first_weight, new_weight))
        n_warmup, before = self.settings.n_warmup, self._milestone
        due = min(len(kept_X), n_warmup) if whole else setup_size(len(kept_X), n_warmup)
        reached = max(due, before)
        if reached == before:
            learned = self._learn(X, Y, weight)
        else:
            known = remembered(self._changes, reached)
            self._set_up(*(kept[:reached][known] for kept in (kept_X, kept_Y, kept_weight)))
            learned = self._learn_again(kept_X, kept_Y, kept_weight)
        self._milestone = reached
        self._first, self._first_weight = (kept_X, kept_Y), kept_weight
        if reached == n_warmup:
            self._end_warmup()
        return learned, 0 < before < reached

    def _set_up(self, X: Array, Y: Array, weight: Array) -> None:
        """Let the task decide by the first rows, and begin with an empty posterior."""
        context = FitContext(np.random.default_rng(self.settings.seed))
        counts = None if np.all(weight == 1.0) else weight
        wanted = self.settings.transform_inputs
        columns = (wanted,) * self.shape[0] if isinstance(wanted, str) else wanted
        inputs, self.decided = self.task.set_up(Rows(X, Y, counts), columns, context)
        self.scaling_x, self.columns = inputs.transform, inputs.columns
        self.state = new_state(self.decided.kernel, *self.shape)
        self._reset_scale()

    def _learn(self, X: Array, Y: Array, weight: Array | None) -> Learned:
        """Update the posterior row by row."""
        scaled = self.scaling_x.apply(X), self.decided.scaling_y.apply(Y)
        learned = learn(self.state, *scaled, self.decided.likelihood, self.settings.rule, weight)
        if self.scale is not None:
            self.scale = self.scale.after(learned.squared_z, weight)
        return learned

    def _learn_again(self, X: Array, Y: Array, weight: Array) -> Learned:
        """Learn the kept rows, with the changes between them."""
        parts = []
        for rows, change in segments(self._changes):
            parts.append(self._learn(X[rows], Y[rows], weight[rows]))
            if change is not None:
                self._apply(*change[1:])
        return concatenated(parts)

    def _end_warmup(self) -> None:
        """Keep no row from now on."""
        self._first, self._first_weight, self._changes = None, np.empty(0), []

    def go_over_again(
        self,
        X: Array,
        Y: Array,
        weight: Array | None,
        learned: Learned,
        n_sweeps: int,
        *,
        recycled: bool,
        listener: Listener = silent,
    ) -> None:
        """Learn the same rows again, ``n_sweeps`` times."""
        if not self.state.n_basis:  # the tolerance lets no row join
            return
        scaled = self.scaling_x.apply(X), self.decided.scaling_y.apply(Y)
        likelihood, n_seen = self.decided.likelihood, self.state.n_seen
        sites = learned.site_precision, learned.site_shift
        if recycled:
            project_sites(self.state, scaled[0], *sites)
        for sweep in range(n_sweeps):
            if recycled:
                with one_blas_thread():
                    log_z = refine_sites(self.state, *scaled, likelihood, *sites, 1, weight)
            else:
                log_z = learn(self.state, *scaled, likelihood, self.settings.rule, weight).log_z
            label = Phase.SWEEP.label(str(sweep + 2))
            listener(Progress(label, len(X), len(X), -float(np.mean(log_z))))
        self.state.n_seen = n_seen

    def relearn(self) -> None:
        """Learn the kernel again from the basis and its pseudo-observations."""
        if relearn_kernel(self.state, self.decided.noise_variance, self.settings.seed):
            self._reset_scale()  # the errors so far were those of another kernel
            self._end_warmup()

    def prune(self, n_basis: int) -> None:
        """Delete basis vectors until ``n_basis`` are left."""
        self._change(PRUNE, n_basis)

    def forget(self, rate: float) -> None:
        """Let what was learned fade."""
        self._change(FORGET, rate)

    def _change(self, what: str, how_much: float) -> None:
        """Change the posterior, and record it as long as rows may be learned again."""
        self._apply(what, how_much)
        if self._first is not None:
            self._changes.append((len(self._first[0]), what, how_much))

    def _apply(self, what: str, how_much: float) -> None:
        if what == FORGET:
            self.state.forget(how_much)
            return
        with one_blas_thread():
            shrink(self.state, int(how_much), self.settings.rule.deletion)

    def _follow(self, rule: Rule) -> None:
        """Learn by another rule from now on; basis vectors beyond its limit are deleted."""
        self.settings = replace(self.settings, rule=rule)
        with one_blas_thread():
            shrink(self.state, rule.max_basis, rule.deletion)

    def latent(self, X: Array) -> tuple[Array, Array]:
        """Return mean and variance of the zero-mean function, scaled: (n, K) each."""
        size = block_size(self.state.K_zz.shape[0])
        blocks = [X[start : start + size] for start in range(0, len(X), size)]
        found = [self.state.mean_and_variance(self.scaling_x.apply(block)) for block in blocks]
        mean, variance = (np.concatenate(part) for part in zip(*found, strict=True))
        return mean, variance

    def latent_deviations(self, X: Array, n_samples: int, rng: np.random.Generator) -> Array:
        """Return joint samples of the functions minus their means, scaled: (n, K, n_samples)."""
        each = [
            covariance_root(covariance) @ rng.standard_normal((len(X), n_samples))
            for covariance in self.state.covariances(self.scaling_x.apply(X))
        ]
        return np.stack(each, axis=1)

    def _reset_scale(self) -> None:
        """Leave predictive variances as they are, until errors of new rows are known."""
        self.scale = RunningScale.initial(self.shape[1]) if self.decided.calibrated else None

    @contextmanager
    def _restored_on_error(self) -> Iterator[None]:
        """Restore everything if a call fails."""
        before = dict(self.__dict__)
        if "state" in before:
            before["state"] = deepcopy(self.state)
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
