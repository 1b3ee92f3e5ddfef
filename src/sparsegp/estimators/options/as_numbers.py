"""Beginnings of a regression on labels, which a classifier may compare with sites."""

from typing import Any

from sparsegp.estimators.options.initial_parameters import initial_class_parameters
from sparsegp.estimators.options.table_kernel import encoded_kernel
from sparsegp.estimators.options.transforms import column_names
from sparsegp.estimators.policy import ROUGH_FAMILY, ROUGH_KERNEL
from sparsegp.learning.classes.label_targets import learn_transforms_for_labels, start_as_numbers
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.choices import chosen_kernel
from sparsegp.learning.settings import AUTO
from sparsegp.learning.structure.choose_transforms import FittedTransforms
from sparsegp.learning.structure.kernel_families import PLAIN
from sparsegp.learning.structure.transform_options import TransformOptions
from sparsegp.tables.table import Table

__all__ = ["beginnings_as_numbers"]


def beginnings_as_numbers(
    estimator: Any, table: Table, options: TransformOptions, context: FitContext
) -> dict[str, FittedTransforms]:
    """Return two beginnings of a regression on labels: the likeliest kernel, and a rough one.

    Labels change abruptly, and their evidence as numbers may not tell that a rough kernel predicts
    them better. The keys are the families of the kernels. The history of the fit does not tell how
    the first one was found: sites may keep another kernel.
    """
    names, n_columns, found = column_names(estimator), table.n_columns, {}
    for name in (AUTO, ROUGH_KERNEL):
        kernel = encoded_kernel(name, getattr(estimator, "encoding_", None))
        start = initial_class_parameters(estimator, kernel, names, n_columns, table.n_outputs)
        first, own = start_as_numbers(start.kernel), context.spawn().apart()
        learned = learn_transforms_for_labels(table, options, first, own, intercepts=True)
        family = ROUGH_FAMILY if name == ROUGH_KERNEL else chosen_kernel(own.history.entries)
        found[family or PLAIN] = learned
    return found
