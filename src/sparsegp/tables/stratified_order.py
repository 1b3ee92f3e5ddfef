"""A random order of rows of which every beginning is spread over some values, e.g. targets.

A hundred rows drawn at random have one to eight of a group that makes up 4 % of all; here they have
three to five. Ranks fall into cells, which are visited in bit-reversed order (van der Corput), so
that the first 2ᵏ rows have one of each 2ᵏ-th part of the values. All rows are equally likely to
come first: cells are scrambled, ties and rows of a cell are in random order.
"""

import numpy as np
import numpy.typing as npt

__all__ = ["stratified_order"]

# No more cells than 2 to this; more rows than cells go through all of them again.
MOST_BITS = 11


def stratified_order(
    values: npt.NDArray[np.floating], rng: np.random.Generator
) -> npt.NDArray[np.intp]:
    """Return the positions of the values (n,) in such an order.

    >>> order = stratified_order(np.arange(8.0), np.random.default_rng(0))
    >>> np.sort(order[:2] // 4), np.sort(order[:4] // 2), np.sort(order)
    (array([0, 1]), array([0, 1, 2, 3]), array([0, 1, 2, 3, 4, 5, 6, 7]))
    """
    n = len(values)
    bits = min(MOST_BITS, max(n, 1).bit_length() - 1)  # no cell is empty
    by_value = np.lexsort((rng.permutation(n), values))
    cell = (np.arange(n) << bits) // max(n, 1)  # (n,), of the values in their order
    at_random = np.lexsort((rng.permutation(n), cell))
    turn = np.arange(n) - np.searchsorted(cell, cell)  # how many of its cell come before
    when = np.lexsort((_reversed(cell ^ rng.integers(1 << bits), bits), turn))
    return by_value[at_random[when]]


def _reversed(numbers: npt.NDArray[np.intp], bits: int) -> npt.NDArray[np.intp]:
    """Return the numbers with their bits in the opposite order."""
    found = np.zeros_like(numbers)
    for bit in range(bits):
        found = 2 * found + ((numbers >> bit) & 1)
    return found
