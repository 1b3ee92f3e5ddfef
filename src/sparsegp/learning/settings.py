"""What the user decided about a regression fit."""

from dataclasses import dataclass, field

from sparsegp.learning.hyperparameters.objectives import EVIDENCE
from sparsegp.learning.hyperparameters.policy import EVALUATIONS_AT_BASIS
from sparsegp.model.approximation import Approximation
from sparsegp.tables.memory import Memory

__all__ = [
    "ALL",
    "ALWAYS",
    "AUTO",
    "GAUSSIAN",
    "HETEROSCEDASTIC",
    "IF_BETTER",
    "NOISES",
    "STUDENT_T",
    "Settings",
]

GAUSSIAN, STUDENT_T, HETEROSCEDASTIC, AUTO = "gaussian", "student_t", "heteroscedastic", "auto"
ALL, ALWAYS, IF_BETTER = "all", "always", "if_better"
#: Kinds of noise.
NOISES = (GAUSSIAN, STUDENT_T, HETEROSCEDASTIC)


@dataclass(frozen=True)
class Settings:
    """Options of a sparse fit, checked."""

    rule: Approximation
    selection: str
    max_basis: int
    larger_sizes: tuple[int, ...] = ()  # of the basis, each twice the last, to be tried
    every_row: bool = False  # all rows were asked for, the exact process
    n_fresh: int = 0
    cache_size: int | None = None
    n_rows_selection: int | str = AUTO  # rows that select the basis: a number, AUTO or ALL
    stop: bool = True
    patience: int | None = None  # additions without a new minimum; None: by the size of the basis
    cut_back: bool = True  # to the minimum
    selection_rule: Approximation | None = None  # of leave-one-out criteria; None: rule
    optimise: bool = True
    search: bool = True  # for first hyperparameters, before there is a basis
    objective: str = EVIDENCE  # of the adaptation of hyperparameters to the basis
    length_scale_prior: bool = False
    n_restarts: int = 0
    n_adaptations: int | None = None  # None: one if it is cheap enough
    n_evaluations: int = EVALUATIONS_AT_BASIS  # of the objective in each of them
    accept_basis: str = IF_BETTER  # the basis selected after each of them; or ALWAYS
    refine_basis: bool = False
    calibrate: bool = True
    noise: str | None = GAUSSIAN  # one of NOISES, or AUTO; None: AUTO for tables that are not large
    rows_to_select: int | None = None  # at most, for basis selection, by the time budget
    n_neighbors: int | None = 0  # that correct a prediction; None: chosen by held-out rows
    precision: str = AUTO  # of the final pass: AUTO, "double" or "mixed"
    memory: Memory = field(default_factory=Memory.free)  # beyond the table

    @property
    def largest_basis(self) -> int:
        """The largest basis that the fit may have."""
        return max((self.max_basis, *self.larger_sizes))

    @property
    def may_find_tails(self) -> bool:
        """Whether calibration may replace the normal density by Student's t."""
        return self.noise in (None, AUTO)
