"""Reads and writes files of named arrays that are whole and of the right kind, or as good as none.

A file is one line of JSON, which says what it holds and the checksum of the rest, and the arrays as numpy writes them:
nothing in it is ever unpickled. It is replaced as a whole, so that of two writers one wins and no reader sees a part.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ludens.propnet.base.whole_file import replace_file

StoredArrays: TypeAlias = Mapping[str, npt.NDArray[np.generic]]

_LONGEST_HEADER = 10_000  # bytes


def read_arrays(path: Path, kind: Mapping[str, object]) -> StoredArrays | None:
    """Returns the arrays of a file; None if it is missing, damaged or of another `kind`."""
    try:
        header, _, body = path.read_bytes().partition(b"\n")
        if json.loads(header) != _header(kind, body):
            return None
        with np.load(io.BytesIO(body), allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except (OSError, EOFError, ValueError, TypeError, LookupError, RecursionError, zipfile.BadZipFile):
        return None


def read_kind(path: Path) -> Mapping[str, object]:
    """Returns what the first line of a file says that it holds; nothing if it is no such file."""
    try:
        with path.open("rb") as file:
            header = json.loads(file.readline(_LONGEST_HEADER))
    except (OSError, ValueError, RecursionError):
        return {}
    return header if isinstance(header, dict) else {}


def write_arrays(path: Path, kind: Mapping[str, object], arrays: StoredArrays, *, compressed: bool = False) -> None:
    """Replaces the file by `arrays`, as a whole or not at all. Raises `OSError`."""
    body = io.BytesIO()
    save = np.savez_compressed if compressed else np.savez
    save(body, **arrays)  # type: ignore[arg-type]
    replace_file(path, json.dumps(_header(kind, body.getvalue())).encode() + b"\n" + body.getvalue())


def _header(kind: Mapping[str, object], body: bytes) -> dict[str, object]:
    return {**kind, "sha256": hashlib.sha256(body).hexdigest()}
