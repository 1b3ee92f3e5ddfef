"""Parquet files as tables: rows by number, and what is refused."""

import numpy as np
import pytest

from sparsegp.tables import open_table

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    table = pandas.DataFrame(rng.normal(size=(1000, 3)), columns=["a", "b", "t"])
    return table.assign(whole=np.arange(1000), text="x")


@pytest.fixture
def path(frame, tmp_path):
    file = tmp_path / "table.parquet"
    frame.to_parquet(file, row_group_size=130)
    return file


def test_rows_by_number_in_the_order_asked_for(path, frame):
    table = open_table(path, target="t", columns=["whole", "a"])
    numbers = np.array([999, 3, 3, 130, 129, 0, 500])
    rows = table.fetch(numbers, 50)
    assert np.array_equal(rows.X, frame[["whole", "a"]].to_numpy()[numbers])
    assert np.array_equal(rows.y[:, 0], frame["t"].to_numpy()[numbers])
    assert table.fetch(np.empty(0, dtype=np.intp)).X.shape == (0, 2)


def test_blocks_are_all_rows_in_order(path, frame):
    table = open_table(path, target=["t", "b"], columns=["a"])
    parts = list(table.blocks(64))
    assert len(parts) > 10
    assert np.array_equal(np.concatenate([p.X for p in parts]), frame[["a"]].to_numpy())
    assert np.array_equal(np.concatenate([p.y for p in parts]), frame[["t", "b"]].to_numpy())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "t"}, "column 'text' holds .*columns="),
        ({"target": "nothing", "columns": ["a"]}, "target names 'nothing'"),
        ({"columns": ["a", "c"]}, "columns names 'c'"),
        ({"target": "a", "columns": ["a"]}, "twice"),
        ({"target": "t", "columns": []}, "no column"),
    ],
    ids=["text", "no-target", "no-column", "twice", "none"],
)
def test_bad_columns(path, options, message):
    with pytest.raises(ValueError, match=message):
        open_table(path, **options)


def test_no_file_and_no_target(path, tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        open_table(tmp_path / "nowhere.parquet")
    with pytest.raises(ValueError, match="without a target"):
        _ = open_table(path, columns=["a"]).y


def test_labels_of_all_kinds(tmp_path):
    texts = np.array(["no", "yes"], dtype=object)[np.arange(400) % 2]
    columns = {"text": texts, "category": pandas.Categorical(texts), "code": np.arange(400) % 3}
    columns |= {"missing": np.where(np.arange(400) == 300, None, texts), "is": texts == "yes"}
    pandas.DataFrame({"x": np.arange(400.0), **columns}).to_parquet(
        tmp_path / "labels.parquet", row_group_size=130
    )
    for name, wanted in columns.items():
        table = open_table(tmp_path / "labels.parquet", target=name, columns=["x"])
        found = table.y.labels()
        assert found.dtype.kind == ("O" if isinstance(wanted[0], str) else wanted.dtype.kind)
        assert found.tolist() == list(wanted)
    with pytest.raises(ValueError, match=r"target 'missing' holds .*use a classifier"):
        open_table(tmp_path / "labels.parquet", target="missing", columns=["x"]).y.check_numbers()
    two = open_table(tmp_path / "labels.parquet", target=["text", "code"], columns=["x"])
    with pytest.raises(ValueError, match="one column of labels"):
        two.y.labels()
    inputs = two.without_target()
    assert np.array_equal(inputs.fetch(np.array([399, 0])).X, [[399.0], [0.0]])
