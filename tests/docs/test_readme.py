"""The code in README.md runs as printed."""

import re
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"


def test_readme_code_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # it saves a model
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)
    assert blocks
    names = {}
    for block in blocks:
        exec(block, names)
    printed = capsys.readouterr().out
    scores = [float(line) for line in printed.splitlines() if re.fullmatch(r"[0-9.]+", line)]
    assert len(scores) == 2  # of numbers and of labels
    assert min(scores) > 0.9
    assert "RBF(length_scale=" in printed
