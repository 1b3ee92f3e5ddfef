"""The array libraries of the tests: array_api_strict always, torch where it is installed.

array_api_strict plays two parts: its default device is the host, and its arrays on "device1" refuse
to become NumPy arrays, so that what passes there never copies rows to the host.
``make test-devices`` installs torch; without it no case of torch is collected.
"""

from importlib.util import find_spec

import array_api_strict
import numpy as np
import pytest

__all__ = ["HOST_LIBRARIES", "in_strict", "in_torch", "needs_torch", "on_device"]


def in_strict(values):
    """Return values as an array of array_api_strict on the host."""
    return array_api_strict.asarray(np.asarray(values))


def on_device(values):
    """Return values as an array of array_api_strict that is not on the host."""
    device = array_api_strict.Device("device1")
    return array_api_strict.asarray(np.asarray(values), device=device)


def in_torch(values):
    """Return values as a tensor on the host."""
    import torch

    return torch.asarray(np.array(values))


_HAS_TORCH = find_spec("torch") is not None

#: Libraries other than NumPy whose arrays lie in host memory.
HOST_LIBRARIES = [in_strict, in_torch] if _HAS_TORCH else [in_strict]

#: For tests of what torch alone has: gradients, half precision.
needs_torch = pytest.mark.skipif(not _HAS_TORCH, reason="torch is not installed: make test-devices")
