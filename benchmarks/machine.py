"""Speed and description of this machine: times of different runs are compared by these rates."""

import os
import platform
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

__all__ = ["best_seconds", "busy_share", "commit", "copy_rate", "describe", "gemm_rate"]


def best_seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the seconds of the fastest of some runs."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def gemm_rate(size: int = 1500, repeats: int = 3) -> float:
    """Return GFLOP/s of a product of square matrices in float64, with the threads BLAS has now."""
    A, B = np.random.default_rng(0).standard_normal((2, size, size))
    return 2e-9 * size**3 / best_seconds(lambda: A @ B, repeats)


def copy_rate(megabytes: int = 256, repeats: int = 3) -> float:
    """Return GB/s read and written while an array larger than the caches is copied."""
    source = np.ones(megabytes * 2**20 // 8)
    target = np.zeros_like(source)
    return 2e-9 * source.nbytes / best_seconds(lambda: np.copyto(target, source), repeats)


def describe() -> dict[str, Any]:
    """Return the processor, cores, memory and BLAS of this machine."""
    blas = [library for library in threadpool_info() if library["user_api"] == "blas"]
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": _memory_gb(),
        "system": platform.system(),
        "python": platform.python_version(),
        "blas": f"{blas[0]['internal_api']} {blas[0]['version']}" if blas else None,
        "blas_threads": blas[0]["num_threads"] if blas else None,
    }


def busy_share(seconds: float = 0.5) -> float:
    """Return the share of all cores that other processes take while this one waits."""
    before, file = _ticks(), Path("/proc/stat")
    if not file.exists():
        return min(os.getloadavg()[0] / (os.cpu_count() or 1), 1.0)
    time.sleep(seconds)
    busy, total = (after - first for after, first in zip(_ticks(), before, strict=True))
    return round(busy / total, 3) if total else 0.0


def _ticks() -> tuple[int, int]:
    """Return the ticks that all cores have worked, and all ticks; Linux only."""
    file = Path("/proc/stat")
    if not file.exists():
        return 0, 0
    ticks = [int(number) for number in file.read_text().splitlines()[0].split()[1:9]]
    idle = ticks[3] + ticks[4]  # and waiting for a disk
    return sum(ticks) - idle, sum(ticks)


def commit() -> str | None:
    """Return the commit of this checkout, with a + if files have changed since.

    ``SPARSEGP_COMMIT`` names that of a copy without its log.
    """
    if "SPARSEGP_COMMIT" in os.environ:
        return os.environ["SPARSEGP_COMMIT"]
    ask = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    here = Path(__file__).parent
    try:
        found = subprocess.run(ask, cwd=here, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return found.stdout.strip() or None


def _processor() -> str:
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _memory_gb() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1)
    except (ValueError, OSError, AttributeError):
        return None  # not a system that tells
