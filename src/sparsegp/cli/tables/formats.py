"""Formats of table files, inferred from their names."""

from pathlib import Path

from sparsegp.cli.errors import BadInputError

__all__ = ["ARROW", "CSV", "PARQUET", "format_of", "separator_of"]

CSV, PARQUET, ARROW = "CSV", "Parquet", "Arrow"

_FORMATS = {
    ".csv": CSV,
    ".tsv": CSV,
    ".txt": CSV,
    ".parquet": PARQUET,
    ".pq": PARQUET,
    ".arrow": ARROW,
    ".feather": ARROW,
    ".ipc": ARROW,
}
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


def format_of(path: Path) -> str:
    """Return the format of a file.

    >>> format_of(Path("house.csv.gz")), format_of(Path("house.parquet"))
    ('CSV', 'Parquet')
    """
    found = _FORMATS.get(_without_compression(path).suffix.lower())
    if found is None or (found != CSV and path.suffix.lower() in _COMPRESSED):
        raise BadInputError(
            f"cannot infer the format of {path.name}: its name must end with {', '.join(_FORMATS)}"
        )
    return found


def separator_of(path: Path) -> str:
    """Return the separator of a CSV file."""
    return "\t" if _without_compression(path).suffix.lower() == ".tsv" else ","


def _without_compression(path: Path) -> Path:
    return path.with_suffix("") if path.suffix.lower() in _COMPRESSED else path
