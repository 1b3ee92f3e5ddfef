"""Writing a file as a whole or not at all.

The bytes go to a new file beside the old one, to the disk, and only then under the name that
was asked for. Whoever reads meanwhile, or after a crash, finds the old file or the new one.
"""

import os
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE

__all__ = ["write_atomically"]


def write_atomically(path: str | os.PathLike[str], data: bytes | bytearray) -> None:
    """Write data under this name; if that fails, what was there before is still there."""
    target = Path(os.path.realpath(path))  # a link stays a link
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder: give the name of a file")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} to write {target.name} into")
    part = target.with_name(f".{target.name}.{token_hex(4)}.part")
    try:
        _write_to_disk(part, data, S_IMODE(target.stat().st_mode) if target.exists() else None)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    _settle_folder(target.parent)


def _write_to_disk(part: Path, data: bytes | bytearray, mode: int | None) -> None:
    """Write a new file, with the rights of the one it will replace or of any new one."""
    with part.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if mode is not None:
        part.chmod(mode)


def _settle_folder(folder: Path) -> None:
    """Have the new name on the disk, too, where the system allows to ask for that."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some file systems do not sync folders; the file itself is safe
        pass
    finally:
        os.close(handle)
