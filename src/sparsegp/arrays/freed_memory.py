"""Keeps freed memory in the process, for the next array.

Every evaluation of a marginal likelihood allocates and frees a few arrays of some megabytes. If
their pages go back to the system, it clears them one by one at the next evaluation: a quarter of
the time of one on 500 rows. The allocator of Linux (glibc) raises its limit for keeping blocks to
the largest block that was freed, up to 32 MB. Freeing one array of that size, which is never
written to, sets the limit; other allocators are not affected.
"""

from functools import cache

import numpy as np

from sparsegp.arrays.policy import FREED_BYTES

__all__ = ["keep_freed_memory"]


@cache  # once per process
def keep_freed_memory() -> None:
    """Let the allocator keep the memory of freed arrays of some megabytes."""
    np.empty(FREED_BYTES, dtype=np.uint8)
