"""Tables in memory: arrays of NumPy, or of another library on its device."""

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array, namespace, take
from sparsegp.tables.rows import Rows
from sparsegp.tables.sources.device import on_device
from sparsegp.tables.table import LowestTarget, Table
from sparsegp.tables.targets import Targets
from sparsegp.tables.transforms.columns import Columns, fit_columns
from sparsegp.tables.transforms.scaling import Scaling, fit_scaling
from sparsegp.tables.transforms.warps import Warps

__all__ = ["MemoryTable"]

Indices = npt.NDArray[np.intp]


class MemoryTable(Table):
    """Inputs, targets and weights as arrays of one library on one device."""

    def __init__(self, X: Array, targets: Targets) -> None:
        """Take inputs (n, D), and targets of all their rows."""
        self.on_host = not on_device(X)
        self.is_weighted = targets.weight is not None
        self.counted, self.classes = targets.counted, targets.classes
        self.one_target = targets.one_target
        self._rows = Rows(*(self._counted(each) for each in (X, targets.values, targets.weight)))
        self.n_rows, self.n_columns = (int(size) for size in X.shape)
        self.n_rows = len(self._rows)
        self.n_outputs = self._rows.n_outputs

    def _counted(self, values: Any) -> Any:
        """Return the rows of positive weight, row after row in memory."""
        if values is not None and self.counted is not None:
            return take(values, self.counted)
        return np.ascontiguousarray(values) if isinstance(values, np.ndarray) else values

    def fetch(self, numbers: Indices) -> Rows:
        """Return some rows."""
        return self._rows.take(numbers)

    def sample(self, size: int, rng: np.random.Generator) -> Rows:
        """Return ``size`` rows drawn without replacement, or all, on the host."""
        return (self._rows if self.n_rows <= size else super().sample(size, rng)).to_host()

    def fit_scalings(
        self, columns: tuple[str, ...], target: str
    ) -> tuple[Scaling | Columns, Scaling]:
        """Return the scalings of inputs and targets."""
        rows = self._rows
        inputs = fit_columns(rows.X, rows.weight, columns)
        targets = fit_scaling(rows.y, rows.weight, target)
        if isinstance(inputs, Scaling):  # numbers of a device are few
            inputs = inputs.to_host()
        return inputs, targets.to_host()

    @cached_property
    def lowest_target(self) -> LowestTarget:
        """The smallest target of all rows."""
        xp = namespace(self._rows.y)
        lowest = xp.min(self._rows.y, axis=1)
        row = int(xp.argmin(lowest))
        return LowestTarget(float(lowest[row]), int(self.numbers_in_X(np.array([row]))[0]))

    def transformed(
        self, inputs: Scaling | Columns, targets: Scaling | Warps | None = None
    ) -> Rows:
        """Return all rows with transformed inputs and targets."""
        rows = self._rows
        y = rows.y if targets is None else targets.apply(rows.y)
        return Rows(inputs.apply(rows.X), y, rows.weight)
