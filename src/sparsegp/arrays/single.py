"""Single precision: casts, products in all of its 24 bits, and how much faster they are."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import array_api_compat

from sparsegp.arrays.namespace import Array, is_numpy, is_torch, namespace, to_host
from sparsegp.arrays.policy import PRODUCT_TO_TIME

__all__ = ["full_single", "in_double", "in_single", "single_speedup"]


def in_single(x: Array) -> Array:
    """Return x in single precision."""
    xp = namespace(x)
    return xp.astype(x, xp.float32, copy=False)


def in_double(x: Array) -> Array:
    """Return x in double precision; as it is on a device that has none."""
    if is_numpy(x):  # the most frequent case
        return x
    if array_api_compat.is_jax_array(x) and not sys.modules["jax"].config.jax_enable_x64:
        return x
    xp = namespace(x)
    try:
        return xp.astype(x, xp.float64, copy=False)
    except (TypeError, RuntimeError):
        return x


@contextmanager
def full_single(like: Array) -> Iterator[None]:
    """Keep PyTorch and JAX from products of single precision with 11 bits (TF32).

    JAX takes TF32 on a GPU unless told otherwise, PyTorch where the user has allowed it.
    """
    if is_torch(like):
        with _torch_without_tf32():
            yield
    elif array_api_compat.is_jax_array(like):
        with sys.modules["jax"].default_matmul_precision("highest"):
            yield
    else:
        yield


@contextmanager
def _torch_without_tf32() -> Iterator[None]:
    """Forbid TF32 where it is allowed; untouched settings of PyTorch stay untouched."""
    matmul: Any = sys.modules["torch"].backends.cuda.matmul
    name, forbidden = "allow_tf32", cast("bool | str", False)
    try:
        allowed = bool(matmul.allow_tf32)
    except RuntimeError:  # the user has set it by the newer name, which PyTorch does not mix
        name, forbidden = "fp32_precision", "ieee"
        allowed = matmul.fp32_precision == "tf32"
    if not allowed:
        yield
        return
    before = getattr(matmul, name)
    setattr(matmul, name, forbidden)
    try:
        yield
    finally:
        setattr(matmul, name, before)


_SPEEDUPS: dict[str, float] = {}


def single_speedup(like: Array) -> float:
    """Return how many times faster products are in single precision on the device of an array.

    It is measured once in a process for each device, in a few milliseconds on a GPU.
    """
    device = str(array_api_compat.device(like))
    if device not in _SPEEDUPS:
        with full_single(like):
            double, single = (_seconds(like, to) for to in (in_double, in_single))
        _SPEEDUPS[device] = double / single
    return _SPEEDUPS[device]


def _seconds(like: Array, to: Any) -> float:
    """Return the shortest time of a few products of square matrices."""
    xp = namespace(like)
    n = PRODUCT_TO_TIME
    A = to(xp.ones((n, n), dtype=like.dtype, device=array_api_compat.device(like)))
    times = []
    for _ in range(4):  # the first prepares the library
        start = time.perf_counter()
        to_host((A @ A)[:1, :1])  # waits until it is there
        times.append(time.perf_counter() - start)
    return min(times[1:])
