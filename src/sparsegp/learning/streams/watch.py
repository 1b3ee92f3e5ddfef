"""Evidence that the hyperparameters of a stream no longer fit.

The log predictive density of the rows, averaged over the last hundred, is compared with the best
that the model has reached. If it stays worse by more than chance for some hundred rows, although
older rows fade, hyperparameters and scaling are learned again from the rows since then. The new
model is a rival: both learn and predict the following rows, and it takes over if it predicts them
better. Else it is dropped, and the next one has to wait longer.

A column that was constant when the model was set up is ignored by it. If it moves in some share of
the recent rows, this is a reason, too.
"""

from dataclasses import dataclass, replace

import numpy as np

from sparsegp.arrays import Array
from sparsegp.learning.streams import policy
from sparsegp.online.writable import WritableArrays

__all__ = ["Recent", "Watch"]


@dataclass(frozen=True)
class Watch:
    """Averages of log predictive densities, and when a rival may start."""

    rows: int = 0  # since the model was set up
    mean: float = 0.0  # of log densities, over the last rows
    square: float = 0.0  # running mean of squared deviations from it
    best: float = -np.inf  # mean so far
    below: int = 0  # rows for which the mean has been worse than that
    pause: int = 0  # rows before a rival may start
    next_pause: int = policy.FIRST_PAUSE
    lead: float = 0.0  # of the rival's density over the model's, summed
    trial: int = 0  # rows on which they were compared

    def after(self, log_density: Array) -> "Watch":
        """Return the watch after rows with these log densities (n,)."""
        rows, mean, square, best, below = self.rows, self.mean, self.square, self.best, self.below
        for value in np.fmax(log_density, policy.LOWEST_LOG_DENSITY).tolist():
            rows += 1
            step = max(1.0 / rows, 1.0 / policy.WATCHED_ROWS)
            off = value - mean
            mean += step * off
            square += step * (off * off - square)
            if rows < policy.WATCHED_ROWS:
                continue
            best = max(best, mean)
            margin = policy.MISFIT_ERRORS * (square / policy.WATCHED_ROWS) ** 0.5
            below = below + 1 if mean < best - margin - policy.MISFIT_MARGIN else 0
        pause = max(self.pause - len(log_density), 0)
        others = (self.next_pause, self.lead, self.trial)  # ``replace`` takes twice as long
        return Watch(rows, mean, square, best, below, pause, *others)

    @property
    def misfit(self) -> bool:
        """Whether a rival should be set up, or a new one in place of one from before."""
        stale = self.trial == 0 or self.trial >= self.below
        return self.pause == 0 and self._lasting and stale

    @property
    def _lasting(self) -> bool:
        return self.below >= policy.PATIENCE

    def compared(self, own: Array, rival: Array) -> "Watch":
        """Return the watch after rows that both predicted."""
        low = policy.LOWEST_LOG_DENSITY
        lead = self.lead + float(np.sum(np.fmax(rival, low) - np.fmax(own, low)))
        return replace(self, lead=lead, trial=self.trial + len(own))

    @property
    def rival_wins(self) -> bool:
        """Whether the rival predicts better."""
        return self.trial >= policy.SHORTEST_TRIAL and self.lead > policy.WINNING_LEAD

    @property
    def rival_loses(self) -> bool:
        """Whether the trial is over without a success."""
        hopeless = self.trial >= policy.SHORTEST_TRIAL and self.lead < -policy.WINNING_LEAD
        return hopeless or self.trial >= policy.LONGEST_TRIAL

    def without_rival(self) -> "Watch":
        """Return the watch after a lost trial.

        If it was about a misfit, what is reached now is the best to be had.
        """
        if not self._lasting:
            return replace(self, pause=policy.SHORT_PAUSE, lead=0.0, trial=0)
        return replace(
            self,
            best=self.mean,
            below=0,
            pause=self.next_pause,
            next_pause=2 * self.next_pause,
            lead=0.0,
            trial=0,
        )


@dataclass(frozen=True)
class Recent(WritableArrays):
    """The last rows, oldest first, from which a rival is set up.

    They are the first ``count`` of a larger table, which is written in place.
    """

    table: Array  # (c, D + K + 1), inputs, targets and weights
    n_features: int
    count: int = 0

    @classmethod
    def none(cls, n_features: int, n_outputs: int) -> "Recent":
        """Return no rows."""
        return cls(np.zeros((0, n_features + n_outputs + 1)), n_features)

    def __len__(self) -> int:
        return min(self.count, policy.RECENT_ROWS)

    def after(self, X: Array, Y: Array, weight: Array | None) -> "Recent":
        """Return the last rows after these; older ones are dropped now and then."""
        most, n = policy.RECENT_ROWS, len(X)
        if n > most:
            X, Y, weight, n = X[-most:], Y[-most:], None if weight is None else weight[-most:], most
        table, count, d = self.table, self.count, self.n_features
        if count + n > len(table):
            kept = table[max(count - most, 0) : count]
            table, count = np.zeros((2 * most, table.shape[1])), len(kept)
            table[:count] = kept
        rows = slice(count, count + n)
        table[rows, :d], table[rows, d:-1] = X, Y
        table[rows, -1] = 1.0 if weight is None else weight
        return Recent(table, d, count + n)

    def last(self, count: int) -> tuple[Array, Array, Array]:
        """Return inputs, targets and weights of the last rows, at most those that are kept."""
        rows = self.table[self.count - min(count, len(self)) : self.count].copy()
        d = self.n_features
        return rows[:, :d], rows[:, d:-1], rows[:, -1]

    def moved(self, ignored: Array) -> int:
        """Return in how many of the rows a column that was constant has another value, at most.

        ``ignored`` holds the constant of each such column, NaN for all others: (D,).
        """
        was_constant = np.isfinite(ignored)
        X = self.last(len(self))[0]
        return int(np.max(np.sum((ignored != X) & was_constant, axis=0), initial=0))
