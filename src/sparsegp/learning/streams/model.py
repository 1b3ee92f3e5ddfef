"""What a stream has learned: scaling, hyperparameters and posteriors, without any rows."""

from copy import deepcopy
from dataclasses import dataclass, replace
from math import log

import numpy as np

from sparsegp.arrays import Array, one_blas_thread
from sparsegp.learning.context import FitContext
from sparsegp.learning.streams.config import Inputs, StreamConfig, StreamSettings, Task
from sparsegp.learning.streams.relearn import relearn_kernel
from sparsegp.learning.streams.warmup import widening
from sparsegp.likelihoods import Probit, Shifted
from sparsegp.online.forgetting import Memory, for_each_rate, mixture, new_memory, rates_of
from sparsegp.online.label_scale import LabelScale
from sparsegp.online.learn import Rule, shrink
from sparsegp.online.learn_and_forget import Progressed, learn_and_forget
from sparsegp.online.recursion import Online, new_state
from sparsegp.online.running_scale import RunningScale
from sparsegp.online.running_tails import RunningTails
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.columns import STANDARD, Columns
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.validation import LARGEST, LARGEST_DIFFERENT, check_size, within_reach

__all__ = ["StreamModel", "set_up", "without_constants"]

#: Scale of a column that is ignored: it moves no row, and what is stored can be unscaled.
IGNORED, IGNORED_SIZE = 1e200, 1e6


@dataclass
class StreamModel:
    """Scaling, hyperparameters and posteriors; methods change it in place."""

    scaling_x: Scaling | Columns
    columns: tuple[str, ...]  # the kind of transform of each
    decided: StreamConfig
    posteriors: Online  # one for each rate of forgetting, on one basis
    memory: Memory
    scale: RunningScale | None  # that rates are compared with; None leaves variances alone
    ignored: Array | None = None  # (D,), constants of columns that were constant, else NaN
    label_scale: LabelScale | None = None  # on the functions of labels; None leaves them alone
    tails: RunningTails | None = None  # of errors; None leaves predictions as they are

    @property
    def state(self) -> Online:
        """The posterior of all rates together."""
        return mixture(self.posteriors, self.memory)

    def learn(self, X: Array, Y: Array, weight: Array | None, rule: Rule) -> Progressed:
        """Update the posteriors row by row."""
        targets, likelihood = self.decided.scaling_y.apply(Y), self.decided.likelihood
        done = learn_and_forget(
            self.posteriors,
            self.memory,
            self.scale,
            within_reach("X", self.scaling_x.apply(X)),
            within_reach("y", targets),
            likelihood,
            rule,
            weight,
        )
        self.memory, self.scale = done.memory, done.scale
        if self.tails is not None:
            self.tails = self.tails.after(done.squares, weight)
        if self.label_scale is not None:
            assert isinstance(likelihood, Shifted)
            assert isinstance(likelihood.likelihood, Probit)
            mean, variance = done.learned.mean + likelihood.offset, done.learned.variance
            self.label_scale = self.label_scale.after(
                likelihood.likelihood, targets, mean, variance
            )
        return done

    def log_densities(self, done: Progressed) -> Array:
        """Return log predictive densities of rows in the units of the target: (n,)."""
        return done.log_density - sum(map(log, self.decided.scaling_y.scale.tolist()))

    def copy(self) -> "StreamModel":
        """Return a copy whose posteriors are its own."""
        return replace(self, posteriors=deepcopy(self.posteriors))

    def start_forgetting(self, forgetting: str | float | None) -> None:
        """Forget at this rate from now on, what was learned before as well."""
        rates = rates_of(forgetting)
        if rates is not self.memory.rates and not np.array_equal(rates, self.memory.rates):
            self.posteriors = mixture(self.posteriors, self.memory)
            for_each_rate(self.posteriors, len(rates))
            rows = np.full(len(rates), self.memory.effective_rows)
            self.memory = Memory(rates, np.zeros(len(rates)), rows)

    def forget(self, rate: float) -> None:
        """Forget by a share, at every rate."""
        self.posteriors.forget(rate)
        self.memory = self.memory.forgotten(rate)

    def shrink(self, n_basis: int, deletion: str) -> None:
        """Delete basis vectors until ``n_basis`` are left."""
        with one_blas_thread():
            shrink(self.posteriors, n_basis, deletion)

    def relearn(self, seed: int) -> bool:
        """Learn the kernel again from the basis; tell whether there was anything to learn from."""
        if not relearn_kernel(self.posteriors, self.decided.noise_variance, seed):
            return False
        self.reset_scale()  # the errors so far were those of another kernel
        return True

    def reset_scale(self) -> None:
        """Leave predictive variances as they are, until errors of new rows are known."""
        if not self.decided.calibrated:
            self.scale = self.label_scale = self.tails = None
        elif isinstance(getattr(self.decided.likelihood, "likelihood", None), Probit):
            self.label_scale = LabelScale()
        else:
            n_outputs = len(self.posteriors.mu) // self.posteriors.n_rates
            self.scale = RunningScale.initial(n_outputs)
            self.tails = RunningTails.initial(n_outputs)


def set_up(
    task: Task,
    settings: StreamSettings,
    rows: Rows,
    forgetting: str | float | None,
    previous: StreamConfig | None = None,
) -> StreamModel:
    """Let the task decide by some rows, and return a model that has learned nothing yet."""
    check_size("X", rows.X, LARGEST_DIFFERENT)
    context = FitContext(np.random.default_rng(settings.seed))
    n_features, n_outputs = rows.X.shape[1], rows.y.shape[1]
    wanted = settings.transform_inputs
    columns = (wanted,) * n_features if isinstance(wanted, str) else wanted
    if rows.weight is not None and np.all(rows.weight == 1.0):
        rows = replace(rows, weight=None)
    inputs, decided = task.set_up(rows, columns, context, previous)
    state, memory = new_state(decided.kernel, n_features, n_outputs), new_memory(forgetting)
    for_each_rate(state, len(memory.rates))
    transform, ignored = inputs.transform, None
    if settings.relearns:
        transform, ignored = without_constants(inputs, rows.X)
    made = StreamModel(transform, inputs.columns, decided, state, memory, None, ignored)
    made.reset_scale()
    if made.scale is not None:
        wider = made.scale.value * widening(rows.total_weight)
        made.scale = replace(made.scale, value=wider)
        made.tails = RunningTails.initial(n_outputs, wider)
    return made


def without_constants(inputs: Inputs, X: Array) -> tuple[Scaling | Columns, Array | None]:
    """Return the transform that ignores columns which are constant so far, and their values (D,).

    How far they will move is not known: taken as they are, they may put every later row far from
    all others. Ignored they wait until the model is set up again.
    """
    scaled = np.array([kind == STANDARD for kind in inputs.columns])  # codes are as they are
    constant, transform = scaled & np.all(X[0] == X, axis=0), inputs.transform
    if not isinstance(transform, Scaling) or not np.any(constant):
        return transform, None
    # of a constant that is itself so large, the scale is larger
    ignored = np.clip(IGNORED_SIZE * np.abs(transform.offset), IGNORED, LARGEST)
    scale = np.where(constant, ignored, transform.scale)
    return Scaling(transform.offset, scale), np.where(constant, X[0], np.nan)
