"""How one input of a model is made of a column of a table."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.tables.encoding.dates import PERIODS, periodic_part
from sparsegp.tables.encoding.kinds import (
    BOOLEAN,
    CATEGORY,
    DATE,
    KINDS,
    MISSING_INDICATOR,
    NUMBER,
    ORDERED,
    PERIODIC,
)
from sparsegp.tables.encoding.number_formats import FORMATS, PLAIN, NumberFormat
from sparsegp.tables.encoding.policy import MAX_LEVELS_SHOWN

__all__ = ["ColumnEncoding"]

Floats = npt.NDArray[np.float64]

_WAVES = ("sin", "cos")


@dataclass(frozen=True)
class ColumnEncoding:
    """One input of the model and the column it comes from."""

    name: str  # of the column in the table
    kind: str
    fill: float | None = None  # for missing numbers and dates; None refuses them
    levels: tuple[str, ...] = ()  # of a category
    position: int = 0  # of the column in the table
    pooled: tuple[str, ...] = ()  # rare levels, which have one code together
    number_format: str = PLAIN
    unit: str = ""  # beside each number
    missing_marks: tuple[str, ...] = ()  # strings among numbers that count as missing
    had_missing: bool = True  # whether it may have been missing in training rows
    part: str = ""  # period of a periodic part
    wave: str = ""  # of a periodic part: sine or cosine

    @property
    def feature(self) -> str:
        """The name of the input."""
        if self.kind == MISSING_INDICATOR:
            return f"{self.name} is missing"
        return f"{self.name}, {self.part} ({self.wave})" if self.kind == PERIODIC else self.name

    @property
    def is_main(self) -> bool:
        """Tell whether the input stands for its column; the others are added to it."""
        return self.kind not in (MISSING_INDICATOR, PERIODIC)

    @property
    def is_categorical(self) -> bool:
        """Tell whether the input consists of category codes."""
        return self.kind in (CATEGORY, MISSING_INDICATOR)

    @property
    def codes(self) -> tuple[float, ...]:
        """The codes of a category in the training rows, rare levels and missing ones included."""
        if self.kind == MISSING_INDICATOR:
            return (0.0, 1.0)
        from sparsegp.tables.encoding import cell_parsing as parse  # noqa: PLC0415  (needs pandas)

        rare = (parse.RARE,) if self.pooled else ()
        missing = (parse.MISSING,) if self.had_missing else ()
        return tuple(map(float, (*rare, *missing, *range(1, len(self.levels) + 1))))

    def encode(self, cells: Any) -> Floats:
        """Return the input (n,) of cells: a pandas column, or an array of numbers."""
        if self.kind == MISSING_INDICATOR:
            return self._is_missing(cells).astype(np.float64)
        if isinstance(cells, np.ndarray) and self.kind in (NUMBER, BOOLEAN):
            return self._filled(cells.astype(np.float64))
        from sparsegp.tables.encoding import cell_parsing as parse  # noqa: PLC0415  (needs pandas)

        if isinstance(cells, np.ndarray):
            cells = parse.as_series(cells)
        if self.kind == CATEGORY:
            codes = {level: i for i, level in enumerate(self.levels, 1)}
            codes |= dict.fromkeys(self.pooled, parse.RARE)
            return parse.encode_categories(cells, codes)
        if self.kind == PERIODIC:
            return periodic_part(parse.parse_dates(cells, self.name), self.part, self.wave)
        if self.kind == DATE:
            return self._filled(parse.parse_dates(cells, self.name))
        if self.kind == ORDERED:
            return self._filled(parse.encode_ranks(cells, self.levels))
        if self.kind == BOOLEAN:
            return self._filled(parse.parse_booleans(cells, self.name))
        form = NumberFormat(self.number_format, self.unit)
        return self._filled(parse.parse_numbers(cells, self.name, form, self.missing_marks))

    def _is_missing(self, cells: Any) -> npt.NDArray[np.bool_]:
        if isinstance(cells, np.ndarray):
            return np.isnan(cells.astype(np.float64))
        missing = cells.isna()
        if self.missing_marks:
            missing = missing | cells.isin(self.missing_marks)
        return missing.to_numpy(dtype=bool)

    def _filled(self, values: Floats) -> Floats:
        missing = np.isnan(values)
        if not missing.any():
            return values
        if self.fill is None:
            raise ValueError(
                f"column {self.name!r} has a missing value, and the model does not know what to "
                "replace it with: fill it in, or fit the model again on a table"
            )
        return np.where(missing, self.fill, values)

    def describe(self) -> str:
        """Return in words what the column became."""
        if self.kind == MISSING_INDICATOR:
            return "1 where it is missing"
        if self.kind == PERIODIC:
            return f"{self.part} ({self.wave})"
        words = {DATE: "days since 1970", BOOLEAN: "0 or 1"}.get(self.kind, self.kind)
        if self.levels:
            more = ", …" if len(self.levels) > MAX_LEVELS_SHOWN else ""
            shown = f"{', '.join(level[:20] for level in self.levels[:MAX_LEVELS_SHOWN])}{more}"
            what = "rank" if self.kind == ORDERED else "category"
            words = f"{what} of {len(self.levels)} levels ({shown})"
        if self.pooled:
            words += f", and {len(self.pooled)} rare levels as one"
        if self.number_format != PLAIN:
            words += f" written with {self.number_format}"
        if self.unit:
            words += f" in {self.unit}"
        return words

    def as_json(self) -> dict[str, Any]:
        """Return the description in plain JSON."""
        always = {
            "name": self.name,
            "kind": self.kind,
            "fill": self.fill,
            "levels": list(self.levels),
        }
        others = {
            "position": self.position,
            "pooled": list(self.pooled),
            "number_format": self.number_format,
            "unit": self.unit,
            "missing_marks": list(self.missing_marks),
            "had_missing": self.had_missing,
            "part": self.part,
            "wave": self.wave,
        }
        usual = ColumnEncoding(self.name, self.kind).__dict__
        return always | {n: value for n, value in others.items() if value != _plain(usual[n])}

    @classmethod
    def from_json(cls, stored: Any, position: int) -> "ColumnEncoding":
        """Return the encoding of a description; a crafted one raises some error."""
        fields = dict(stored)
        for name in ("levels", "pooled", "missing_marks"):
            fields[name] = tuple(map(str, fields.get(name, ())))
        made = cls(**{"position": position, **fields})
        made.check()
        return made

    def check(self) -> None:
        """Refuse fields that do not make an encoding, as a crafted file may have them."""
        texts = (self.name, self.kind, self.number_format, self.unit, self.part, self.wave)
        named = all(isinstance(text, str) for text in texts)
        filled = self.fill is None or (type(self.fill) in (int, float) and np.isfinite(self.fill))
        periodic = self.kind != PERIODIC or (self.part in PERIODS and self.wave in _WAVES)
        formed = self.number_format in FORMATS
        placed = type(self.position) is int and self.position >= 0
        if not (named and self.kind in KINDS and filled and periodic and formed and placed):
            raise ValueError(f"{self!r} does not describe a column")


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
