"""Streams for tests."""

import json

import numpy as np


def rows(n, seed=0):
    """Return rows of two numbers, a category and a target, with some missing values."""
    rng = np.random.default_rng(seed)
    for i in range(n):
        x, kind = rng.uniform(-3, 3), str(rng.choice(["a", "b", "c"]))
        y = np.sin(x) + "abc".index(kind) + 0.1 * rng.standard_normal()
        yield {
            "x": float(x) if i % 17 or not i else None,
            "z": float(rng.uniform()),
            "kind": kind if i % 23 or not i else None,
            "y": float(y) if i % 11 else None,
        }


def as_csv(table):
    """Return rows as CSV."""
    table = list(table)
    lines = [",".join(table[0])]
    lines += [",".join("" if v is None else str(v) for v in row.values()) for row in table]
    return "\n".join(lines) + "\n"


def as_json(table):
    """Return rows as JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in table)
