"""What the user decided about a fit of a classifier, and what comes of it."""

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


@dataclass(frozen=True)
class ClassFit:
    """A fitted model and how it came about."""

    parameters: ClassParameters
    chosen: npt.NDArray[np.intp]  # positions among the rows, in the order chosen
    path: Vector  # what they were chosen by, after each; may go on beyond the chosen ones
    posteriors: tuple[Posterior, ...]  # one for each column of labels
    inference: str | None  # None: the sites of the active rows alone
    log_evidence: float
    history: list[dict[str, Any]]
    active_sites: tuple[Sites, ...] = ()  # for each column of labels, if these are all
    evidences: Vector | None = None  # (m,), of every prefix of the basis, if by least squares
