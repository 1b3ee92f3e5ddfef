"""Single precision: casts, and products in all of its bits."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from sparsegp.arrays import full_single, in_double, in_single, single_speedup
from sparsegp.arrays import single as room
from tests.array_libraries import HOST_LIBRARIES, on_device


@pytest.mark.parametrize("hand_in", [np.asarray, on_device, *HOST_LIBRARIES])
def test_casts(hand_in):
    x = hand_in(np.ones(3))
    assert "float32" in str(in_single(x).dtype)
    assert "float64" in str(in_double(in_single(x)).dtype)
    assert type(in_single(x)) is type(x)


class OldNames:
    """Settings of PyTorch as they were."""

    allow_tf32 = True


class NewNames:
    """Settings that the user has made by their new name."""

    fp32_precision = "tf32"

    @property
    def allow_tf32(self):
        raise RuntimeError("you have used mix of the legacy and new APIs")


@pytest.mark.parametrize(
    ("settings", "name", "forbidden"),
    [(OldNames(), "allow_tf32", False), (NewNames(), "fp32_precision", "ieee")],
)
def test_tf32_is_forbidden_for_a_while(monkeypatch, settings, name, forbidden):
    cuda = SimpleNamespace(matmul=settings)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(backends=SimpleNamespace(cuda=cuda)))
    monkeypatch.setattr(room, "is_torch", lambda x: True)
    before = getattr(settings, name)
    with pytest.raises(ValueError, match="on the way"), full_single(np.zeros(1)):
        assert getattr(settings, name) == forbidden
        raise ValueError("on the way")
    assert getattr(settings, name) == before


def test_the_speed_of_a_device_is_measured_once(monkeypatch):
    monkeypatch.setattr(room, "PRODUCT_TO_TIME", 16)
    monkeypatch.setattr(room, "_SPEEDUPS", {})
    x = on_device(np.zeros(2))
    assert single_speedup(x) == single_speedup(x) > 0.0
