"""Training rows with labels as users hand them in: in memory, on another device, read in blocks.

Labels and weights are held here in any case: all classes must be known, and every row has sites,
which are more numbers than these. Only the inputs stay where they are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_consistent_length, validate_data

from sparsegp.arrays import Array, moved, n_threads, take, to_host
from sparsegp.estimators.array_api_inputs import (
    as_host_array,
    check_class_options_on_device,
    check_together,
    device_inputs,
    on_device,
)
from sparsegp.estimators.labels import check_class_weight, check_labels, classes_in, label_columns
from sparsegp.estimators.options.regression import memory_of
from sparsegp.estimators.out_of_core_tables import (
    cut_to_fit,
    file_target,
    is_dask,
    is_read_in_blocks,
    names_of,
    part_check,
)
from sparsegp.estimators.validation import check_finite, check_sample_weight
from sparsegp.kernels import Kernel
from sparsegp.learning.classes.class_fit import ClassSettings
from sparsegp.learning.classes.label_targets import (
    learn_transforms_for_labels,
    learn_transforms_for_labels_on_device,
    learn_transforms_for_labels_out_of_core,
    start_as_numbers,
)
from sparsegp.learning.classes.policy import ROWS_FOR_SELECTION
from sparsegp.learning.classes.projected import rows_to_optimise_by
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.policy import SHORT_STAGES
from sparsegp.learning.structure.choose_transforms import FittedTransforms
from sparsegp.learning.structure.transform_options import TransformOptions
from sparsegp.tables.memory import ClassSizes, Memory
from sparsegp.tables.out_of_core import AnyRows, OutOfCoreRows
from sparsegp.tables.rows import Rows
from sparsegp.tables.sources.parquet import FileInputs, FileTarget
from sparsegp.tables.sources.table import ArrayTable, LocalTable, Table
from sparsegp.tables.sources.target_override import TargetOverride
from sparsegp.tables.sources.weighted import WeightedTable
from sparsegp.tables.transforms.scaling import Scaling

__all__ = ["LabelledRows", "labelled_rows"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Labels = npt.NDArray[Any]


class LabelledRows(Protocol):
    """Checked rows, wherever they are."""

    classes: Labels
    counted: Indices | None  # numbers of the rows that count; None: all

    def check_options(self, estimator: Any, wanted: TransformOptions) -> None:
        """Refuse what cannot be done here."""

    def learn_transforms(
        self,
        estimator: Any,
        wanted: TransformOptions,
        kernel: Kernel,
        settings: ClassSettings,
        context: FitContext,
    ) -> tuple[FittedTransforms, AnyRows]:
        """Return the transforms, and the rows: inputs transformed, labels ±1."""


def labelled_rows(estimator: Any, X: Any, y: Any, sample_weight: Any) -> LabelledRows:
    """Check rows for a fit; scikit-learn's attributes of the columns are set."""
    if y is None:
        raise ValueError("SparseGPClassifier requires y to be passed, but the target y is None")
    given = {"X": X, "y": y, "sample_weight": sample_weight}
    X, y, sample_weight = (as_host_array(*item) for item in given.items())
    if on_device(X):
        return _rows_on_device(estimator, X, y, sample_weight)
    check_together(X, **{name: x for name, x in given.items() if on_device(x)})
    memory = memory_of(estimator)
    needs_all = estimator.posterior == "active"
    if is_read_in_blocks(estimator, X, memory, needs_all=needs_all):
        if needs_all:
            raise ValueError(
                "posterior='active' relates every row to every basis vector: for a table that is "
                "read in blocks use posterior='projected', or give an array in memory"
            )
        return _out_of_core_rows(estimator, X, y, sample_weight, memory)
    if isinstance(y, FileTarget):
        raise ValueError("y is the target of a table in a file: fit(table.X, table.y)")
    X = validate_data(estimator, X, dtype=np.float64, ensure_all_finite=False)
    check_finite("X", X, getattr(estimator, "feature_names_in_", None))
    found = _Labels.of(estimator, X, check_labels(y), sample_weight)
    return _InMemory(X, found)


def _rows_on_device(estimator: Any, X: Any, y: Any, sample_weight: Any) -> LabelledRows:
    """Check rows on a device; labels, which may be texts, and weights may be on the host."""
    beside = {"y": y, "sample_weight": sample_weight}
    check_together(X, **{name: x for name, x in beside.items() if on_device(x)})
    X = device_inputs(estimator, "X", X, reset=True)
    y, sample_weight = (np.asarray(to_host(x)) if on_device(x) else x for x in beside.values())
    return _OnDevice(X, _Labels.of(estimator, X, check_labels(y), sample_weight))


@dataclass(frozen=True)
class _Labels:
    """What is known of all rows but their inputs."""

    labels: Labels  # (N,), as given
    weight: Floats | None  # (N,), times that of the class; rows of weight zero do not count
    classes: Labels  # of the rows that count

    @classmethod
    def of(cls, estimator: Any, X: Any, labels: Labels, sample_weight: Any) -> "_Labels":
        check_consistent_length(X, labels)
        weight = check_sample_weight(sample_weight, len(labels))
        weight = check_class_weight(estimator.class_weight, labels, weight)
        counted = labels if weight is None else labels[np.flatnonzero(weight)]
        return cls(labels, weight, classes_in(counted))

    @property
    def n_columns(self) -> int:
        """How many columns of labels ±1 there are."""
        return 1 if len(self.classes) == 2 else len(self.classes)

    @property
    def columns(self) -> Floats:
        """Labels ±1: (N, 1) for two classes, (N, C) for more."""
        return label_columns(self.labels, self.classes)


class _InMemory:
    _prepare: ClassVar[Callable[..., FittedTransforms]] = staticmethod(learn_transforms_for_labels)

    def __init__(self, X: Array, found: _Labels) -> None:
        self.classes = found.classes
        weight, labels = found.weight, found.columns
        counted = np.arange(len(labels)) if weight is None else np.flatnonzero(weight)
        self.counted: Indices | None = counted
        self._X, self._labels = take(X, counted), moved(labels[counted], like=X)
        self._weight = None if weight is None else moved(weight[counted], like=X)

    def check_options(self, estimator: Any, wanted: TransformOptions) -> None:
        """Nothing to refuse."""

    def learn_transforms(
        self,
        estimator: Any,
        wanted: TransformOptions,
        kernel: Kernel,
        settings: ClassSettings,
        context: FitContext,
    ) -> tuple[FittedTransforms, AnyRows]:
        found = self._prepare(
            self._X,
            self._labels,
            self._weight,
            wanted,
            start_as_numbers(kernel),
            context,
            optimise=settings.optimise,
        )
        return found, Rows(found.inputs.apply(self._X), self._labels, self._weight)


class _OnDevice(_InMemory):
    _prepare = staticmethod(learn_transforms_for_labels_on_device)

    def check_options(self, estimator: Any, wanted: TransformOptions) -> None:
        check_class_options_on_device(estimator, self._X, wanted)


class _OutOfCore:
    def __init__(self, table: Table, classes: Labels, counted: Indices | None, memory: Memory):
        self.classes, self.counted = classes, counted
        self._table, self._memory = table, memory

    def check_options(self, estimator: Any, wanted: TransformOptions) -> None:
        """Nothing to refuse: each part is checked when it is read."""

    def learn_transforms(
        self,
        estimator: Any,
        wanted: TransformOptions,
        kernel: Kernel,
        settings: ClassSettings,
        context: FitContext,
    ) -> tuple[FittedTransforms, AnyRows]:
        n_basis = min(settings.active.max_basis, self._table.n_rows)
        sizes = _sizes(self._table, n_basis, optimise=settings.optimise)
        table = cut_to_fit(estimator, self._table, self._memory, n_basis, sizes)
        found = learn_transforms_for_labels_out_of_core(
            table,
            wanted,
            start_as_numbers(kernel),
            part_check(estimator, wanted, self.counted),
            context,
            optimise=settings.optimise,
        )
        as_they_are = Scaling(np.zeros(table.n_outputs), np.ones(table.n_outputs))
        return found, OutOfCoreRows(table, found.inputs, as_they_are)


def _sizes(table: Table, n_basis: int, *, optimise: bool) -> ClassSizes:
    """Return what the memory of a fit depends on."""
    n, n_labels = table.n_rows, table.n_outputs
    return ClassSizes(
        n,
        table.n_columns,
        n_basis,
        n_labels,
        choosing=min(ROWS_FOR_SELECTION, n),
        polishing=min(rows_to_optimise_by(n_basis, n_labels), n) if optimise else 0,
        exact=min(SHORT_STAGES[-1][0], n) if optimise else 0,
        threads=n_threads(),
    )


def _out_of_core_rows(
    estimator: Any, X: Any, y: Any, sample_weight: Any, memory: Memory
) -> LabelledRows:
    """Return the rows of a table that is read in blocks."""
    if is_dask(X):
        return _dask_rows(estimator, X, y, sample_weight, memory)
    table: LocalTable
    if isinstance(X, FileInputs):
        found = _Labels.of(estimator, X, check_labels(file_target(X, y).labels()), sample_weight)
        validate_data(estimator, names_of(X))
        table = TargetOverride(X.table.without_target(), found.columns)
    else:
        found = _Labels.of(estimator, X, check_labels(y), sample_weight)
        validate_data(estimator, X[:1], dtype=np.float64, ensure_all_finite=False)
        table = ArrayTable(X, found.columns)
    if found.weight is None:
        return _OutOfCore(table, found.classes, None, memory)
    weighted = WeightedTable(table, found.weight)
    return _OutOfCore(weighted, found.classes, weighted.counted, memory)


def _dask_rows(estimator: Any, X: Any, y: Any, sample_weight: Any, memory: Memory) -> LabelledRows:
    from sparsegp.tables.sources.dask_collections import dask_arrays  # noqa: PLC0415  (Dask may be absent)
    from sparsegp.tables.sources.dask_table import DaskTable, values_of  # noqa: PLC0415

    names, far = X, sample_weight if is_dask(sample_weight) else None
    X, y, far = dask_arrays(X, y, far, labels=True)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    validate_data(estimator, names_of(names))
    brought = values_of(y) if far is None else values_of(y, far)
    weight = sample_weight if far is None else brought[1]
    found = _Labels.of(estimator, X, check_labels(brought[0]), weight)
    chunks = (y.chunks[0], (found.n_columns,))
    columns = y.map_blocks(
        label_columns, found.classes, dtype=np.float64, chunks=chunks, new_axis=1
    )
    table = DaskTable(X, columns, found.weight)
    return _OutOfCore(table, found.classes, table.counted, memory)
