"""Numbers that are written for people: "€1,234.50", "1.234,50", "12 %", "80 kg".

A format belongs to a column: one "1,5" makes the comma of "1,234" a decimal one, and a unit is only
taken away if it is the same in all cells.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

__all__ = ["DECIMAL_COMMA", "FORMATS", "PLAIN", "PLAIN_FORMAT", "NumberFormat", "find_format"]

PLAIN, THOUSANDS, DECIMAL_COMMA = "plain", "thousands", "decimal comma"
FORMATS: Final = (PLAIN, THOUSANDS, DECIMAL_COMMA)

_CURRENCY = r"[€$£¥]|(?:EUR|USD|GBP|CHF)\b"
# a word or two, at most 16 characters: "kg", "km/h", "sq ft", "µg/m3"
_UNIT = rf"{_CURRENCY}|[^\W\d_](?:[^\W\d_]|[ /·.]){{0,14}}[23]?|[%‰]|°[CF]?"
_CELL = re.compile(
    rf"(?P<before>{_CURRENCY})?\s*(?P<sign>[-+−]?)\s*(?P<between>{_CURRENCY})?\s*"
    rf"(?P<digits>\d[\d.,'’\s]*+(?:[eE][-+]?\d+)?)\s*(?P<after>{_UNIT})?"
)
_SPACES = r" \u00a0\u202f"
# groups of three digits, all parted by the same character; a group does not begin with a zero
_GROUPED = r"[1-9]\d{{0,2}}(?:(?P<part>[{}])\d{{3}})(?:(?P=part)\d{{3}})*"
_EXPONENT = r"(?:[eE][-+]?\d+)?"
_BY_COMMA, _BY_POINT = (_GROUPED.format(f"{mark}'’{_SPACES}") for mark in (",", "."))
_DIGITS: Final = {
    PLAIN: re.compile(rf"\d+(?:\.\d+)?{_EXPONENT}"),
    THOUSANDS: re.compile(rf"(?:{_BY_COMMA}|\d+)(?:\.\d+)?{_EXPONENT}"),
    DECIMAL_COMMA: re.compile(rf"(?:{_BY_POINT}|\d+)(?:,\d+)?"),
}
_SEPARATORS = re.compile(r"[,'’\s]")


@dataclass(frozen=True)
class NumberFormat:
    """How the numbers of a column are written, and the unit or currency beside them.

    >>> NumberFormat("decimal comma", "€").number("-1.234,50 €")
    -1234.5
    >>> NumberFormat("thousands").number("1,5") is None
    True
    """

    form: str = PLAIN
    unit: str = ""

    def number(self, text: str) -> float | None:
        """Return the number in a cell; None if the cell is written in another way."""
        found = _parts(text)
        if found is None or found.unit not in ("", self.unit):
            return None
        return found.value(self.form)


#: Numbers as Python writes them, without a unit.
PLAIN_FORMAT: Final = NumberFormat()


def find_format(cells: Mapping[str, int]) -> tuple[NumberFormat, set[str]]:
    """Return the format of most cells, given with their counts, and the cells that have it.

    >>> find_format({"$1,200": 1, "$3.5": 4})[0]
    NumberFormat(form='thousands', unit='$')
    """
    found = {text: parts for text in cells if (parts := _parts(text)) is not None}
    units: Counter[str] = Counter()
    for text, parts in found.items():
        units[parts.unit] += cells[text]
    if not units:
        return PLAIN_FORMAT, set()
    currencies = [unit for unit in units if _is_currency(unit)]
    unit = currencies[0] if len(currencies) == 1 else units.most_common(1)[0][0]
    allowed = {unit, ""} if _is_currency(unit) else {unit}  # a currency may be absent
    best, good, n_best = PLAIN_FORMAT, set[str](), 0
    for form in FORMATS:
        fits = {t for t, parts in found.items() if parts.unit in allowed and parts.has(form)}
        n_fits = sum(cells[text] for text in fits)
        if n_fits > n_best:
            best, good, n_best = NumberFormat(form, unit), fits, n_fits
    return best, good


class _Parts(NamedTuple):
    """The parts of a cell that may be a number."""

    negative: bool
    digits: str  # with separators
    unit: str

    def has(self, form: str) -> bool:
        """Tell whether the digits are written in a format."""
        return _DIGITS[form].fullmatch(self.digits) is not None

    def value(self, form: str) -> float | None:
        """Return the number, None if it is written in another format."""
        if not self.has(form):
            return None
        digits = self.digits
        if form == DECIMAL_COMMA:
            digits = digits.replace(".", "").replace(",", ".")
        number = float(_SEPARATORS.sub("", digits))
        return -number if self.negative else number


def _parts(text: str) -> _Parts | None:
    """Return the parts of a cell; None if it is no number in any format."""
    found = _CELL.fullmatch(text.strip())
    if found is None:
        return None
    before, sign, between, digits, after = found.groups()
    units = [unit for unit in (before, between, after) if unit]
    if len(units) > 1:
        return None
    return _Parts(sign in ("-", "−"), digits.rstrip(), "".join(units))


def _is_currency(unit: str) -> bool:
    return re.fullmatch(_CURRENCY, unit) is not None
