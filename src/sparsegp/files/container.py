"""The bytes of a model file: arrays and one JSON document, with a checksum.

The file is in the safetensors format: eight bytes with the length of the header, the header as
JSON, the arrays. Our document is the only entry of the header's metadata. Its first member is the
SHA-256 of the whole file, computed with sixty-four zeros in place of the checksum itself, so that
a change of any byte is detected. It protects against accidents; it is not a signature.
"""

import json
import os
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load, save

from sparsegp.exceptions import ModelFileError
from sparsegp.files.policy import MAX_HEADER_BYTES

__all__ = ["FORMAT_VERSION", "Tensors", "from_bytes", "read_bytes", "to_bytes"]

Tensors = dict[str, npt.NDArray[Any]]

FORMAT = "sparsegp model"
#: Increased whenever an older library could no longer read the file.
FORMAT_VERSION = 1

METADATA_KEY = "sparsegp"  # of the document in the header
EMPTY_CHECKSUM = "0" * 64
CHECKSUM = re.compile(rb'\\"sha256\\": ?\\"([0-9a-f]{64})\\"')


def to_bytes(document: Mapping[str, Any], tensors: Tensors) -> bytearray:
    """Return the bytes of a file. The names of the arrays come from ``json_encoding``.

    >>> data = to_bytes({"answer": 42}, {"x": np.ones(2)})
    >>> from_bytes(data)[0]["answer"]
    42
    """
    head = {"sha256": EMPTY_CHECKSUM, "format": FORMAT, "format_version": FORMAT_VERSION}
    text = json.dumps({**head, **document}, allow_nan=False)
    # safetensors copies memory without its strides: other orders would come out scrambled
    ordered = {name: np.asarray(tensor, order="C") for name, tensor in tensors.items()}
    data = bytearray(save(ordered, {METADATA_KEY: text}))
    position = _checksum_position(data)
    assert position is not None
    data[position] = _checksum(data, position)
    return data


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file if it begins like a model file."""
    file_path = Path(path)
    if file_path.is_dir():
        raise IsADirectoryError(f"{file_path} is a folder: give the name of a model file")
    if file_path.exists() and not file_path.is_file():  # it may never end
        raise ModelFileError("it is a device or a pipe: give the name of a model file")
    with file_path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(8)
        length = _header_length(start, size)
        header = file.read(length)
        if METADATA_KEY.encode() not in header:
            raise ModelFileError("it is not a sparsegp model file")
        return start + header + file.read()


def _header_length(start: bytes | bytearray, size: int) -> int:
    """Return the length of the header; refuse one that exceeds the file."""
    length = int.from_bytes(start[:8], "little")
    if len(start) < 8 or not 2 <= length <= min(size - 8, MAX_HEADER_BYTES):
        raise ModelFileError("it is not a sparsegp model file, or only the beginning of one")
    return length


def _checksum_position(data: bytes | bytearray) -> slice | None:
    """Return where the checksum is; the first match, since it is the first member."""
    end = 8 + _header_length(data[:8], len(data))
    found = CHECKSUM.search(data, 8, end)
    return None if found is None else slice(*found.span(1))


def _checksum(data: bytes | bytearray, position: slice) -> bytes:
    """Return the checksum of all bytes, with zeros in place of the checksum itself."""
    whole = memoryview(data)
    digest = sha256(whole[: position.start])
    digest.update(EMPTY_CHECKSUM.encode())
    digest.update(whole[position.stop :])
    return digest.hexdigest().encode()


def from_bytes(data: bytes | bytearray) -> tuple[dict[str, Any], Tensors]:
    """Return the document and the arrays of a file; refuse one that was changed."""
    position = _checksum_position(data)
    if position is None:
        raise ModelFileError("it is not a sparsegp model file, or it was altered")
    if _checksum(data, position) != data[position]:
        raise ModelFileError(
            "its checksum is wrong: it was truncated or altered after it was written"
        )
    try:
        header = json.loads(data[8 : 8 + _header_length(data[:8], len(data))])
        document = json.loads(header["__metadata__"][METADATA_KEY])
        tensors = load(bytes(data))
    except (SafetensorError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ModelFileError(f"it cannot be read: {error}") from error
    longest = max((side for tensor in tensors.values() for side in tensor.shape), default=0)
    if longest > len(data):  # an empty array, which takes no bytes; what it is joined with would
        raise ModelFileError("it has an array with more rows or columns than the file has bytes")
    return _check_document(document), tensors


def _check_document(document: Any) -> dict[str, Any]:
    """Refuse documents of other programs and of newer versions."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFileError("it is not a sparsegp model file")
    version = document.get("format_version")
    if type(version) is not int or version < 1:
        raise ModelFileError(f"its format version is {version!r}, which does not exist")
    if version > FORMAT_VERSION:
        raise ModelFileError(
            f"it was written by sparsegp {document.get('library_version')} in format {version}, "
            f"but this library reads formats up to {FORMAT_VERSION}: install a newer sparsegp"
        )
    return document
