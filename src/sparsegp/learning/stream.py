"""A model that learns from a stream: its warm-up, and what it does with rows after that.

Scaling and hyperparameters come from the first ``n_warmup`` rows and are then frozen. Until so
many have come, rows are kept, and whenever their number has grown fourfold the model is set up
anew from them: a model that has seen five rows predicts, too. After that no row is kept. What
the model is depends on the rows and their order only, not on how they were cut into calls.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
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

    def take(self, X: Array, Y: Array) -> Learned | None:
        """Learn rows in their order; None if the kept rows had to be learned again with them."""
        if self._first is None:
            return self._learn(X, Y)
        kept_X, kept_Y = (np.concatenate(pair) for pair in zip(self._first, (X, Y), strict=True))
        n_warmup = self.settings.n_warmup
        reached, before = milestone(len(kept_X), n_warmup), self._milestone
        if reached == before:
            learned = self._learn(X, Y)
        else:
            with self._unless_it_fails():
                self._set_up(kept_X[:reached], kept_Y[:reached])
                learned = self._learn(kept_X, kept_Y)
        self._milestone = reached
        self._first = None if reached == n_warmup else (kept_X, kept_Y)
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

    def prune(self, n_basis: int) -> None:
        """Give up basis vectors until so many are left."""
        with one_blas_thread():
            shrink(self.state, n_basis, self.settings.rule.deletion)

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
