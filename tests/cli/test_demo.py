"""The demonstration runs and leaves a picture and a page."""

from sparsegp.cli.demo import main
from tests.report.pages import read


def test_demo(tmp_path, capsys):
    picture = tmp_path / "demo.png"
    page = tmp_path / "demo.html"
    main(["--rows", "400", "--picture", str(picture), "--report", str(page)])
    printed = capsys.readouterr().out
    for name in ("NMSE", "NLPD", "95 % coverage", "basis vectors", "seconds"):
        assert name in printed
    assert picture.read_bytes().startswith(b"\x89PNG")
    shown = read(page.read_text(encoding="utf-8"))
    assert len(shown.figures) == 6 + 8
    assert f"report: {page}" in printed
