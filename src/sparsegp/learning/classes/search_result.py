"""What a search for a classifier's hyperparameters leaves to the sites of all rows.

The search has found sites for its own rows. In a fit that was cut short the sites of all rows start
from them: without time for a single sweep the posterior is that of the search, not the first step
of an iteration from nothing (ringnorm in 4 s: errors of 21 % instead of 2 %).
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.learning.hyperparameters.joint_parameters import JointParameters
from sparsegp.model.sites.gaussian_sites import Sites
from sparsegp.tables.out_of_core import AnyRows

__all__ = ["SearchResult"]


@dataclass(frozen=True)
class SearchResult:
    """Hyperparameters and inducing inputs, and the sites of the rows of the search, if any."""

    joint: JointParameters[ClassParameters]
    seen: npt.NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    sites: Sites | None = None

    def of_rows(
        self, rows: AnyRows, n: int, rng: np.random.Generator
    ) -> tuple[AnyRows, Sites | None]:
        """Return n of the rows, those of the search first of all, and sites to start from.

        A row that the search has not seen starts without information.
        """
        used = np.arange(len(rows))
        if n < len(rows):
            others = rng.permutation(np.setdiff1d(used, self.seen))
            used = np.sort(np.concatenate((self.seen, others[: max(n - len(self.seen), 0)])))
            rows = rows.subset(used)
        if self.sites is None:
            return rows, None
        start, places = Sites.none(len(used), self.sites.shift.shape[1]), np.isin(used, self.seen)
        start.precision[places], start.shift[places] = self.sites.precision, self.sites.shift
        return rows, start
