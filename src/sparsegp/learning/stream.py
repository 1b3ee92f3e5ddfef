"""A model that learns from a stream: its warm-up, and what it does with rows after that.

Scaling and hyperparameters come from the first ``n_warmup`` rows and are then frozen. Until so
many have come, rows are kept, and whenever their number has grown fourfold the model is set up
anew from them: a model that has seen five rows predicts, too. What was forgotten or given up in
between is forgotten again. After that no row is kept. What the model is depends on the rows and
their order only, not on how they were cut into calls; ``fit`` alone knows that it has all of them.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np

from sparsegp.arrays import Array, one_blas_thread
from sparsegp.data.rows import block_size
from sparsegp.data.scaling import Scaling, fit_scaling
from sparsegp.kernels.base import FIXED, Kernel, Vector
from sparsegp.learning.optimise import maximise_from_several
from sparsegp.learning.parameters import Parameters
from sparsegp.likelihoods import Likelihood
from sparsegp.online.learn import Learned, Rule, learn, shrink
from sparsegp.online.pseudo import pseudo_evidence, pseudo_observations, put_under
from sparsegp.online.recursion import Online, new_state
from sparsegp.online.recycling import recycle

__all__ = ["SetUp", "Stream", "StreamSettings", "Task"]

EVALUATIONS_OF_RELEARNING = 60
MILESTONES_GROW_BY = 4
# Rows of the warm-up of which less than this share is left decide nothing.
REMEMBERED = 0.1


@dataclass(frozen=True)
class SetUp:
    """What the first rows decide."""

    kernel: Kernel
    likelihood: Likelihood  # of the scaled targets, for the zero-mean function
    scaling_y: Scaling
    noise_variance: float


class Task(Protocol):
    """What is learned: numbers or classes."""

    def set_up(self, X: Array, Y: Array, rng: np.random.Generator) -> SetUp:
        """Decide by the first rows: scaled inputs (n, D), targets as given (n, K)."""


@dataclass(frozen=True)
class StreamSettings:
    """Options, checked."""

    rule: Rule
    transform_inputs: str
    n_warmup: int
    seed: int


class Stream:
    """A posterior with its scaling, and the first rows as long as they are needed."""

    state: Online
    decided: SetUp
    scaling_x: Scaling

    def __init__(self, task: Task, settings: StreamSettings, n_features: int, n_outputs: int):
        self.task, self.settings = task, settings
        self.shape = (n_features, n_outputs)
        self._first: tuple[Array, Array] | None = (
            np.empty((0, n_features)),
            np.empty((0, n_outputs)),
        )
        self._milestone = 0
        self._changes: list[tuple[int, str, float]] = []  # after how many kept rows, what, how much

    def take(self, X: Array, Y: Array, *, whole: bool = False) -> Learned | None:
        """Learn rows in their order; None if the kept rows had to be learned again with them.

        ``whole`` says that they are all there is for now: the model is set up from them at once.
        """
        if self._first is None:
            return self._learn(X, Y)
        kept_X, kept_Y = (np.concatenate(pair) for pair in zip(self._first, (X, Y), strict=True))
        n_warmup = self.settings.n_warmup
        before = self._milestone
        due = min(len(kept_X), n_warmup) if whole else milestone(len(kept_X), n_warmup)
        reached = max(due, before)
        with self._unless_it_fails():
            if reached == before:
                learned = self._learn(X, Y)
            else:
                known = self._remembered(reached)
                self._set_up(kept_X[:reached][known], kept_Y[:reached][known])
                learned = self._learn_again(kept_X, kept_Y)
        self._milestone = reached
        self._first = (kept_X, kept_Y)
        if reached == n_warmup:
            self._end_warmup()
        return None if 0 < before < reached else learned

    def go_over_again(
        self, X: Array, Y: Array, learned: Learned, n_sweeps: int, *, recycled: bool
    ) -> None:
        """Learn the same rows again, ``n_sweeps`` times."""
        scaled = self.scaling_x.apply(X), self.decided.scaling_y.apply(Y)
        likelihood, n_seen = self.decided.likelihood, self.state.n_seen
        if recycled:
            sites = learned.site_precision, learned.site_shift
            with one_blas_thread():
                recycle(self.state, *scaled, likelihood, *sites, n_sweeps)
        else:
            for _ in range(n_sweeps):
                learn(self.state, *scaled, likelihood, self.settings.rule)
        self.state.n_seen = n_seen

    def relearn(self) -> None:
        """Learn the kernel anew from the basis and its pseudo-observations."""
        Z, seen = self.state.basis, pseudo_observations(self.state)

        def objective(parameters: Parameters) -> tuple[float, Vector]:
            value, by_theta = pseudo_evidence(parameters.kernel, Z, seen)
            return value, parameters.gradient(by_theta, 0.0)

        start = Parameters(self.state.kernel, self.decided.noise_variance, FIXED)
        if not len(start.vector) or not len(Z):
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

    def _learn_again(self, X: Array, Y: Array) -> Learned:
        """Learn the kept rows, with what was forgotten and given up between them."""
        parts, done = [], 0
        for at, what, how_much in self._changes:
            parts.append(self._learn(X[done:at], Y[done:at]))
            self._apply(what, how_much)
            done = at
        parts.append(self._learn(X[done:], Y[done:]))
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
        self._first, self._changes = None, []

    def latent(self, X: Array) -> tuple[Array, Array]:
        """Return mean and variance of the zero-mean function, scaled: (n, K) each."""
        size = block_size(self.state.K_zz.shape[0])
        blocks = [X[start : start + size] for start in range(0, len(X), size)]
        found = [self.state.mean_and_variance(self.scaling_x.apply(block)) for block in blocks]
        mean, variance = (np.concatenate(part) for part in zip(*found, strict=True))
        return mean, variance

    def _learn(self, X: Array, Y: Array) -> Learned:
        scaled = self.scaling_x.apply(X), self.decided.scaling_y.apply(Y)
        return learn(self.state, *scaled, self.decided.likelihood, self.settings.rule)

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

    def _set_up(self, X: Array, Y: Array) -> None:
        rng = np.random.default_rng(self.settings.seed)
        self.scaling_x = fit_scaling(X, None, self.settings.transform_inputs)
        self.decided = self.task.set_up(self.scaling_x.apply(X), Y, rng)
        self.state = new_state(self.decided.kernel, *self.shape)


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


def enough_to_learn(n_rows: int, parameters: Sequence[float] | Vector) -> bool:
    """Tell whether hyperparameters can be learned from so many rows at all."""
    return n_rows >= max(20, 2 * len(parameters))
