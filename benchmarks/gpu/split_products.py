"""A moments pass by products of half precision, for GPUs with tensor cores.

A number of single precision is the sum of two of half precision with 22 bits together, so that

    K U ≈ K₁U₁ + (K₁U₂ + K₂U₁)/2048,    K ≈ K₁ + K₂/2048,    U ≈ U₁ + U₂/2048,

is three products of half precision, summed in single. Whitening (U = L⁻ᵀ) magnifies errors and
needs the three; the Gram matrix of what is whitened takes one product, or three as well. Sums over
blocks are in double. This is a trial of what a GPU with slow or fast double precision could gain;
the library has no such pass (``docs/guide/gpu.md`` says what it gained).
"""

from collections.abc import Iterator
from typing import Any

import torch

from sparsegp.kernels.base import Kernel

__all__ = ["split_moments"]

PANEL = 512  # columns
ROWS = 32_768
SECOND = 2048.0  # what the second half is multiplied by: 11 bits


def halves(A: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return two tensors of half precision, A ≈ first + second/2048."""
    first = A.half()
    return first, ((A - first) * SECOND).half()


def split_moments(
    kernel: Kernel, Z: Any, L: Any, X: Any, y: Any, *, n_products: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return ΦᵀΦ (m, m), its lower triangle, and Φᵀy (m, p) of features Φ = K L⁻ᵀ, in double.

    The Gram matrix is one product of half precision, or the sum of three.
    """
    m = L.shape[0]
    U = torch.linalg.solve_triangular(L.T, torch.eye(m).to(L), upper=True)  # (m, m)
    scale = U.abs().amax(dim=0)  # (m,), so that elements have the range of half precision
    second = _interleaved(*halves((U / scale).float().T))  # (m, 3m), a row for a column of U
    gram, target = torch.zeros(m, m).to(L), torch.zeros(m, y.shape[1]).to(L)
    values = kernel.bind_Z(Z.float())
    pivots = torch.diagonal(L)
    for start in range(0, len(X), ROWS):
        K = values(X[start : start + ROWS].float())  # (b, m)
        first = _interleaved(*halves(K), left=True)  # (b, 3m)
        Phi = torch.empty_like(K)  # in units of the pivots
        for a, b in _panels(m):
            product = torch.mm(first[:, : 3 * b], second[a:b, : 3 * b].T, out_dtype=torch.float32)
            torch.mul(product, (scale[a:b] / pivots[a:b]).float(), out=Phi[:, a:b])
        target += Phi.T @ y[start : start + ROWS].float()
        _add_gram(gram, Phi, n_products)
    return pivots[:, None] * gram * pivots, pivots[:, None] * target


def _interleaved(first: Any, second: Any, *, left: bool = False) -> torch.Tensor:
    """Return [A₁, A₁, A₂] or [A₁, A₂/2048, A₁/2048] of each panel, panel after panel: (n, 3m)."""
    n, m = first.shape
    found = torch.empty((n, m // PANEL, 3, PANEL), dtype=first.dtype, device=first.device)
    one, two = (part.reshape(n, m // PANEL, PANEL) for part in (first, second))
    found[:, :, 0] = one
    found[:, :, 1] = one if left else two / SECOND
    found[:, :, 2] = two if left else one / SECOND
    return found.reshape(n, 3 * m)


def _panels(m: int) -> Iterator[tuple[int, int]]:
    return ((start, start + PANEL) for start in range(0, m, PANEL))


def _add_gram(gram: torch.Tensor, Phi: torch.Tensor, n_products: int) -> None:
    """Add ΦᵀΦ to the lower triangle."""
    one, two = halves(Phi) if n_products == 3 else (Phi.half(), None)
    for a, b in _panels(gram.shape[0]):
        more = torch.mm(one[:, a:].T, one[:, a:b], out_dtype=torch.float32)
        if two is not None:
            across = torch.mm(one[:, a:].T, two[:, a:b], out_dtype=torch.float32)
            across += torch.mm(two[:, a:].T, one[:, a:b], out_dtype=torch.float32)
            more += across / SECOND
        gram[a:, a:b] += more
