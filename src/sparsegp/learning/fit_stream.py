"""A model that learns from a stream: a warm-up, then one pass over the rows as they arrive.

1. Warm-up: scaling and hyperparameters come from the first ``n_warmup`` rows (``streams.tasks``).
   Until these have arrived, rows are kept, and the model is set up again whenever their number has
   grown fourfold (``streams.warmup``).
2. Each further row updates the posterior on-line, while older rows fade (``online``). If the model
   no longer predicts as well as it did, another one is set up from the last rows and takes over if
   it predicts better (``streams.rivalry``).
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
from dataclasses import replace

import numpy as np

from sparsegp.arrays import Array, one_blas_thread
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.history.progress import Listener, Progress, silent
from sparsegp.learning.streams.config import StreamConfig, StreamSettings, Task
from sparsegp.learning.streams.lags import History
from sparsegp.learning.streams.model import StreamModel, set_up
from sparsegp.learning.streams.rivalry import Rivalry, learn_beside_rival
from sparsegp.learning.streams.warmup import (
    FORGET,
    PRUNE,
    Change,
    remembered,
    segments,
    setup_size,
)
from sparsegp.model.noise.distribution import NORMAL, NoiseDistribution
from sparsegp.model.posterior import covariance_root
from sparsegp.online.last_value import LastValue
from sparsegp.online.learn import Learned, Rule, learn
from sparsegp.online.learn_and_forget import concatenated
from sparsegp.online.recursion import Online
from sparsegp.online.running_tails import RunningTails
from sparsegp.online.site_refinement import project_sites, refine_sites
from sparsegp.tables.rows import Rows, block_size
from sparsegp.tables.transforms.columns import Columns
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.validation import within_reach

__all__ = ["Stream"]


class Stream:
    """A model that learns row by row, and the first rows as long as they are needed."""

    model: StreamModel

    def __init__(self, task: Task, settings: StreamSettings, n_features: int, n_outputs: int):
        self.task, self.settings = task, settings
        n_inputs = n_features + settings.lags.n_features(n_outputs)
        self.shape = (n_inputs, n_outputs)
        self.history = History.empty(settings.lags, n_features, n_outputs)
        self._first: tuple[Array, Array] | None = (
            np.empty((0, n_inputs)),
            np.empty((0, n_outputs)),
        )
        self._first_weight = np.empty(0)
        self._milestone = 0  # rows of the last setup
        self._changes: list[Change] = []
        self._ordered = True  # whether a row is older than the next one
        self._rivalry = Rivalry.none(n_inputs, n_outputs)
        self._posterior: Online | None = None  # of the model, until it learns more
        self._last = LastValue.initial(n_outputs) if settings.uses_last else None

    def take(
        self,
        X: Array,
        Y: Array,
        weight: Array | None = None,
        *,
        rule: Rule | None = None,
        whole: bool = False,
        ordered: bool = True,
        listener: Listener = silent,
    ) -> Learned | None:
        """Learn rows in their order; None if the kept rows had to be learned again with them.

        A ``rule`` replaces the one so far. ``whole`` tells that no more rows are expected for now:
        the model is set up from them at once. Of rows that are not ``ordered`` none is forgotten.
        """
        changes = rule is not None and rule != self.settings.rule
        careful = changes or self._first is not None or len(X) > 1 or ordered != self._ordered
        with self._restored_on_error() if careful else nullcontext():
            if rule is not None and changes:
                self._follow(rule)
            self._ordered = ordered
            inputs, targets = self.history.for_learning(X, Y)
            if self._first is None:
                learned, again = self._learn(inputs, targets, weight), False
            else:
                learned, again = self._warm_up(inputs, targets, weight, whole)
            self.history = self.history.after(X, Y)
            if self._last is not None and ordered:
                last = slice(len(learned.q) - len(X), None)
                unit = self.decided.scaling_y.scale
                self._last = self._last.after(Y, learned.q[last], learned.r[last], unit)
        if listener is not silent:
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
            first = (kept[:reached][known] for kept in (kept_X, kept_Y, kept_weight))
            previous = self.decided if before else None
            self.model = set_up(self.task, self.settings, Rows(*first), self._forgetting, previous)
            learned = self._learn_again(kept_X, kept_Y, kept_weight)
        self._milestone = reached
        self._first, self._first_weight = (kept_X, kept_Y), kept_weight
        if reached == n_warmup:
            self._end_warmup()
        return learned, 0 < before < reached

    @property
    def _forgetting(self) -> str | float | None:
        return self.settings.forgetting if self._ordered else None

    def _learn(self, X: Array, Y: Array, weight: Array | None) -> Learned:
        """Update the posterior row by row."""
        self._posterior = None
        if self._ordered:
            for model in self._models:
                model.start_forgetting(self.settings.forgetting)
        if self._first is not None or not (self._ordered and self.settings.relearns):
            return self.model.learn(X, Y, weight, self.settings.rule).learned
        learned, self.model, self._rivalry = learn_beside_rival(
            self.model, self._rivalry, self.task, self.settings, X, Y, weight
        )
        return learned

    def _learn_again(self, X: Array, Y: Array, weight: Array) -> Learned:
        """Learn the kept rows, with the changes between them."""
        parts = []
        for rows, change in segments(self._changes):
            if len(X[rows]):
                parts.append(self._learn(X[rows], Y[rows], weight[rows]))
            if change is not None:
                self._apply(*change[1:])
        return concatenated(parts)

    def _end_warmup(self) -> None:
        """Keep the last rows alone from now on, if a rival may need them."""
        if self._first is not None and self.settings.relearns:
            self._rivalry = self._rivalry.with_recent(*self._first, self._first_weight)
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
        """Learn the same rows again, ``n_sweeps`` times; there is no forgetting yet."""
        self._posterior, state = None, self.model.posteriors
        if not state.n_basis:  # the tolerance lets no row join
            return
        X, Y = History.empty(self.settings.lags, X.shape[1], Y.shape[1]).for_learning(X, Y)
        scaled = self.scaling_x.apply(X), self.decided.scaling_y.apply(Y)
        likelihood, n_seen = self.decided.likelihood, state.n_seen
        sites = learned.sites
        if recycled:
            project_sites(state, scaled[0], *sites)
        for sweep in range(n_sweeps):
            if recycled:
                with one_blas_thread():
                    log_z = refine_sites(state, *scaled, likelihood, *sites, 1, weight)
            else:
                log_z = learn(state, *scaled, likelihood, self.settings.rule, weight).log_z
            label = Phase.SWEEP.label(str(sweep + 2))
            listener(Progress(label, len(X), len(X), -float(np.mean(log_z))))
        state.n_seen = n_seen

    def change_forgetting(self, forgetting: str | float | None, relearns: bool) -> None:
        """Forget at another rate from now on."""
        self.settings = replace(self.settings, forgetting=forgetting, relearns=relearns)

    def relearn(self) -> None:
        """Learn the kernel again from the basis and its pseudo-observations."""
        self._posterior = None
        if self._last is not None:  # the errors so far were those of another kernel
            self._last = LastValue.initial(self.shape[1])
        if self.model.relearn(self.settings.seed):
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
        self._posterior = None
        if what == FORGET and self._last is not None:
            self._last = self._last.forgotten(how_much)
        for model in self._models:
            if what == FORGET:
                model.forget(how_much)
            else:
                model.shrink(int(how_much), self.settings.rule.deletion)

    def _follow(self, rule: Rule) -> None:
        """Learn by another rule from now on; basis vectors beyond its limit are deleted."""
        self.settings = replace(self.settings, rule=rule)
        for model in self._models:
            model.shrink(rule.max_basis, rule.deletion)

    @property
    def _models(self) -> list[StreamModel]:
        """The model and its rival, if there is one."""
        return [self.model] + ([] if self._rivalry.rival is None else [self._rivalry.rival])

    @property
    def state(self) -> Online:
        """The posterior that predictions are made with."""
        if self._posterior is None:
            self._posterior = self.model.state
        return self._posterior

    @property
    def decided(self) -> StreamConfig:
        """What the first rows decided."""
        return self.model.decided

    @property
    def scaling_x(self) -> Scaling | Columns:
        """The transform of the inputs."""
        return self.model.scaling_x

    @property
    def columns(self) -> tuple[str, ...]:
        """The kind of transform of each input."""
        return self.model.columns

    @property
    def variance_scale(self) -> Array:
        """The factors on predictive variances, without the last target: (K,)."""
        tails = self.model.tails
        return np.ones(self.shape[1]) if tails is None else tails.factors

    @property
    def scaling_y(self) -> Scaling:
        """The scaling of the next target: with the last target, if that is the mean."""
        scaling = self.decided.scaling_y
        if not self.settings.lags.last_mean:
            return scaling
        return Scaling(scaling.offset + self.history.last, scaling.scale)

    def towards_last(self, mean: Array) -> Array:
        """Return scaled means (n, K), moved towards the last target as far as that has paid."""
        if self._last is None or not self._last.used.any():
            return mean
        share = self._last.share
        return (1.0 - share) * mean + share * self.decided.scaling_y.apply(self._last.target)

    def variance_factors(self, variance: Array) -> Array:
        """Return the factors on predictive variances (n, K) of scaled targets: (n, K)."""
        found = self._running_tails
        if found is None:
            return np.ones_like(variance)
        if self._last is None or not self._last.used.any():
            return np.broadcast_to(found.factors, variance.shape)
        return found.factors / variance**self._last.share

    @property
    def tails(self) -> NoiseDistribution:
        """The shape of the errors of targets."""
        found = self._running_tails
        return NORMAL if found is None else found.tails

    @property
    def _running_tails(self) -> RunningTails | None:
        tails = self.model.tails
        return tails if tails is None or self._last is None else self._last.chosen(tails)

    @property
    def label_scale(self) -> float:
        """The factor on the latent functions of labels."""
        scale = self.model.label_scale
        return 1.0 if scale is None else scale.value

    def latent(self, X: Array) -> tuple[Array, Array]:
        """Return mean and variance of the zero-mean function, scaled: (n, K) each."""
        X = self.history.for_prediction(X)
        size = block_size(self.state.K_zz.shape[0])
        blocks = [X[start : start + size] for start in range(0, len(X), size)]
        found = [self.state.mean_and_variance(self._scaled(block)) for block in blocks]
        if len(found) == 1:
            mean, variance = found[0]
        else:
            mean, variance = (np.concatenate(part) for part in zip(*found, strict=True))
        kept = self.decided.kept(variance)
        return kept * mean, kept * variance

    def latent_deviations(self, X: Array, n_samples: int, rng: np.random.Generator) -> Array:
        """Return joint samples of the functions minus their means, scaled: (n, K, n_samples)."""
        inputs = self._scaled(self.history.for_prediction(X))
        each = []
        for covariance in self.state.covariances(inputs):
            drawn = covariance_root(covariance) @ rng.standard_normal((len(X), n_samples))
            each.append(self._limited(drawn, covariance.diagonal()[:, None], rng))
        return np.stack(each, axis=1)

    def _limited(self, drawn: Array, variance: Array, rng: np.random.Generator) -> Array:
        """Return samples (n, s) of functions with variances (n, 1) as ``latent`` has them.

        With the share c that is kept, c f + ε has the variance c v if that of ε is c (1 − c) v.
        """
        if self.decided.largest_variance is None:
            return drawn
        kept, noise = self.decided.kept(variance), rng.standard_normal(drawn.shape)
        return kept * drawn + np.sqrt(kept * (1.0 - kept) * variance) * noise

    def _scaled(self, X: Array) -> Array:
        return within_reach("X", self.scaling_x.apply(X))

    @contextmanager
    def _restored_on_error(self) -> Iterator[None]:
        """Restore everything if a call fails."""
        before = dict(self.__dict__)
        if "model" in before:
            kept, rival = self.model.copy(), self._rivalry.rival
            rivalry = replace(self._rivalry, rival=None if rival is None else rival.copy())
            before |= {"model": kept, "_posterior": None, "_rivalry": rivalry}
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
