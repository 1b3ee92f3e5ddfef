"""Atomic writes: a file is replaced completely or not at all.

The bytes go to a temporary file in the same folder, are flushed to the disk, and only then get the
requested name. A concurrent reader, or one after a crash, finds the old file or the new one.
Devices and pipes are written to as they are, since a rename would put a file in their place.
"""

import os
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE, S_ISREG

__all__ = ["is_replaceable", "write_atomically"]


def is_replaceable(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path is a regular file or none yet, and no device, pipe or folder."""
    try:
        return S_ISREG(Path(path).stat().st_mode)
    except FileNotFoundError:
        return True


def write_atomically(path: str | os.PathLike[str], data: bytes | bytearray) -> None:
    """Write data to a file; if that fails, the previous file is unchanged."""
    if Path(path).is_dir():
        raise IsADirectoryError(f"{path} is a folder: give the name of a file")
    if not is_replaceable(path):
        with Path(path).open("wb") as file:
            file.write(data)
        return
    target = Path(os.path.realpath(path))  # a symbolic link stays one
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} to write {target.name} into")
    part = target.with_name(f".{target.name}.{token_hex(4)}.part")
    try:
        _write_to_disk(part, data, S_IMODE(target.stat().st_mode) if target.exists() else None)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    _sync_folder(target.parent)


def _write_to_disk(part: Path, data: bytes | bytearray, mode: int | None) -> None:
    """Write a new file, with the permissions of the file that it will replace."""
    with part.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if mode is not None:
        part.chmod(mode)


def _sync_folder(folder: Path) -> None:
    """Flush the new directory entry to the disk, where the system supports it."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some file systems do not sync folders; the file itself is safe
        pass
    finally:
        os.close(handle)
