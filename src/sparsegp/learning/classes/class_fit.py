"""Settings and result of the fit of a classifier."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.kernels.base import Vector
from sparsegp.learning.basis.active_set import ActiveSettings
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.model.posterior import Posterior
from sparsegp.model.sites.gaussian_sites import Sites

__all__ = ["ClassFit", "ClassSettings"]


@dataclass(frozen=True)
class ClassSettings:
    """Options of a fit, checked."""

    active: ActiveSettings
    posterior: str = "projected"
    inference: str = "auto"
    optimise: bool = True
    refine_basis: bool | str = "auto"
    grows: bool = False  # whether the posterior may have a larger basis than the search
    may_be_numbers: bool = False  # whether a regression on labels may be the better model


@dataclass(frozen=True)
class ClassFit:
    """A fitted model and its history."""

    parameters: ClassParameters
    chosen: npt.NDArray[np.intp]  # positions among the rows, in the order of selection
    path: Vector  # the criterion after each; may be longer than the basis
    posteriors: tuple[Posterior, ...]  # one for each column of labels
    inference: str | None  # None: the sites of the active rows alone
    log_evidence: float
    history: list[dict[str, Any]]
    active_sites: tuple[Sites, ...] = ()  # for each column of labels, if the model has no others
    evidences: Vector | None = None  # (m,), of every prefix of the basis, with least squares
