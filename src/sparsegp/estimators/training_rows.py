"""Training rows as users hand them in: in memory, on another device, or read in blocks.

Wherever they are, the same is done with them, in this order: they are checked, the options are
checked against what can be done there, and they are transformed as the options want it.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_consistent_length, validate_data

from sparsegp.arrays import Array
from sparsegp.estimators.array_api_inputs import (
    check_options_on_device,
    check_together,
    counted_rows,
    device_inputs,
    device_target,
    device_weight,
    on_device,
)
from sparsegp.estimators.options.transforms import check_domain
from sparsegp.estimators.out_of_core_tables import in_planned_parts, out_of_core_table, part_check
from sparsegp.estimators.validation import check_finite, check_sample_weight, check_target
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.settings import Settings
from sparsegp.learning.structure.choose_transforms import FittedTransforms, learn_transforms
from sparsegp.learning.structure.transform_options import TransformOptions
from sparsegp.learning.structure.transforms_on_device import learn_transforms_on_device
from sparsegp.learning.structure.transforms_out_of_core import learn_transforms_out_of_core
from sparsegp.tables.out_of_core import AnyRows, OutOfCoreRows
from sparsegp.tables.rows import Rows
from sparsegp.tables.sources.table import Table

__all__ = ["TrainingRows", "training_rows"]


class TrainingRows(Protocol):
    """Checked rows, wherever they are."""

    X: Any  # where other inputs have to be
    one_target: bool

    @property
    def counted(self) -> npt.NDArray[np.intp] | None:
        """Numbers of the rows that count; None: all."""

    def check_options(self, estimator: Any, wanted: TransformOptions, start: Parameters) -> None:
        """Refuse what cannot be done here."""

    def learn_transforms(
        self,
        estimator: Any,
        wanted: TransformOptions,
        start: Parameters,
        settings: Settings,
        context: FitContext,
    ) -> tuple[FittedTransforms, AnyRows]:
        """Return the transforms, and the rows transformed."""


def training_rows(
    estimator: Any, X: Any, y: Any, sample_weight: Any, settings: Settings
) -> TrainingRows:
    """Check rows for a fit; scikit-learn's attributes of the columns are set."""
    far = out_of_core_table(estimator, X, y, sample_weight, settings.memory)
    if far is not None:
        return _OutOfCore(X, *far)
    if y is None:
        name = type(estimator).__name__
        raise ValueError(f"{name} requires y to be passed, but the target y is None")
    check_together(X, y=y, sample_weight=sample_weight)
    if on_device(X):
        X = device_inputs(estimator, "X", X, reset=True)
        target, one_target = device_target(y, int(X.shape[0]))
        return _OnDevice(X, target, device_weight(sample_weight, X), one_target)
    X = validate_data(estimator, X, dtype=np.float64, ensure_all_finite=False)
    check_finite("X", X, getattr(estimator, "feature_names_in_", None))
    target, one_target = check_target(y)
    check_consistent_length(X, target)
    return _InMemory(X, target, check_sample_weight(sample_weight, len(X)), one_target)


class _InMemory:
    _prepare: ClassVar[Callable[..., FittedTransforms]] = staticmethod(learn_transforms)

    def __init__(self, X: Array, y: Array, weight: Array | None, one_target: bool) -> None:
        self.one_target = one_target
        self.X, self._y, self._weight, self.counted = counted_rows(X, y, weight)

    def check_options(self, estimator: Any, wanted: TransformOptions, start: Parameters) -> None:
        check_domain(wanted.target, self._y, self.counted)

    def learn_transforms(
        self,
        estimator: Any,
        wanted: TransformOptions,
        start: Parameters,
        settings: Settings,
        context: FitContext,
    ) -> tuple[FittedTransforms, AnyRows]:
        found = self._prepare(
            self.X,
            self._y,
            self._weight,
            wanted,
            start,
            context,
            optimise=settings.optimise,
        )
        X, y = found.inputs.apply(self.X), found.targets.apply(self._y)
        return found, Rows(X, y, self._weight)


class _OnDevice(_InMemory):
    _prepare = staticmethod(learn_transforms_on_device)

    def check_options(self, estimator: Any, wanted: TransformOptions, start: Parameters) -> None:
        check_options_on_device(estimator, self.X, wanted, start.kernel)


class _OutOfCore:
    def __init__(self, X: Any, table: Table, counted: npt.NDArray[np.intp] | None) -> None:
        self.X, self._table, self.counted = X, table, counted
        self.one_target = table.one_target

    def check_options(self, estimator: Any, wanted: TransformOptions, start: Parameters) -> None:
        """Nothing to refuse: each part is checked when it is read."""

    def learn_transforms(
        self,
        estimator: Any,
        wanted: TransformOptions,
        start: Parameters,
        settings: Settings,
        context: FitContext,
    ) -> tuple[FittedTransforms, AnyRows]:
        table = in_planned_parts(estimator, self._table, settings)
        found = learn_transforms_out_of_core(
            table,
            wanted,
            start,
            part_check(estimator, wanted, self.counted),
            context,
            optimise=settings.optimise,
        )
        return found, OutOfCoreRows(table, found.inputs, found.targets)
