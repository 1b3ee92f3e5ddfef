"""The demonstration runs and leaves a picture and a page."""

from tests.cli.commands import invoke
from tests.report.pages import read


def test_demo(tmp_path):
    picture = tmp_path / "demo.png"
    page = tmp_path / "demo.html"
    printed = invoke("demo", "--rows", 250, "--picture", picture, "--report", page).stdout
    for name in ("NMSE", "NLPD", "95 % coverage", "basis vectors", "seconds"):
        assert name in printed
    assert picture.read_bytes().startswith(b"\x89PNG")
    shown = read(page.read_text(encoding="utf-8"))
    assert len(shown.figures) == 7 + 10
    assert str(page) in printed.replace("\n", "")
