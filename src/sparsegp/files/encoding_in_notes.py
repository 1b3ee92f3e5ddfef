"""The encoding of columns in files of 0.1.0, whose command line kept it as notes beside the model.

Such a model was fitted on encoded columns. It gets the encoding, and takes the raw table since.
"""

from typing import Any

import numpy as np

from sparsegp.tables.encoding import TableEncoding

__all__ = ["read_encoding_in_notes"]


def read_encoding_in_notes(estimator: Any, notes: Any) -> None:
    """Give an estimator the encoding in its notes, if there is one that fits its inputs."""
    if not isinstance(notes, dict) or "table" not in notes:
        return
    encoding = TableEncoding.from_json(notes["table"])
    if len(encoding.columns) != estimator.n_features_in_:
        raise ValueError("the columns in the notes are not the inputs of the model")
    estimator.encoding_ = encoding
    estimator.n_features_in_ = len(encoding.names)
    estimator.feature_names_in_ = np.array(encoding.names, dtype=object)
