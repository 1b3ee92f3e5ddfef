"""Tables with something odd: in columns, cells, target or weights."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["drawn_table"]

Rng = np.random.Generator
#: A table of these rows is fitted in less than a second.
SIZES = (1, 2, 3, 5, 12, 40, 90)
EXTREMES = (0.0, -0.0, 1e-320, 1e-200, 1e-30, 1e30, 1e200, 1e300, 1.7e308, -1.7e308, np.nan, np.inf)


def drawn_table(rng: Rng) -> tuple[str, Any, Any, Any]:
    """Return a table with its description: columns, target and weights with something odd."""
    n, width = int(rng.choice(SIZES)), int(rng.choice([1, 2, 4]))
    X = rng.normal(size=(n, width))
    y = np.sin(X.sum(axis=1)) + 0.1 * rng.normal(size=n)
    words = [f"{n} rows"]
    table: Any = X
    if rng.random() < 0.55:
        change = ARRAYS[rng.integers(len(ARRAYS))]
        table = change(X, rng)
        words.append(change.__name__.strip("_").replace("_", " "))
    else:
        table, kinds = _frame(X, rng)
        words += kinds
    target: Any = y
    if rng.random() < 0.6:
        alter = TARGETS[rng.integers(len(TARGETS))]
        target = alter(y, rng)
        words.append(alter.__name__.strip("_").replace("_", " "))
    weight = None
    if rng.random() < 0.25:
        weight = _weights(n, rng)
        words.append(f"weights {np.unique(np.asarray(weight, dtype=object).ravel())[:3]}")
    return ", ".join(words), table, target, weight


# ---- arrays ----


def _some_extremes(X: Any, rng: Rng) -> Any:
    X = X.copy()
    for _ in range(rng.integers(1, 4)):
        X[rng.integers(len(X)), rng.integers(X.shape[1])] = rng.choice(EXTREMES)
    return X


def _columns_of_any_scale(X: Any, rng: Rng) -> Any:
    return X / np.max(np.abs(X)) * rng.choice([1e-310, 1e-200, 1e-30, 1e30, 1e200, 1e307])


def _far_offset(X: Any, rng: Rng) -> Any:
    return X + rng.choice([1e9, -1e15, 1e100, 1e300])


def _constant(X: Any, rng: Rng) -> Any:
    return np.full_like(X, rng.choice([0.0, 7.0, 1e300, -1e-300]))


def _repeated(X: Any, _: Rng) -> Any:
    return np.repeat(X[:1], len(X), axis=0)


def _single_precision(X: Any, _: Rng) -> Any:
    return X.astype(np.float32)


def _whole_numbers(X: Any, rng: Rng) -> Any:
    return np.round(np.abs(X) * 10).astype(rng.choice(["int8", "int64", "uint64"]))


def _booleans(X: Any, _: Rng) -> Any:
    return X > 0


def _complex(X: Any, _: Rng) -> Any:
    return X + 1j


def _objects(X: Any, rng: Rng) -> Any:
    cells = X.astype(object)
    cells[rng.integers(len(X)), 0] = [None, "x", 1j, True, "1e400", 10**400, [1]][rng.integers(7)]
    return cells


def _strings(X: Any, _: Rng) -> Any:
    return X.astype("U6")


def _lists(X: Any, _: Rng) -> Any:
    return X.tolist()


def _dates(X: Any, rng: Rng) -> Any:
    days = np.round(100 * X).astype("int64")
    return days.astype(f"M8[{['D', 's', 'us', 'ns'][rng.integers(4)]}]")


def _other_dimensions(X: Any, rng: Rng) -> Any:
    return (X[0], X[None], X[:, :0], X[:0])[rng.integers(4)]


def _strided(X: Any, _: Rng) -> Any:
    return np.repeat(X, 2, axis=1)[:, ::2]


def _read_only(X: Any, _: Rng) -> Any:
    X = np.asfortranarray(X)
    X.flags.writeable = False
    return X


ARRAYS: tuple[Callable[[Any, Rng], Any], ...] = (
    *(_some_extremes, _some_extremes, _columns_of_any_scale, _far_offset, _constant, _repeated),
    *(_single_precision, _whole_numbers, _booleans, _complex, _objects, _strings, _lists, _dates),
    *(_other_dimensions, _strided, _read_only),
)


# ---- frames ----


def _frame(X: Any, rng: Rng) -> tuple[pd.DataFrame, list[str]]:
    """Return columns of drawn kinds, some of them with odd cells."""
    n, columns, words = len(X), {}, []
    for j in range(X.shape[1]):
        kind = list(COLUMNS)[rng.integers(len(COLUMNS))]
        columns[f"c{j}"] = COLUMNS[kind](X[:, j], rng)
        words.append(kind)
    frame = pd.DataFrame(columns, index=rng.permutation(n))
    if rng.random() < 0.1:
        frame.columns = ["same"] * frame.shape[1]
        words.append("same names")
    return frame, words


def _cells(x: Any, rng: Rng, odd: tuple[Any, ...]) -> list[Any]:
    cells: list[Any] = [f"{value:.3f}" for value in x]
    for _ in range(rng.integers(1, 3)):
        cells[rng.integers(len(cells))] = odd[rng.integers(len(odd))]
    return cells


ODD_CELLS = (
    *("oops", "inf", "-Infinity", "nan", "", None, "1e999", "1,5", "$3", "\x00", "x" * 9999),
    "\u0663",  # a digit of another script
)

COLUMNS: dict[str, Callable[[Any, Rng], Any]] = {
    "numbers": lambda x, _: x,
    "missing numbers": lambda x, rng: np.where(rng.random(len(x)) < 0.3, np.nan, x),
    "nothing": lambda x, _: np.full(len(x), np.nan),
    "extremes": lambda x, rng: np.where(rng.random(len(x)) < 0.1, rng.choice(EXTREMES), x),
    "odd cells": lambda x, rng: _cells(x, rng, ODD_CELLS),
    "words": lambda x, rng: rng.choice(["a", "b", "ü", " a", ""], len(x)),
    "names": lambda x, _: [f"item {i}" for i in range(len(x))],
    "categories": lambda x, rng: pd.Categorical(rng.choice(["u", "v"], len(x))).tolist(),
    "booleans": lambda x, _: x > 0,
    "dates": lambda x, rng: pd.to_datetime(np.round(1e4 * x), unit="s"),
    "spans of time": lambda x, _: pd.to_timedelta(np.round(1e4 * x), unit="s"),
    "complex": lambda x, _: x + 1j,
    "lists": lambda x, _: [[value] for value in x],
    "mixed": lambda x, rng: [rng.choice(np.array([1, "a", True, 2.5], dtype=object)) for _ in x],
    "huge integers": lambda x, _: [int(abs(value) * 10**30) for value in x],
    "Int64": lambda x, _: pd.array(np.round(10 * x).astype(int), dtype="Int64"),
}


# ---- targets and weights ----


def _target_of_any_scale(y: Any, rng: Rng) -> Any:
    return y * rng.choice([1e-310, 1e-250, 1e-170, 1e-30, 1e30, 1e160, 1e250, 1e306])


def _extreme_target(y: Any, rng: Rng) -> Any:
    y = y.copy()
    y[rng.integers(len(y))] = rng.choice(EXTREMES)
    return y


def _two_extremes(y: Any, _: Rng) -> Any:
    return np.where(y > 0, 1.7e308, -1.7e308)


def _constant_target(y: Any, rng: Rng) -> Any:
    return np.full_like(y, rng.choice([0.0, 3.0, 1e300]))


def _far_target(y: Any, rng: Rng) -> Any:
    return y + rng.choice([1e12, -1e100])


def _counts(y: Any, _: Rng) -> Any:
    return np.round(np.exp(2 * y)).astype(int)


def _two_targets(y: Any, _: Rng) -> Any:
    return np.column_stack((y, 1e6 * y**2))


def _labels(y: Any, rng: Rng) -> Any:
    return (
        np.digitize(y, [-0.5, 0.5]).astype("U")[np.arange(len(y))]
        if rng.random() < 0.7
        else ["a" if value > 0 else "b" for value in y]
    )


def _one_label(y: Any, _: Rng) -> Any:
    return np.full(len(y), "only")


def _a_label_each(y: Any, _: Rng) -> Any:
    return np.array([f"l{i}" for i in range(len(y))])


def _odd_labels(y: Any, rng: Rng) -> Any:
    odd = np.array([None, "x", 1.5, True, ""], dtype=object)
    return odd[rng.integers(5, size=len(y))]


def _other_length(y: Any, _: Rng) -> Any:
    return np.append(y, 1.0)


def _complex_target(y: Any, _: Rng) -> Any:
    return y + 1j


def _target_of_strings(y: Any, _: Rng) -> Any:
    return [[f"{value:.2f}"] for value in y]


TARGETS: tuple[Callable[[Any, Rng], Any], ...] = (
    *(_target_of_any_scale, _target_of_any_scale, _extreme_target, _two_extremes),
    *(_constant_target, _far_target, _counts, _two_targets, _labels, _labels, _labels),
    *(_one_label, _a_label_each, _odd_labels, _other_length, _complex_target, _target_of_strings),
)


def _weights(n: int, rng: Rng) -> Any:
    drawn = (0.0, 1.0, 1e-200, 1e200, 1e-308, 1e308, -1.0, np.nan, np.inf, 3.0)
    if rng.random() < 0.5:
        return np.full(n, rng.choice(drawn))
    weight = np.ones(n)
    weight[rng.integers(n)] = rng.choice(drawn)
    return weight
