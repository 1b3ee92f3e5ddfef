"""Cases of three choices in which any two of them meet in every way, though not all three."""

__all__ = ["in_pairs"]


def in_pairs(first, second, third):
    """Return every pair of the first two choices, with those of the third in turn.

    Each argument holds values by name; so does the result.
    """
    assert len(third) <= min(len(first), len(second))
    thirds = list(third.items())
    return {
        f"{a}-{b}-{c}": (first[a], second[b], value)
        for i, a in enumerate(first)
        for j, b in enumerate(second)
        for c, value in [thirds[(i + j) % len(thirds)]]
    }
