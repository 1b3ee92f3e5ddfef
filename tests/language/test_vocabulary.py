"""Prose, files, classes and functions speak the language of the field, not a dialect of our own."""

import ast
import io
import re
import tokenize
from pathlib import Path

from tests.language.vocabulary import ALLOWED, OLD_FILES, OLD_NAMES, PROSE

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "sparsegp"
GENERATED = {"_build", "api", "gallery"}  # below docs/, by `make docs`

CODE = sorted(path for place in ("src", "examples") for path in (ROOT / place).rglob("*.py"))
PAGES = sorted(
    path
    for path in [*(ROOT / "docs").rglob("*.md"), *PACKAGE.rglob("*.html"), *ROOT.glob("*.md")]
    if not GENERATED & set(path.relative_to(ROOT).parts) and path.name != "CHANGELOG.md"
)


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def prose_of_code(source):
    """Yield line and text of comments, docstrings and string literals of several words."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def without_code(text):
    """Return prose with spaces where identifiers and doctest lines stood."""
    text = re.sub(r"(?m)^\s*(?:>>>|\.\.\.).*$", "", text)
    return re.sub(r"`[^`\n]*`", lambda code: " " * len(code[0]), text)


def complaints(path, start, text):
    """Yield a sentence for each word of the dialect."""
    allowed = [phrase.lower() for file, phrase, _ in ALLOWED if file == name_of(path)]
    prose = without_code(text)
    for word in PROSE:
        for match in word.find_in(prose):
            start_of_line = text.rfind("\n", 0, match.start()) + 1
            line = text[start_of_line : (text + "\n").index("\n", match.end())].lower()
            if not any(phrase in line for phrase in allowed):
                at = start + text[: match.start()].count("\n")
                yield (f"{name_of(path)}:{at}: {match[0]!r}: write {word.write!r} ({word.reason})")


def assert_none(found):
    assert not found, f"{len(found)} in all:\n" + "\n".join(found)


def suspects(path):
    """Yield line and text of the prose of a module, if there is a word of the dialect in it."""
    prose = list(prose_of_code(path.read_text(encoding="utf-8")))
    together = "\0".join(without_code(text) for _, text in prose)  # no phrase goes on beyond a 0
    if any(word.find_in(together) for word in PROSE):
        yield from prose


def test_prose_of_modules():
    assert_none(
        [
            each
            for path in CODE
            for start, text in suspects(path)
            for each in complaints(path, start, text)
        ]
    )


def test_a_module_with_such_a_word_is_a_suspect(tmp_path):
    module = tmp_path / "module.py"
    module.write_text("# a fit in a\n# hurry\n")
    assert len(list(suspects(module))) == 2
    module.write_text('# it moves\n"Z and rows"\n')
    assert not list(suspects(module))


def test_prose_of_pages():
    texts = [(path, path.read_text(encoding="utf-8")) for path in PAGES]
    assert_none([each for path, text in texts for each in complaints(path, 1, text)])


def test_a_page_says_once_what_the_evidence_is():
    texts = [(path, path.read_text(encoding="utf-8")) for path in PAGES]
    assert_none(
        [
            f"{name_of(path)}: 'evidence' is the (log) marginal likelihood: say so once on the page"
            for path, text in texts
            if re.search(r"\bevidence\b", text)
            and not re.search(r"marginal\s+likelihood", text, re.IGNORECASE)
        ]
    )


def test_no_file_bears_an_old_name():
    paths = sorted(path.relative_to(PACKAGE).with_suffix("") for path in PACKAGE.rglob("*"))
    found = [
        f"{name_of(PACKAGE / path)}: {new}"
        for (folder, name), new in ((old.split("/"), new) for old, new in OLD_FILES.items())
        for path in paths
        if folder in ("*", path.parts[0]) and path.match(name)
    ]
    assert_none(found)


def test_no_class_or_function_bears_an_old_name():
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found = [
        f"{name_of(path)}:{node.lineno}: {node.name}: {OLD_NAMES[node.name.strip('_')]}"
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, kinds) and node.name.strip("_") in OLD_NAMES
    ]
    assert_none(found)


def test_the_words_are_found():
    """The patterns see what they are for, across line breaks too, and leave the rest alone."""
    for bad in (
        "rows kept\nback for that",
        "What becomes of columns",
        "a fit in a hurry",
        "after so many rows",
        "returns who is asked",
        "each turn looks",
        "too few digits",
    ):
        assert any(word.find_in(bad) for word in PROSE), bad
    for good in (
        "ten handwritten digits",
        "a round trip",
        "sums round differently",
        "for those who know",
        "in turn with the noise",
        "the smallest gap between two values",
        "judged by held-out rows",
    ):
        assert not any(word.find_in(good) for word in PROSE), good


def test_exceptions_are_used():
    for file, phrase, reason in ALLOWED:
        assert reason
        assert phrase.lower() in (ROOT / file).read_text(encoding="utf-8").lower(), (file, phrase)
