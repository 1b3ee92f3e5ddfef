"""A model file: arrays and one JSON document, with a checksum over every byte.

The file is a safetensors file: eight bytes that say how long its header is, the header as JSON,
the arrays. Our document is the one entry of the header's metadata. Its first member is the
SHA-256 of the whole file with sixty-four zeros in the place of the sum itself, so that no byte
can change unnoticed. It guards against accidents; it is no signature.
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

__all__ = ["FORMAT_VERSION", "Tensors", "from_bytes", "read_bytes", "to_bytes"]

Tensors = dict[str, npt.NDArray[Any]]

FORMAT = "sparsegp model"
#: Raised when an older library could no longer read the file.
FORMAT_VERSION = 1

KEY = "sparsegp"  # of the document in the header's metadata
LONGEST_HEADER = 100_000_000  # bytes, the limit of safetensors itself
NO_SUM = "0" * 64
SUM = re.compile(rb'\\"sha256\\": ?\\"([0-9a-f]{64})\\"')


def to_bytes(document: Mapping[str, Any], tensors: Tensors) -> bytearray:
    """Return the bytes of a file. Names of arrays are ours, see ``tree``.

    >>> data = to_bytes({"answer": 42}, {"x": np.ones(2)})
    >>> from_bytes(data)[0]["answer"]
    42
    """
    head = {"sha256": NO_SUM, "format": FORMAT, "format_version": FORMAT_VERSION}
    text = json.dumps({**head, **document}, allow_nan=False)
    # safetensors reads memory as it lies: anything but C order would come out scrambled
    ordered = {name: np.asarray(tensor, order="C") for name, tensor in tensors.items()}
    data = bytearray(save(ordered, {KEY: text}))
    place = _place_of_sum(data)
    assert place is not None
    data[place] = _sum_of(data, place)
    return data


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return what is in a file, if its beginning is that of a model file."""
    file_path = Path(path)
    if file_path.is_dir():
        raise IsADirectoryError(f"{file_path} is a folder: give the name of a model file")
    with file_path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(8)
        length = _header_length(start, size)
        header = file.read(length)
        if KEY.encode() not in header:
            raise ModelFileError("it is no model file of sparsegp")
        return start + header + file.read()


def _header_length(start: bytes | bytearray, size: int) -> int:
    """Return the length of the header, which cannot be longer than the file."""
    length = int.from_bytes(start[:8], "little")
    if len(start) < 8 or not 2 <= length <= min(size - 8, LONGEST_HEADER):
        raise ModelFileError("it is no model file of sparsegp, or only the beginning of one")
    return length


def _place_of_sum(data: bytes | bytearray) -> slice | None:
    """Return where the sum stands; the first match is ours, whatever a model's texts are."""
    end = 8 + _header_length(data[:8], len(data))
    found = SUM.search(data, 8, end)
    return None if found is None else slice(*found.span(1))


def _sum_of(data: bytes | bytearray, place: slice) -> bytes:
    """Return the sum of all bytes, zeros in the place of the sum itself."""
    whole = memoryview(data)
    total = sha256(whole[: place.start])
    total.update(NO_SUM.encode())
    total.update(whole[place.stop :])
    return total.hexdigest().encode()


def from_bytes(data: bytes | bytearray) -> tuple[dict[str, Any], Tensors]:
    """Return the document and the arrays of a file, every byte of which is as it was written."""
    place = _place_of_sum(data)
    if place is None:
        raise ModelFileError("it is no model file of sparsegp, or it was altered")
    if _sum_of(data, place) != data[place]:
        raise ModelFileError(
            "its checksum is wrong: it was truncated or altered after it was written"
        )
    try:
        header = json.loads(data[8 : 8 + _header_length(data[:8], len(data))])
        document = json.loads(header["__metadata__"][KEY])
        tensors = load(bytes(data))
    except (SafetensorError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ModelFileError(f"it cannot be read: {error}") from error
    return _checked(document), tensors


def _checked(document: Any) -> dict[str, Any]:
    """Refuse documents that are not ours or that are too new."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFileError("it is no model file of sparsegp")
    version = document.get("format_version")
    if type(version) is not int or version < 1:
        raise ModelFileError(f"its format version is {version!r}, which never was")
    if version > FORMAT_VERSION:
        raise ModelFileError(
            f"it was written by sparsegp {document.get('library_version')} in format {version}, "
            f"but this library reads formats up to {FORMAT_VERSION}: install a newer sparsegp"
        )
    return document
