"""Replaces files as a whole: whoever reads one sees the old content or all of the new one, even after a crash."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ludens.propnet.base.owned_files import make_folder, opener


def replace_file(path: Path, content: bytes) -> None:
    """Writes a file as a whole; see `replacement`."""
    with replacement(path) as file:
        file.write(content)


@contextlib.contextmanager
def replacement(path: Path) -> Iterator[BinaryIO]:
    """Opens an empty file that replaces another one when the block ends, and is on the disk then. Raises `OSError`.

    Makes the folder if need be; others may write neither. What is there stays if the block or anything else fails.
    Behind a symbolic link it is the file that is replaced, not the link. A folder or a device is not replaced.
    """
    path = Path(os.path.realpath(path))
    check_replaceable(path)
    draft = path.with_name(f".{path.name}.{secrets.randbits(63)}")  # which nobody else has, on whatever machine
    make_folder(path.parent)
    try:
        with open(draft, "x+b", opener=opener) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        _keep_names(path.parent)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def check_replaceable(path: Path) -> None:
    """Raises `OSError` where there is something else than a regular file, such as a device."""
    with contextlib.suppress(FileNotFoundError):
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, f"it is {'a folder' if stat.S_ISDIR(mode) else 'no regular file'}")


def remove_drafts(folder: Path, names: str, older_than: float = 0.0) -> None:
    """Removes what killed processes left of files with these names, a pattern; what cannot be removed stays.

    Where others may write them, only those that are `older_than` so many seconds.
    """
    newest = time.time() - older_than
    for path in folder.glob(f".{names}.*"):
        with contextlib.suppress(OSError):
            if path.name.rpartition(".")[2].isdigit() and path.stat().st_mtime <= newest:
                path.unlink()


def _keep_names(folder: Path) -> None:
    """Writes to the disk which files a folder holds; some file systems cannot, and need not."""
    number = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(number)
    finally:
        os.close(number)
