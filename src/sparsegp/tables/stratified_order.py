"""A random order of rows whose every prefix is stratified by some values, e.g. targets.

Of a group with 4 % of the rows, a random hundred holds one to eight, a stratified hundred three to
five. Ranks are cut into cells, which are visited in bit-reversed order (van der Corput), so that
the first 2ᵏ rows have one of each 2ᵏ-th part of the values. All rows are equally likely to come
first: cells are scrambled, ties and the rows of a cell are in random order.
"""

import numpy as np
import numpy.typing as npt

from sparsegp.tables.policy import MOST_STRATA_BITS

__all__ = ["stratified_order"]


def stratified_order(
    values: npt.NDArray[np.floating], rng: np.random.Generator
) -> npt.NDArray[np.intp]:
    """Return the positions of the values (n,) in a stratified random order.

    >>> order = stratified_order(np.arange(8.0), np.random.default_rng(0))
    >>> np.sort(order[:2] // 4), np.sort(order[:4] // 2), np.sort(order)
    (array([0, 1]), array([0, 1, 2, 3]), array([0, 1, 2, 3, 4, 5, 6, 7]))
    """
    n = len(values)
    bits = min(MOST_STRATA_BITS, max(n, 1).bit_length() - 1)  # no cell is empty
    by_value = np.lexsort((rng.permutation(n), values))
    cell = (np.arange(n) << bits) // max(n, 1)  # (n,), of the values in their order
    at_random = np.lexsort((rng.permutation(n), cell))
    within = np.arange(n) - np.searchsorted(cell, cell)  # the number of rows of its cell before it
    when = np.lexsort((_reversed(cell ^ rng.integers(1 << bits), bits), within))
    return by_value[at_random[when]]


def _reversed(numbers: npt.NDArray[np.intp], bits: int) -> npt.NDArray[np.intp]:
    """Return the numbers with their bits in the opposite order."""
    found = np.zeros_like(numbers)
    for bit in range(bits):
        found = 2 * found + ((numbers >> bit) & 1)
    return found
