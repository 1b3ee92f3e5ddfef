"""Elimination of chosen candidates in operations of the array API, for arrays of any library.

The same as ``elimination``, and the same choices to rounding, for devices on which every operation
costs a launch and every number that the host looks at a wait. So steps are taken in sweeps
(``sweep``): a panel of them on the device, then one small matrix is copied to the host, which hands
the choices out one by one. The matrices are complete, never shrink, and lose the chosen candidates
by one product a sweep. If the host finds that a step needed what the sweep did not know, the steps
from there on are taken again.
"""

import array_api_compat
import numpy as np
from numpy.typing import NDArray

from sparsegp.arrays import (
    Array,
    Replay,
    add_product,
    mirror_lower,
    namespace,
    safe_cholesky,
    solve_lower,
    take,
    to_numpy,
)
from sparsegp.selection.criteria import Gain, Schur
from sparsegp.selection.elimination import Best
from sparsegp.selection.policy import DEVICE_PANEL, EXHAUSTED
from sparsegp.selection.sweep import Steps, sweep, without

__all__ = ["ArrayApiElimination"]


class ArrayApiElimination:
    """S, K_cc and b with the chosen candidates eliminated; see ``Elimination``."""

    def __init__(
        self,
        S: Array,
        K: Array,
        b: Array,
        S_diagonal: Array | None = None,
        K_diagonal: Array | None = None,
        reach: float | None = None,
    ) -> None:
        xp = self._xp = namespace(S)
        s, k = xp.linalg.diagonal(S) + 0.0, xp.linalg.diagonal(K) + 0.0
        k = xp.where(s > 0.0, k, xp.zeros_like(k))  # else a duplicate: its s is all rounding
        S_diagonal = s + 0.0 if S_diagonal is None else S_diagonal
        K_diagonal = k + 0.0 if K_diagonal is None else K_diagonal
        k = k if reach is None else s / reach
        # at the start of the sweep, written in place where the library allows it
        self._start = Schur(b + 0.0, s, k, S_diagonal, K_diagonal, EXHAUSTED * s)
        self.rank: NDArray[np.intp] = np.arange(S.shape[0])
        self._waiting, self._reach = mirror_lower(K), reach
        self._matrices = [mirror_lower(S)] + ([self._waiting] if reach is None else [])
        self._chosen: list[int] = []
        self._replay: Replay[Steps] = Replay(S)
        self._steps: Steps | None = None
        self._numbers = np.empty((5, 0))  # of the steps of the sweep
        self._used = 0  # of them

    @property
    def left(self) -> Schur:
        """The complements of all candidates; s and k of chosen ones are not positive."""
        if self._steps is None:
            return self._start
        return without(self._start, self._steps, self._used, self._bound)

    @property
    def _bound(self) -> float | None:
        """Σ w k(x, x) + σ² as long as K is not followed."""
        return self._reach if len(self._matrices) == 1 else None

    def best(self, gain: Gain, measure: Gain, variance: float) -> Best | None:
        """Return the candidate of largest gain; None if none is usable."""
        if len(self._chosen) == len(self.rank):
            return None
        if self._used == self._numbers.shape[1]:
            self._sweep(gain, measure, variance)
        _, found, _, n_usable, n_independent = self._numbers[:, self._used]
        if self._bound is not None and n_independent < len(self.rank) - len(self._chosen):
            self._eliminate_from_K()  # s alone no longer shows duplicates
            self._sweep(gain, measure, variance)
            _, found, _, n_usable, n_independent = self._numbers[:, self._used]
        if not n_usable or not np.isfinite(found):
            return None
        j, decrease = int(self._numbers[0, self._used]), float(self._numbers[2, self._used])
        return Best(j, j, decrease, int(n_usable), int(n_independent))

    def eliminate(self, j: int) -> None:
        """Eliminate the best candidate, at position j."""
        self._chosen.append(j)
        self._used += 1

    def _sweep(self, gain: Gain, measure: Gain, variance: float) -> None:
        """Take the next steps on the device."""
        self._downdate()
        length = min(DEVICE_PANEL, len(self.rank) - len(self._chosen))
        if length != self._numbers.shape[1]:
            self._replay = Replay(self._start.s)

        def work() -> Steps:
            bound = self._bound
            return sweep(self._matrices, self._start, length, gain, measure, variance, bound)

        with np.errstate(divide="ignore", invalid="ignore"):  # of unusable candidates
            self._steps = self._replay(work)
        self._numbers, self._used = to_numpy(self._steps.numbers), 0

    def _downdate(self) -> None:
        """Subtract the steps that were used from the matrices, and forget the others."""
        if self._steps is not None and self._used:
            after = self.left
            for index, rows in enumerate(self._steps.rows):
                F = rows[: self._used, :]  # (t, c)
                self._matrices[index] = add_product(self._matrices[index], F.T, F, -1.0)
            for name in ("r", "s", "k"):
                self._write(name, getattr(after, name))
        self._steps, self._used = None, 0

    def _write(self, name: str, value: Array) -> None:
        """Set a part of the complements, in place where the library allows it."""
        part = getattr(self._start, name)
        if array_api_compat.is_writeable_array(part):
            part[...] = value
        else:
            setattr(self._start, name, value)

    def _eliminate_from_K(self) -> None:
        """Eliminate the chosen ones from K as well, and follow K from now on."""
        self._downdate()
        xp, start, rest = self._xp, self._start, self._waiting
        gone = start.s <= 0.0
        if self._chosen:
            chosen = np.array(self._chosen, dtype=np.intp)
            lines = take(rest, chosen)  # (t, c)
            V = solve_lower(safe_cholesky(take(lines.T, chosen)).L, lines)  # (t, c)
            rest = add_product(rest, V.T, V, -1.0)
            places = xp.arange(len(self.rank), device=rest.device)
            gone = xp.any(places[:, None] == xp.asarray(chosen, device=rest.device), axis=1)
        k = xp.linalg.diagonal(rest)
        self._write("k", xp.where(gone, xp.zeros_like(k), k))
        self._matrices.append(rest)
        self._replay = Replay(start.s)
