"""Predict, then learn, row by row."""

import json
from io import StringIO

import numpy as np
import pandas as pd
import pytest

import sparsegp
from sparsegp.cli.streams.row_reader import RowReader
from tests.cli.commands import invoke
from tests.cli.streams.stream_rows import as_csv, as_json, rows

N = 100
NEW = ("stream", "--new", "--target", "y", "--max-basis", 15, "--warmup", 40)


def table_of(text):
    return pd.read_csv(StringIO(text))


@pytest.fixture(scope="module")
def whole():
    """What a stream of N rows prints."""
    done = invoke(*NEW, stdin=as_csv(rows(N)))
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_one_line_a_row_and_it_learns(whole):
    found, y = table_of(whole), pd.DataFrame(rows(N))["y"]
    assert found["row"].tolist() == list(range(1, N + 1))
    assert found["mean"].isna().tolist() == [True, True] + [False] * (N - 2)  # row 1 has no target
    late = slice(N // 2, None)
    error = (found["mean"] - y)[late]
    assert np.nanmean(error**2) < 0.2 * np.nanvar(y[late])
    inside = (found["lower"] < y) & (y < found["upper"])
    assert inside[late][y[late].notna()].mean() > 0.8


def test_json_lines_say_the_same(whole):
    done = invoke(*NEW, stdin=as_json(rows(N)))
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert found[0] == {"row": 1, "mean": None, "std": None, "lower": None, "upper": None}
    assert [one["mean"] for one in found[2:]] == table_of(whole)["mean"].tolist()[2:]


def test_semicolons_and_decimal_commas_say_the_same(whole):
    text = as_csv(rows(N)).replace(",", ";").replace(".", ",")
    assert invoke(*NEW, stdin=text).stdout == whole
    assert invoke(*NEW, stdin=as_csv(rows(N)).replace(",", "\t")).stdout == whole


def test_a_file_holds_what_is_printed(whole, tmp_path):
    out, kept = tmp_path / "o.csv", tmp_path / "c.st"
    done = invoke(*NEW, "--out", out, "--checkpoint", kept, "--every", 7, stdin=as_csv(rows(N)))
    assert done.stdout == ""
    assert out.read_text() == whole
    assert sorted(file.name for file in tmp_path.iterdir()) == ["c.st", "o.csv"]


def test_any_number_of_parts_gives_the_same_output(whole, tmp_path):
    given = ("--out", tmp_path / "o.csv", "--checkpoint", tmp_path / "c.st", "--every", 9)
    for n in (1, 30, 30, 44, N):
        done = invoke(*NEW, *given, stdin=as_csv(list(rows(N))[:n]))
        assert done.exit_code == 0, done.stderr
        with (tmp_path / "o.csv").open("a") as file:
            file.write("999,what was written after the checkpoint\n")
    assert invoke(*NEW, *given, stdin=as_csv(list(rows(N + 1)))).exit_code == 0
    lines = (tmp_path / "o.csv").read_text().splitlines()
    assert lines[:-1] == whole.splitlines()


def test_input_that_continues(whole, tmp_path):
    given = ("--out", tmp_path / "o.csv", "--checkpoint", tmp_path / "c.st")
    table = list(rows(N))
    invoke(*NEW, *given, stdin=as_csv(table[:60]))
    done = invoke(*NEW, *given, "--continues", stdin=as_csv(table[60:]))
    assert "resuming after row 60" in done.stderr
    assert (tmp_path / "o.csv").read_text() == whole


def test_a_stream_goes_on_from_a_model(whole, tmp_path):
    table = list(rows(N))
    invoke(*NEW, "--checkpoint", tmp_path / "a.st", stdin=as_csv(table[:60]))
    done = invoke("stream", tmp_path / "a.st", stdin=as_csv(table[60:]))
    assert table_of(done.stdout)["mean"].tolist() == table_of(whole)["mean"].tolist()[60:]
    assert done.stdout.splitlines()[1].startswith("1,")  # a stream of its own
    assert invoke("info", tmp_path / "a.st").exit_code == 0
    out = tmp_path / "p.csv"
    (tmp_path / "t.csv").write_text(as_csv(table))
    assert invoke("predict", tmp_path / "a.st", tmp_path / "t.csv", "--out", out).exit_code == 0
    first = pd.read_csv(out)["mean"][60]
    assert first == pytest.approx(table_of(done.stdout)["mean"][0], rel=1e-9)


def test_another_input_or_other_options_are_refused(tmp_path):
    given = ("--out", tmp_path / "o.csv", "--checkpoint", tmp_path / "c.st")
    table = list(rows(12))
    invoke(*NEW, *given, stdin=as_csv(table))
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    for arguments, given_rows, part in (
        ((*NEW, *given), list(rows(13, seed=1)), "are not those of the checkpoint"),
        ((*NEW, *given, "--seed", 3), table, "was started with --seed None, not 3"),
        ((*NEW, "--checkpoint", given[3]), table, "was started with --out True"),
    ):
        done = invoke(*arguments, stdin=as_csv(given_rows))
        assert done.exit_code == 2
        assert part in done.stderr
        assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before
    given[1].write_text("row\n")
    assert "is shorter than" in invoke(*NEW, *given, stdin=as_csv(rows(13))).stderr


def test_a_bad_row_ends_the_stream_and_keeps_the_checkpoint(whole, tmp_path):
    given = ("--out", tmp_path / "o.csv", "--checkpoint", tmp_path / "c.st", "--every", 10)
    table = list(rows(N))
    bad = [*table[:25], table[25] | {"z": "abc"}]
    done = invoke(*NEW, *given, stdin=as_csv(bad))
    assert done.exit_code == 2
    assert "row 26: 'z' is 'abc', which is not a number" in done.stderr
    assert invoke(*NEW, *given, stdin=as_csv(table)).exit_code == 0  # once it is corrected
    assert (tmp_path / "o.csv").read_text() == whole


def test_classes(tmp_path):
    table = [row | {"y": "up" if (row["x"] or 0) > 0 else "down"} for row in rows(120)]
    new = ("stream", "--new", "--target", "y", "--classes", "up,down", "--warmup", 40)
    done = invoke(*new, "--checkpoint", tmp_path / "c.st", stdin=as_csv(table))
    found = table_of(done.stdout)
    assert list(found.columns) == ["row", "class", "p_down", "p_up"]
    right = found["class"] == [row["y"] for row in table]
    assert right[60:].mean() > 0.85
    done = invoke("stream", tmp_path / "c.st", stdin=as_csv([table[0] | {"y": "left"}]))
    assert "'left' is not among the classes down, up" in done.stderr


def test_forgetting_follows_a_jump():
    table = [row | {"y": 0.0 if i < 60 else 5.0} for i, row in enumerate(rows(120))]
    means = [
        table_of(invoke(*NEW, "--mean", "zero", *given, stdin=as_csv(table)).stdout)["mean"].iloc[
            -1
        ]
        for given in (("--forget", "none"), ("--forget", 0.01), ())
    ]
    assert abs(means[1] - 5.0) < abs(means[0] - 5.0)
    assert abs(means[2] - 5.0) < abs(means[0] - 5.0)


def test_lags_are_those_of_the_estimator(tmp_path):
    table = [{"x": float(i % 5), "y": float(i % 7)} for i in range(60)]
    given = ("--lags", "target=2,x=1", "--mean", "last", "--checkpoint", tmp_path / "c.st")
    done = invoke(*NEW, *given, stdin=as_csv(table))
    model = sparsegp.OnlineGPRegressor(
        max_basis=15, n_warmup=40, random_state=0, lags={"target": 2, 0: 1}, mean="last"
    )
    means = []
    for row in table:
        x = np.array([[row["x"]]])
        means.append(model.predict(x)[0] if means else None)
        model.partial_fit(x, [row["y"]])
    np.testing.assert_array_equal(table_of(done.stdout)["mean"][1:], means[1:])
    assert sparsegp.load(tmp_path / "c.st").lags == {"target": 2, 0: 1}


def test_a_model_made_in_python_goes_on(tmp_path):
    table = pd.DataFrame(rows(60))[["x", "z"]].fillna(0.0)
    model = sparsegp.OnlineGPRegressor(max_basis=10, n_warmup=30, random_state=0)
    model.partial_fit(table[:50], table["x"][:50]).save(tmp_path / "m.st")
    text = table[50:].assign(y=table["x"])[["z", "y", "x"]].to_csv(index=False)  # by name
    done = invoke("stream", tmp_path / "m.st", "--target", "y", stdin=text)
    expected = model.predict(table[50:51])
    assert table_of(done.stdout)["mean"][0] == pytest.approx(expected[0])


def test_digests_tell_streams_apart():
    digests = [row.digest for row in RowReader(["a,b\n", "1,2\n", "3,4\n"])]
    others = [row.digest for row in RowReader(["a,b\n", "1,2\n", "3,5\n"])]
    assert digests[0] == others[0]
    assert digests[1] != others[1]
    (later,) = RowReader(["a,b\n", "3,4\n"], number=1, digest=digests[0])
    assert (later.number, later.digest) == (2, digests[1])
