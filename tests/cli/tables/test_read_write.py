"""Reading and writing tables."""

import pandas as pd
import pyarrow as pa
import pytest

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.tables.read import column_names, read_blocks, read_table
from sparsegp.cli.tables.write import open_table_writer

TABLE = pd.DataFrame({"a": [1.5, 2.5, 3.5], "b": ["x", "007", None]})


def write(table, path):
    name = path.name
    if name.endswith(".parquet"):
        table.to_parquet(path)
    elif name.endswith(".feather"):
        table.to_feather(path)
    elif name.endswith(".arrow"):  # the format for streams, of two batches
        schema = pa.Schema.from_pandas(table)
        with pa.ipc.new_stream(str(path), schema) as writer:
            for part in (table[:2], table[2:]):
                writer.write_table(pa.Table.from_pandas(part, schema, preserve_index=False))
    else:
        table.to_csv(path, index=False, sep="\t" if ".tsv" in name else ",")
    return path


NAMES = ["t.csv", "t.csv.gz", "t.tsv", "t.parquet", "t.feather", "t.arrow"]


@pytest.mark.parametrize("name", NAMES)
def test_any_format_whole_and_in_blocks(tmp_path, name):
    path = write(TABLE, tmp_path / name)
    assert column_names(path) == ["a", "b"]
    whole = read_table(path)
    assert pd.to_numeric(whole["a"]).tolist() == [1.5, 2.5, 3.5]
    assert whole["b"].tolist()[:2] == ["x", "007"]
    assert whole["b"].isna().tolist() == [False, False, True]
    blocks = list(read_blocks(path, ["b", "a"], 2))
    assert [list(block.columns) for block in blocks] == [["b", "a"]] * 2
    assert [len(block) for block in blocks] == [2, 1]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.feather"])
def test_written_blocks_are_one_table(tmp_path, name):
    path = tmp_path / name
    with open_table_writer(path) as writer:
        writer.write(TABLE[:2])
        writer.write(TABLE[2:])
        assert not path.exists()
    assert len(read_table(path)) == 3
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.feather"])
def test_a_failure_leaves_the_old_file(tmp_path, name):
    path = write(TABLE, tmp_path / name)
    before = path.read_bytes()
    with pytest.raises(RuntimeError), open_table_writer(path) as writer:
        writer.write(TABLE)
        raise RuntimeError
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_names_that_say_nothing(tmp_path):
    (tmp_path / "t.xls").write_text("x")
    with pytest.raises(BadInputError, match=r"its name must end with .csv"):
        read_table(tmp_path / "t.xls")


def test_question_marks_are_missing(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,?\n?,x\n")
    assert read_table(tmp_path / "t.csv").isna().sum().tolist() == [1, 1]


def test_semicolons_are_seen(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n1;x\n2;y\n")
    assert list(read_table(tmp_path / "t.csv").columns) == ["a", "b"]
    assert column_names(tmp_path / "t.csv") == ["a", "b"]


def test_the_index_of_pandas_is_no_column(tmp_path):
    TABLE[::-1].to_parquet(tmp_path / "t.parquet")
    assert list(read_table(tmp_path / "t.parquet").columns) == ["a", "b"]
    TABLE.set_index("b").to_parquet(tmp_path / "named.parquet")
    assert set(read_table(tmp_path / "named.parquet").columns) == {"a", "b"}


def test_what_is_not_utf_8_is_said(tmp_path):
    (tmp_path / "t.csv").write_bytes("a,b\n1,é\n".encode("latin-1"))
    with pytest.raises(BadInputError, match="save it as UTF-8"):
        read_table(tmp_path / "t.csv")


def test_columns_of_one_name_are_refused(tmp_path):
    twice = pa.table([[1], [2]], names=["a", "a"])
    with pa.ipc.new_file(str(tmp_path / "t.arrow"), twice.schema) as writer:
        writer.write_table(twice)
    with pytest.raises(BadInputError, match="two columns 'a'"):
        read_table(tmp_path / "t.arrow")
