"""The text of the pages that reproductions write."""

from pathlib import Path

from benchmarks.reproduce.page import write_pages

__all__ = ["pages_text"]


def pages_text(results: Path, folder: Path) -> str:
    """Write all pages; return them as one text."""
    return "\n".join(file.read_text() for file in write_pages(results, folder))
