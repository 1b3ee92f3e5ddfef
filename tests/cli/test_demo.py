"""The demonstration runs and leaves a picture."""

from sparsegp.cli.demo import main


def test_demo(tmp_path, capsys):
    picture = tmp_path / "demo.png"
    main(["--rows", "400", "--picture", str(picture)])
    printed = capsys.readouterr().out
    for name in ("NMSE", "NLPD", "95 % coverage", "basis vectors", "seconds"):
        assert name in printed
    assert picture.read_bytes().startswith(b"\x89PNG")
