"""A model that learns from a stream: its warm-up, and what it does with rows after that.

Scaling and hyperparameters come from the first ``n_warmup`` rows and are then frozen. Until so
many have come, rows are kept, and whenever their number has grown fourfold the model is set up
anew from them: a model that has seen five rows predicts, too. What was forgotten or given up in
between is forgotten again. After that no row is kept. What the model is depends on the rows and
their order only, not on how they were cut into calls; ``fit`` alone knows that it has all of them.

A call that fails half way, say in a likelihood of the user's own, changes nothing: the state is
copied first, O(K·m²), which is less than one of its rows costs. A single row is not worth a copy:
it is confronted before anything is changed.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from typing import Protocol

import numpy as np

from sparsegp.arrays import Array, one_blas_thread
from sparsegp.kernels.base import FIXED, Kernel, Vector
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.progress import Listener, Progress, silent
from sparsegp.learning.hyperparameters.optimise import maximise_from_several
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.likelihoods import Likelihood
from sparsegp.online.learn import Learned, Rule, learn, shrink
from sparsegp.online.pseudo_observations import pseudo_evidence, pseudo_observations, put_under
from sparsegp.online.recursion import Online, new_state
from sparsegp.online.running_scale import RunningScale
from sparsegp.online.site_refinement import put_on_basis, recycle
from sparsegp.tables.rows import Rows, block_size
from sparsegp.tables.transforms.columns import Columns
from sparsegp.tables.transforms.scaling import Scaling

__all__ = ["Inputs", "Stream", "StreamConfig", "StreamSettings", "Task"]

EVALUATIONS_OF_RELEARNING = 60
MILESTONES_GROW_BY = 4
# Rows of the warm-up of which less than this share is left decide nothing.
REMEMBERED = 0.1


@dataclass(frozen=True)
class StreamConfig:
    """What the first rows decide."""

    kernel: Kernel
    likelihood: Likelihood  # of the scaled targets, for the zero-mean function
    scaling_y: Scaling
    noise_variance: float
    calibrated: bool = False  # whether variances follow the errors of the last rows


@dataclass(frozen=True)
class Inputs:
    """What becomes of the columns, as the first rows decide."""

    transform: Scaling | Columns
    columns: tuple[str, ...]  # what became of each


class Task(Protocol):
    """What is learned: numbers or classes."""

    def set_up(
        self, rows: Rows, columns: tuple[str, ...], context: FitContext
    ) -> tuple[Inputs, StreamConfig]:
        """Decide by the first rows, as given: (n, D) and (n, K); columns may be left open."""


@dataclass(frozen=True)
class StreamSettings:
    """Options, checked."""

    rule: Rule
    transform_inputs: str | tuple[str, ...]  # of all columns, or of each
    n_warmup: int
    seed: int


class Stream:
    """A posterior with its scaling, and the first rows as long as they are needed."""

    state: Online
    decided: StreamConfig
    scaling_x: Scaling | Columns
    columns: tuple[str, ...]  # what became of each
    scale: RunningScale | None  # on predictive variances; None leaves them alone

    def __init__(self, task: Task, settings: StreamSettings, n_features: int, n_outputs: int):
        self.task, self.settings = task, settings
        self.shape = (n_features, n_outputs)
        self._first: tuple[Array, Array] | None = (
            np.empty((0, n_features)),
            np.empty((0, n_outputs)),
        )
        self._first_weight = np.empty(0)
        self._milestone = 0
        self._changes: list[tuple[int, str, float]] = []  # after how many kept rows, what, how much

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

        A ``rule`` takes the place of the one so far. ``whole`` says that they are all there is
        for now: the model is set up from them at once.
        """
        changes = rule is not None and rule != self.settings.rule
        careful = changes or self._first is not None or len(X) > 1
        with self._unless_it_fails() if careful else nullcontext():
            if rule is not None and changes:
                self._follow(rule)
            if self._first is None:
                learned, again = self._learn(X, Y, weight), False
            else:
                learned, again = self._warm_up(X, Y, weight, whole)
        new = learned.log_z[-len(X) :]
        listener(Progress("rows", self.state.n_seen, None, -float(np.mean(new))))
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
        due = min(len(kept_X), n_warmup) if whole else milestone(len(kept_X), n_warmup)
        reached = max(due, before)
        if reached == before:
            learned = self._learn(X, Y, weight)
        else:
            known = self._remembered(reached)
            part = (kept[:reached][known] for kept in (kept_X, kept_Y, kept_weight))
            self._set_up(*part)
            learned = self._learn_again(kept_X, kept_Y, kept_weight)
        self._milestone = reached
        self._first, self._first_weight = (kept_X, kept_Y), kept_weight
        if reached == n_warmup:
            self._end_warmup()
        return learned, 0 < before < reached

    def _follow(self, rule: Rule) -> None:
        """Learn by another rule from now on; what is above its limit is given up."""
        self.settings = replace(self.settings, rule=rule)
        with one_blas_thread():
            shrink(self.state, rule.max_basis, rule.deletion)

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
            put_on_basis(self.state, scaled[0], *sites)
        for sweep in range(n_sweeps):
            if recycled:
                with one_blas_thread():
                    log_z = recycle(self.state, *scaled, likelihood, *sites, 1, weight)
            else:
                log_z = learn(self.state, *scaled, likelihood, self.settings.rule, weight).log_z
            listener(Progress(f"sweep {sweep + 2}", len(X), len(X), -float(np.mean(log_z))))
        self.state.n_seen = n_seen

    def relearn(self) -> None:
        """Learn the kernel anew from the basis and its pseudo-observations."""
        if not self.state.n_basis:
            return
        self.state.refactor()  # whitening wants a Gram matrix that has an inverse
        Z, seen = self.state.basis, pseudo_observations(self.state)
        if not any(len(output.t) for output in seen):  # all was forgotten
            return

        def objective(parameters: Parameters) -> tuple[float, Vector]:
            value, by_theta = pseudo_evidence(parameters.kernel, Z, seen)
            return value, parameters.gradient(by_theta, 0.0)

        start = Parameters(self.state.kernel, self.decided.noise_variance, FIXED)
        if not len(start.vector):
            return
        found = maximise_from_several(
            objective,
            start,
            0,
            np.random.default_rng(self.settings.seed),
            max_evaluations=EVALUATIONS_OF_RELEARNING,
            scale=float(max(len(Z), 1)),
        )
        put_under(self.state, found.parameters.kernel, seen)
        self._trust()  # the errors so far were those of another kernel
        self._end_warmup()

    def prune(self, n_basis: int) -> None:
        """Give up basis vectors until so many are left."""
        self._change("prune", n_basis)

    def forget(self, rate: float) -> None:
        """Let what was learned fade."""
        self._change("forget", rate)

    def _change(self, what: str, how_much: float) -> None:
        """Change the posterior, and remember it as long as rows may be learned again."""
        self._apply(what, how_much)
        if self._first is not None:
            self._changes.append((len(self._first[0]), what, how_much))

    def _apply(self, what: str, how_much: float) -> None:
        if what == "forget":
            self.state.forget(how_much)
            return
        with one_blas_thread():
            shrink(self.state, int(how_much), self.settings.rule.deletion)

    def _learn_again(self, X: Array, Y: Array, weight: Array) -> Learned:
        """Learn the kept rows, with what was forgotten and given up between them."""
        parts, done = [], 0
        for at, what, how_much in self._changes:
            rows = slice(done, at)
            parts.append(self._learn(X[rows], Y[rows], weight[rows]))
            self._apply(what, how_much)
            done = at
        parts.append(self._learn(X[done:], Y[done:], weight[done:]))
        names = [field.name for field in fields(Learned)]
        return Learned(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))

    def _remembered(self, n_rows: int) -> Array:
        """Tell which of the first kept rows are not as good as forgotten: (n_rows,)."""
        share = np.ones(n_rows)
        for at, what, how_much in self._changes:
            if what == "forget":
                share[:at] *= 1.0 - how_much
        known = share >= REMEMBERED
        return known if known.any() else np.ones(n_rows, dtype=bool)

    def _end_warmup(self) -> None:
        """Keep no row from now on."""
        self._first, self._first_weight, self._changes = None, np.empty(0), []

    def latent(self, X: Array) -> tuple[Array, Array]:
        """Return mean and variance of the zero-mean function, scaled: (n, K) each."""
        size = block_size(self.state.K_zz.shape[0])
        blocks = [X[start : start + size] for start in range(0, len(X), size)]
        found = [self.state.mean_and_variance(self.scaling_x.apply(block)) for block in blocks]
        mean, variance = (np.concatenate(part) for part in zip(*found, strict=True))
        return mean, variance

    def _learn(self, X: Array, Y: Array, weight: Array | None) -> Learned:
        scaled = self.scaling_x.apply(X), self.decided.scaling_y.apply(Y)
        learned = learn(self.state, *scaled, self.decided.likelihood, self.settings.rule, weight)
        if self.scale is not None:
            self.scale = self.scale.after(learned.surprise, weight)
        return learned

    def _trust(self) -> None:
        """Take predictive variances as they are, until rows tell otherwise."""
        self.scale = RunningScale.at_first(self.shape[1]) if self.decided.calibrated else None

    @contextmanager
    def _unless_it_fails(self) -> Iterator[None]:
        """Let a failure leave everything as it was."""
        before = dict(self.__dict__)
        if "state" in before:
            before["state"] = deepcopy(self.state)
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _set_up(self, X: Array, Y: Array, weight: Array) -> None:
        context = FitContext(np.random.default_rng(self.settings.seed))
        counts = None if np.all(weight == 1.0) else weight
        wanted = self.settings.transform_inputs
        columns = (wanted,) * self.shape[0] if isinstance(wanted, str) else wanted
        inputs, self.decided = self.task.set_up(Rows(X, Y, counts), columns, context)
        self.scaling_x, self.columns = inputs.transform, inputs.columns
        self.state = new_state(self.decided.kernel, *self.shape)
        self._trust()


def milestone(n_rows: int, n_warmup: int) -> int:
    """Return the largest number of rows, up to n_rows, at which a model is set up.

    >>> [milestone(n, 500) for n in (1, 3, 4, 300, 500, 9000)]
    [1, 1, 4, 256, 500, 500]
    """
    if n_rows >= n_warmup:
        return n_warmup
    reached = 1
    while reached * MILESTONES_GROW_BY <= n_rows:
        reached *= MILESTONES_GROW_BY
    return reached


def enough_to_learn(rows: Rows, parameters: Sequence[float] | Vector) -> bool:
    """Tell whether hyperparameters can be learned from so many rows at all."""
    return rows.total_weight >= max(20, 2 * len(parameters))
