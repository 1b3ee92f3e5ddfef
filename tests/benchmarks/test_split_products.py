"""Two numbers of half precision have nearly the digits of one of single precision."""

import pytest

torch = pytest.importorskip("torch")


def test_halves():
    from benchmarks.gpu.split_products import SECOND, halves

    A = torch.randn(50, 40, generator=torch.Generator().manual_seed(0))
    first, second = halves(A)
    assert float((A - first - second / SECOND).abs().max()) < 2.0**-21 * float(A.abs().max())
