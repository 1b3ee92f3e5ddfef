"""How much memory is free on the device of an array, where its library tells."""

import sys
from typing import Any

import array_api_compat

from sparsegp.arrays.namespace import Array, is_torch, on_host

__all__ = ["free_bytes"]


def free_bytes(x: Array) -> int | None:
    """Return the free memory of the device that holds x; None if it is the host or unknown.

    What PyTorch and CuPy have taken from the device and not given to an array counts as free.

    >>> import numpy as np
    >>> free_bytes(np.zeros(3)) is None
    True
    """
    if not array_api_compat.is_array_api_obj(x) or on_host(x):
        return None
    tensor: Any = x
    if is_torch(x) and tensor.is_cuda:
        cuda: Any = sys.modules["torch"].cuda
        unused = cuda.memory_reserved(tensor.device) - cuda.memory_allocated(tensor.device)
        return int(cuda.mem_get_info(tensor.device)[0] + unused)
    if array_api_compat.is_cupy_array(x):
        cupy: Any = sys.modules["cupy"]
        return int(tensor.device.mem_info[0] + cupy.get_default_memory_pool().free_bytes())
    if array_api_compat.is_jax_array(x):
        told: dict[str, int] = getattr(array_api_compat.device(x), "memory_stats", dict)() or {}
        if "bytes_limit" in told:
            return int(told["bytes_limit"] - told.get("bytes_in_use", 0))
    return None
