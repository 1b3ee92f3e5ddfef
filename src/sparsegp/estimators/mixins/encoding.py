"""Tables with strings, categories, dates and missing values: what estimators do about them."""

from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np
from sklearn.utils import Tags

from sparsegp.estimators.options.table_kernel import columns_in, encoded_kernel
from sparsegp.kernels import Categorical
from sparsegp.learning.structure.transform_options import AUTO
from sparsegp.tables.encoding import TableEncoding
from sparsegp.tables.transforms.columns import COMMON, LOG, QUANTILE, STANDARD

__all__ = ["EncodingMixin", "of_inputs"]


class EncodingMixin:
    """An estimator whose table may have columns of any kind; abstract."""

    kernel: Any
    transform_X: Any  # noqa: N815  (X is the table)
    encoding_: TableEncoding | None

    def _column_hints(self) -> dict[str, Any]:
        """Return what the options say about columns: those that they name are inputs."""
        kernel, given = self.kernel, self.transform_X
        named = columns_in(kernel) + list(given if isinstance(given, Mapping) else ())
        codes = columns_in(kernel, within=lambda part: isinstance(part, Categorical))
        return {"keep": frozenset(named), "categories": frozenset(codes)}

    def _kernel_of_inputs(self, **stream: Any) -> Any:
        """Return the option ``kernel`` for the encoded columns, and lags of a stream after them."""
        return encoded_kernel(self.kernel, getattr(self, "encoding_", None), **stream)

    def _transforms_of_inputs(self) -> Any:
        """Return the option ``transform_X`` for the encoded columns."""
        encoding, given = getattr(self, "encoding_", None), self.transform_X
        if encoding is None:
            return given
        if isinstance(given, Mapping):
            return {c if isinstance(c, str) else encoding.input_of(c): k for c, k in given.items()}
        fixed = set(encoding.fixed_inputs)
        coded = encoding.is_categorical
        if not fixed or given not in (AUTO, STANDARD, COMMON, QUANTILE, LOG):
            return given  # none, or not known: that is told later
        # codes are no quantities; sines and cosines have a scale of their own
        kinds = {True: "none", False: "standard"}
        return {i: kinds[coded[i]] if i in fixed else given for i in range(len(coded))}

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: missing values, categories and strings are accepted."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def of_inputs(model: Any) -> Any:
    """Return a fitted model that takes encoded columns: ``encoding_.encode(table)``."""
    encoding = getattr(model, "encoding_", None)
    if encoding is None:
        return model
    names = encoding.input_names
    inner = copy(model)
    inner.encoding_, inner.n_features_in_ = None, len(names)
    inner.feature_names_in_ = np.array(names, dtype=object)
    return inner
