"""Blocks of code in pages."""

import re
from pathlib import Path

__all__ = ["ROOT", "blocks", "languages", "run_python"]

ROOT = Path(__file__).resolve().parents[2]


def blocks(page: Path, language: str) -> list[str]:
    """Return the blocks of a page that are fenced with this language."""
    fences = rf"^```{language}\n(.*?)^```$"
    return re.findall(fences, page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def languages(page: Path) -> list[str]:
    """Return the language of every fenced block of a page; "" if none is named."""
    fences = re.findall(r"^```(.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [name.strip() for name in fences[::2]]


def run_python(page: Path) -> int:
    """Run the Python blocks of a page, one after the other; return how many there are."""
    names: dict[str, object] = {"__name__": "__main__"}
    found = blocks(page, "python")
    for i, block in enumerate(found):
        exec(compile(block, f"{page.name}, block {i}", "exec"), names)
    return len(found)
