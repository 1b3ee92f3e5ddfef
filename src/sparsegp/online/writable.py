"""Objects whose arrays are changed in place, also after they were read from a memory map.

``joblib.load(path, mmap_mode="r")`` gives arrays that cannot be written to; a BLAS routine that
tries ends the process.
"""

from typing import Any

import numpy as np

__all__ = ["WritableArrays"]


class WritableArrays:
    """Copies arrays that are read-only when an object is unpickled; abstract."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the attributes."""
        self.__dict__.update({name: _writable(value) for name, value in state.items()})


def _writable(value: Any) -> Any:
    if isinstance(value, np.ndarray) and not value.flags.writeable:
        return np.array(value)
    return value
