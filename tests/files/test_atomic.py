"""A file is there as a whole or not at all."""

import os
import stat
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from sparsegp import SparseGPRegressor, load
from sparsegp.files import info
from sparsegp.files.atomic import write_atomically
from tests.files.models import NEW, fitted


def test_paths_of_any_kind(tmp_path, monkeypatch):
    model = fitted("default")
    monkeypatch.chdir(tmp_path)
    for path in ("plain.safetensors", tmp_path / "ä path with spaces", Path("relative")):
        model.save(path)
        np.testing.assert_array_equal(load(path).predict(NEW), model.predict(NEW))
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["plain.safetensors", "relative", "ä path with spaces"]


def test_places_where_no_file_can_be(tmp_path):
    model = fitted("default")
    with pytest.raises(IsADirectoryError, match="folder"):
        model.save(tmp_path)
    with pytest.raises(FileNotFoundError, match="no folder"):
        model.save(tmp_path / "nowhere" / "model")
    for read in (load, info):
        with pytest.raises(IsADirectoryError, match="folder"):
            read(tmp_path)
        with pytest.raises(FileNotFoundError):
            read(tmp_path / "nothing")
    with pytest.raises(NotFittedError):
        SparseGPRegressor().save(tmp_path / "model")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file(step, tmp_path, monkeypatch):
    path = tmp_path / "model"
    fitted("default").save(path)
    before = path.read_bytes()

    def disk_full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(*((os, "fsync") if step == "fsync" else (Path, "replace")), disk_full)
    with pytest.raises(OSError, match="no space"):
        fitted("as given").save(path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_links_and_rights_stay(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
