"""A device out of memory: the same work in smaller parts, and then on the host.

The errors of array libraries are recognised by the name of their class, so that none is imported:
``OutOfMemoryError`` of PyTorch and CuPy, and ``RESOURCE_EXHAUSTED`` of JAX. That the host itself is
out of memory is left alone.
"""

import sys
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from sparsegp.arrays.policy import MOST_PARTS

__all__ = ["in_smaller_parts", "is_out_of_memory", "or_on_host"]

Result = TypeVar("Result")


def is_out_of_memory(error: BaseException) -> bool:
    """Tell whether a device had no room for an array.

    >>> is_out_of_memory(MemoryError()), is_out_of_memory(RuntimeError("RESOURCE_EXHAUSTED: 8 GB"))
    (False, True)
    """
    names = {kind.__name__ for kind in type(error).__mro__}
    exhausted = isinstance(error, RuntimeError) and "RESOURCE_EXHAUSTED" in str(error)
    return "OutOfMemoryError" in names or exhausted


def in_smaller_parts(work: Callable[[int], Result]) -> Result:
    """Return ``work(1)``; with 2, 4, … times as many parts while a device is out of memory."""
    parts = 1
    while True:
        try:
            return work(parts)
        except Exception as error:
            if not is_out_of_memory(error) or parts >= MOST_PARTS:
                raise
        # after the handler, as the error keeps what was allocated alive
        _give_back()
        parts *= 2


def or_on_host(
    work: Callable[[], Result], on_host: Callable[[], Result], what: str, *, may: bool = True
) -> Result:
    """Return what ``work`` does on a device; if that is out of memory what ``on_host`` does.

    A warning names ``what`` goes on there. Without ``may`` nothing is tried on the host.
    """
    try:
        return work()
    except Exception as error:
        if not may or not is_out_of_memory(error):
            raise
        reason = str(error).partition("\n")[0] or type(error).__name__
    _give_back()
    warnings.warn(
        f"the device is out of memory ({reason}): {what} goes on in the memory of the host, which "
        "takes longer",
        RuntimeWarning,
        stacklevel=2,
    )
    return on_host()


def _give_back() -> None:
    """Let PyTorch and CuPy give unused memory back to the device, in one piece."""
    torch: Any = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
    cupy: Any = sys.modules.get("cupy")
    if cupy is not None:
        cupy.get_default_memory_pool().free_all_blocks()
