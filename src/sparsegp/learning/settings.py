"""What the user decided about a fit."""

from dataclasses import dataclass, field

from sparsegp.learning.hyperparameters.objectives import EVIDENCE
from sparsegp.model.approximation import Approximation
from sparsegp.tables.memory import Memory

__all__ = [
    "AUTO",
    "EVALUATIONS_AT_BASIS",
    "GAUSSIAN",
    "HETEROSCEDASTIC",
    "NOISES",
    "STUDENT_T",
    "Settings",
]

GAUSSIAN, STUDENT_T, HETEROSCEDASTIC, AUTO = "gaussian", "student_t", "heteroscedastic", "auto"
#: What the noise of rows may be like.
NOISES = (GAUSSIAN, STUDENT_T, HETEROSCEDASTIC)

#: Evaluations that an adaptation is worth. It begins near the optimum: 60 instead of 15 lowered the
#: error of bank32nh (32 columns) by 1 to 2 % in three times the time of the fit.
EVALUATIONS_AT_BASIS = 15


@dataclass(frozen=True)
class Settings:
    """Options of a sparse fit, checked."""

    rule: Approximation
    selection: str
    max_basis: int
    n_fresh: int = 0
    cache_size: int | None = None
    stop: bool = True
    optimise: bool = True
    search: bool = True  # for first hyperparameters, before there is a basis
    objective: str = EVIDENCE  # what hyperparameters are adapted to the basis by
    length_scale_prior: bool = False  # length scales are usual ones, until rows say otherwise
    n_restarts: int = 0
    n_adaptations: int | None = None  # None: one if it is cheap enough
    n_evaluations: int = EVALUATIONS_AT_BASIS  # of the objective in each of them
    refine_basis: bool = False
    calibrate: bool = True
    noise: str | None = GAUSSIAN  # one of NOISES, or AUTO; None: AUTO for tables that are not large
    rows_to_choose: int | None = None  # most rows that choose the basis; None: all it is worth
    memory: Memory = field(default_factory=Memory.free)  # that it may take beyond the table

    @property
    def any_tails(self) -> bool:
        """Whether calibration may find the noise to be no Gaussian one."""
        return self.noise in (None, AUTO)
