"""Tables as they are: every method on a small generated set, and what the page says of it."""

import json

import pytest

from benchmarks.datasets import partition
from benchmarks.reproduce import tables, tables_page
from benchmarks.reproduce.tables_page import AUTO, LIGHTGBM, PLAINLY, mark


@pytest.fixture
def small(monkeypatch):
    """Let every set be one of 150 rows."""
    monkeypatch.setattr(tables, "table_partition", lambda _, k: partition("friedman2", k, 150))


def options(out, *methods):
    chosen = ["--methods", *methods, "--max-basis", "20", "--out", str(out)]
    return ["--sets", "airfoil", "--partitions", "1", *chosen]


def test_our_methods_run_and_go_on_where_they_stood(tmp_path, small, capsys):
    out = tmp_path / "tables.json"
    tables.main(options(out, PLAINLY))
    tables.main(options(out, PLAINLY, AUTO))
    plain, auto = json.loads(out.read_text())
    assert (plain["method"], auto["method"]) == (PLAINLY, AUTO)
    assert plain["kernel"] == "RBF" and plain["target"] == "standard" and plain["n_bent"] == 0
    assert 0.0 < auto["nmse"] < 20.0 and 0.8 < auto["coverage"] <= 1.0
    assert "airfoil" in capsys.readouterr().out
    page = tables_page.section_tables(tmp_path, tmp_path)
    assert "`max_basis=20`, one partition" in page and "on 0 of 0 sets" in page


def test_lightgbm_runs(tmp_path, monkeypatch):
    pytest.importorskip("lightgbm", reason="a peer: pip install '.[peers]'")
    # a tenth of the rows stops the growth of trees: 15 of 150 rows would stop it at the first
    monkeypatch.setattr(tables, "table_partition", lambda _, k: partition("friedman2", k, 400))
    tables.main(options(tmp_path / "tables.json", LIGHTGBM))
    (record,) = json.loads((tmp_path / "tables.json").read_text())
    assert 0.0 < record["nmse"] < 40.0 and record["n_leaves"] in (31, 63, 127)
    assert "max_basis" not in record


def records(nmse, nlpd):
    """Return runs of ours on two partitions beside LightGBM's 10 and 0.5."""
    common = {"set": "pol", "coverage": 0.95, "seconds": 1.0}
    theirs = {**common, "method": LIGHTGBM, "nmse": 10.0, "nlpd": 0.5, "n_leaves": 63}
    chosen = {"kernel": "RBF", "target": "log", "max_basis": 1000}
    ours = {**common, "method": AUTO, "nmse": nmse, "nlpd": nlpd, **chosen}
    runs = [{**run, "partition": k} for k in (0, 1) for run in (ours, theirs)]
    return [{**run, "n_bent": run["partition"]} for run in runs]


@pytest.mark.parametrize(
    ("nmse", "nlpd", "sign"),
    [(10.0, 0.49, "✓"), (10.2, 0.49, "≈"), (10.3, 0.4, ""), (9.0, 0.5, "")],
)
def test_both_measures_count(nmse, nlpd, sign, tmp_path):
    assert mark(records(nmse, nlpd), AUTO) == sign
    assert mark(records(nmse, nlpd), PLAINLY) is None
    (tmp_path / "tables.json").write_text(json.dumps(records(nmse, nlpd)))
    page = tables_page.section_tables(tmp_path, tmp_path)
    assert f"on {int(sign == '✓')} of 1 sets" in page and "covered in 2 of 2 runs" in page
    assert f"NMSE on {int(sign == '≈')} more" in page
    assert "RBF; log; 0 to 1 columns transformed" in page and "63 leaves" in page


def test_without_results_the_page_names_the_command(tmp_path):
    assert "benchmarks.reproduce.tables`" in tables_page.section_tables(tmp_path, tmp_path)
